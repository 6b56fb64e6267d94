import type { DemoCall, DemoFinish, DemoPiece, DemoPlan } from "./demo-plan.ts";
import type { DemoMade } from "./demo-usage.ts";

/** What an answer is made of, in the order of `place`: tokens of one kind, or one call. */
export type DemoPart = { place: number } & (
  | { kind: "thought" }
  | { kind: "text" }
  | { kind: "refusal" }
  | { kind: "call"; call: DemoCall }
);

/** A part opens, gets its tokens and closes before the next one opens; the opening of a call is itself a token. */
export type DemoStep =
  | { step: "open"; part: DemoPart; isToken: boolean }
  | { step: "token"; part: DemoPart; token: string }
  /** Not whole where the answer was cut short inside it. */
  | { step: "close"; part: DemoPart; isWhole: boolean };

export type DemoEnd = { finish: DemoFinish; made: DemoMade };

export function* partsOf(plan: DemoPlan): Generator<DemoStep, DemoEnd> {
  const made: DemoMade = { tokens: 0, thoughts: 0 };
  const opened: DemoPart[] = [];
  let next = plan.pieces.next();
  for (; !next.done; next = plan.pieces.next()) {
    const piece = next.value;
    made.tokens++;
    if (piece.kind === "thought") made.thoughts++;
    const last = opened.at(-1);
    if (opensPart(piece, last)) {
      if (last !== undefined) yield { step: "close", part: last, isWhole: true };
      const place = opened.length;
      const part: DemoPart =
        piece.kind === "call" ? { place, kind: "call", call: piece.call } : { place, kind: piece.kind };
      opened.push(part);
      yield { step: "open", part, isToken: piece.kind === "call" };
    }
    const part = opened.at(-1);
    if (piece.kind !== "call" && part !== undefined) yield { step: "token", part, token: piece.token };
  }
  const part = opened.at(-1);
  if (part !== undefined) yield { step: "close", part, isWhole: next.value.reason !== "length" };
  return { finish: next.value, made };
}

function opensPart(
  piece: DemoPiece,
  last: DemoPart | undefined,
): piece is Exclude<DemoPiece, { kind: "arguments" }> {
  if (piece.kind === "arguments") return false;
  return piece.kind === "call" || piece.kind !== last?.kind;
}

/** Tokens are paced and counted, whether or not anything is told of them. */
export function isToken(step: DemoStep): boolean {
  return step.step === "token" || (step.step === "open" && step.isToken);
}

/** The inside of a JSON text: the same text, without its quotation marks. */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
