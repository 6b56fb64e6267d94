import type { Refusal } from "../../domain/errors.ts";
import type { Id } from "../../domain/ids.ts";
import type { Dialect, Usage, UsageSource } from "../../domain/usage.ts";
import type { Admission, AdmissionRequest, Checkpoint, Settlement } from "../store.ts";

/**
 * What crosses between the event loop and the writer's thread. A string crosses a thread several times cheaper than
 * objects do, so a batch is JSON, and rows rather than records, since their names would be most of it. Money, which
 * JSON cannot carry exactly, is written as decimal digits.
 */
export type Command =
  | { do: "admit"; request: AdmissionRequest }
  | { do: "settle"; settlement: Settlement }
  | { do: "checkpoint"; checkpoint: Checkpoint };

type Digits = string;
type QuoteRow = [priceId: Id<"prc">, base: Digits, output: Digits, outputTokens: number, choices: number];
type AdmitRow = [
  kind: 0,
  id: Id<"req">,
  keyHash: string,
  startedAtMs: number,
  dialect: Dialect,
  stream: boolean,
  tool: string,
  address: string,
  model: string,
  inputTokens: number,
  problem: Refusal | null,
  quote: QuoteRow | null,
];
type UsageRow = [number, number, number, number, number, number];
type SettleRow = [
  kind: 1,
  id: Id<"req">,
  state: Settlement["state"],
  status: number,
  reason: string | null,
  upstream: string | null,
  usage: UsageRow,
  cost: Digits,
  source: UsageSource | null,
  firstByteMs: number | null,
  durationMs: number,
];
type CheckpointRow = [kind: 2, id: Id<"req">, usage: UsageRow, cost: Digits];
type CommandRow = AdmitRow | SettleRow | CheckpointRow;

export function encodeBatch(commands: readonly Command[]): string {
  const rows: CommandRow[] = new Array(commands.length);
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at];
    if (command !== undefined) rows[at] = encode(command);
  }
  return JSON.stringify(rows);
}

export function decodeBatch(text: string): Command[] {
  return (JSON.parse(text) as CommandRow[]).map(decode);
}

function encode(command: Command): CommandRow {
  if (command.do === "admit") {
    const { id, keyHash, startedAtMs, dialect, stream, tool, address, ask } = command.request;
    const { model, inputTokens, problem, quote } = ask;
    const quoted: QuoteRow | null =
      quote === null
        ? null
        : [quote.priceId, `${quote.basePicos}`, `${quote.outputPicos}`, quote.outputTokens, quote.choices];
    return [0, id, keyHash, startedAtMs, dialect, stream, tool, address, model, inputTokens, problem, quoted];
  }
  if (command.do === "settle") {
    const { id, state, status, reason, upstream, usage, cost, source, firstByteMs, durationMs } =
      command.settlement;
    const counted = usageRow(usage);
    return [1, id, state, status, reason, upstream, counted, `${cost}`, source, firstByteMs, durationMs];
  }
  const { id, usage, cost } = command.checkpoint;
  return [2, id, usageRow(usage), `${cost}`];
}

function decode(row: CommandRow): Command {
  if (row[0] === 0) {
    const [, id, keyHash, startedAtMs, dialect, stream, tool, address, model, inputTokens, problem, quoted] =
      row;
    const quote =
      quoted === null
        ? null
        : {
            priceId: quoted[0],
            basePicos: BigInt(quoted[1]),
            outputPicos: BigInt(quoted[2]),
            outputTokens: quoted[3],
            choices: quoted[4],
          };
    const ask = { model, inputTokens, problem, quote };
    return { do: "admit", request: { id, keyHash, startedAtMs, dialect, stream, tool, address, ask } };
  }
  if (row[0] === 1) {
    const [, id, state, status, reason, upstream, counted, digits, source, firstByteMs, durationMs] = row;
    const end = { id, state, status, reason, upstream, source, firstByteMs, durationMs };
    return { do: "settle", settlement: { ...end, usage: toUsage(counted), cost: BigInt(digits) } };
  }
  const [, id, counted, digits] = row;
  return { do: "checkpoint", checkpoint: { id, usage: toUsage(counted), cost: BigInt(digits) } };
}

function usageRow(usage: Usage): UsageRow {
  return [
    usage.input,
    usage.cacheRead,
    usage.cacheWrite5m,
    usage.cacheWrite1h,
    usage.output,
    usage.reasoning,
  ];
}

function toUsage([input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning]: UsageRow): Usage {
  return { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning };
}

type DecisionRow =
  | [
      admitted: 1,
      keyId: Id<"key">,
      hold: Digits,
      multiplier: number,
      outputTokens: number,
      expiresAtMs: number | null,
    ]
  | [admitted: 0, refusal: Refusal, recorded: boolean];

/** In the order of the batch's admissions, so that no name has to be looked up. */
export function encodeDecisions(decided: readonly Admission[]): string {
  const rows = decided.map((admission): DecisionRow => {
    if (!admission.admitted) return [0, admission.refusal, admission.recorded];
    const { keyId, hold, multiplier, outputTokens, expiresAtMs } = admission;
    return [1, keyId, `${hold}`, multiplier, outputTokens, expiresAtMs];
  });
  return JSON.stringify(rows);
}

export function decodeDecisions(text: string): Admission[] {
  return (JSON.parse(text) as DecisionRow[]).map(row => {
    if (row[0] === 0) return { admitted: false, refusal: row[1], recorded: row[2] };
    const [, keyId, digits, multiplier, outputTokens, expiresAtMs] = row;
    return { admitted: true, keyId, hold: BigInt(digits), multiplier, outputTokens, expiresAtMs };
  });
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
