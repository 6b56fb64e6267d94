import type { Id } from "../domain/ids.ts";
import { NO_USAGE } from "../domain/usage.ts";
import { asking, checkpoint, extendAt, settle, voided } from "./bank.case.ts";
import type { Answer, Command } from "./command.ts";
import { at, type Books, type Request } from "./history-model.case.ts";
import type { Act, Ending } from "./history-world.case.ts";

/** What a step asks of the database, and what the database answers, in words that the model can say as well. */

export function commandOf(books: Books, act: Act, open: readonly Request[]): Command | null {
  if (act.act === "admit") return asking(at(books.keys, act.key).name, act.ask).command;
  if (open.length === 0) return null;
  const { id, basePicos, outputPicos } = at(open, act.hold);
  if (act.act === "extend") return extendAt(id, { basePicos, outputPicos, outputTokens: act.tokens });
  if (act.act === "settle") return ended(id, act.end);
  return act.act === "void" ? voided(id) : checkpoint(id, act.cost);
}

export function ended(id: Id<"req">, { cost, bound, tokens }: Ending): Command {
  return settle(id, cost, { bound, usage: { ...NO_USAGE, input: tokens } });
}

/** An answer in words: what was granted, or which pocket or limit does not give it, and what it has left. */
export function said(answer: Answer): string {
  if (!("admitted" in answer)) {
    const { heldTokens, refusal } = answer;
    return `${heldTokens} ${refusal === null ? "held" : refused(refusal)}`;
  }
  if (!answer.admitted) return refused(answer.refusal);
  const { outputTokens, heldTokens, loweredBy, multiplier } = answer;
  return `admitted ${outputTokens}, held ${heldTokens}, ${loweredBy ?? "in full"}, × ${multiplier}`;
}

function refused({ reason, params }: { reason: string; params: Readonly<Record<string, unknown>> }): string {
  const whose = String(params["whose"]).startsWith("The key") ? "key" : "account";
  if (reason === "concurrency_limited") return `${reason} ${whose}`;
  if (reason === "rate_limited") return `${reason} ${whose} ${params["what"]} ${params["seconds"]}`;
  const period = /day|week|month/.exec(String(params["period"] ?? ""))?.[0] ?? null;
  const parts = [reason, period, params["available"] ?? null];
  return parts.filter(part => part !== null).join(" ");
}
