import type { Id } from "../../domain/ids.ts";
import type { Admission, AdmissionRequest, Checkpoint, Settlement } from "../store.ts";

/**
 * What crosses between the event loop and the writer's thread. A string crosses a thread several times cheaper than
 * objects do, so a batch is JSON; money, which JSON cannot carry exactly, is written as decimal digits.
 */
export type Command =
  | { do: "admit"; request: AdmissionRequest }
  | { do: "settle"; settlement: Settlement }
  | { do: "checkpoint"; checkpoint: Checkpoint };

type Digits = string;
type WireCommand =
  | { do: "admit"; request: AdmissionRequest; base: Digits; output: Digits }
  | { do: "settle"; settlement: Settlement; cost: Digits }
  | { do: "checkpoint"; checkpoint: Checkpoint; cost: Digits };

export function encodeBatch(commands: readonly Command[]): string {
  const wire: unknown[] = [];
  for (const command of commands) {
    if (command.do === "admit") {
      const { request } = command;
      const { quote } = request.ask;
      if (quote === null) {
        wire.push(command);
        continue;
      }
      const bare = { ...quote, basePicos: 0, outputPicos: 0 };
      const lean = { ...request, ask: { ...request.ask, quote: bare } };
      wire.push({
        do: "admit",
        request: lean,
        base: quote.basePicos.toString(),
        output: quote.outputPicos.toString(),
      });
    } else if (command.do === "settle") {
      const { settlement } = command;
      wire.push({ do: "settle", settlement: { ...settlement, cost: 0 }, cost: settlement.cost.toString() });
    } else {
      const { checkpoint } = command;
      wire.push({
        do: "checkpoint",
        checkpoint: { ...checkpoint, cost: 0 },
        cost: checkpoint.cost.toString(),
      });
    }
  }
  return JSON.stringify(wire);
}

export function decodeBatch(text: string): Command[] {
  const wire = JSON.parse(text) as WireCommand[];
  for (const command of wire) {
    if (command.do === "admit") {
      const { quote } = command.request.ask;
      if (quote === null) continue;
      quote.basePicos = BigInt(command.base);
      quote.outputPicos = BigInt(command.output);
    } else if (command.do === "settle") command.settlement.cost = BigInt(command.cost);
    else command.checkpoint.cost = BigInt(command.cost);
  }
  return wire;
}

export type Decided = { id: Id<"req">; admission: Admission };

export function encodeDecisions(decided: readonly Decided[]): string {
  return JSON.stringify(
    decided.map(({ id, admission }) =>
      admission.admitted
        ? { id, admission: { ...admission, hold: admission.hold.toString() } }
        : { id, admission },
    ),
  );
}

export function decodeDecisions(text: string): Decided[] {
  const decided = JSON.parse(text) as Decided[];
  for (const { admission } of decided) if (admission.admitted) admission.hold = BigInt(admission.hold);
  return decided;
}

/** From the event loop to a thread. */
export type ToThread =
  | { kind: "open"; file: string; bootId: Id<"boot">; readOnly: boolean }
  | { kind: "call"; call: number; name: string; args: unknown }
  | { kind: "recover"; call: number; bootIds: readonly Id<"boot">[] }
  | { kind: "close"; call: number };

/** From a thread back. Batches answer by strings instead: decisions as JSON, then `committed` or `failed:` and why. */
export type FromThread =
  | { kind: "opened" }
  | { kind: "broken"; message: string }
  | { kind: "result"; call: number; value: unknown }
  | { kind: "problem"; call: number; message: string; known: boolean };

export const COMMITTED = "committed";
export const FAILED = "failed:";
