import type { Rate } from "../domain/decide.ts";
import type { Reason, Refusal } from "../domain/errors.ts";
import type { Id } from "../domain/ids.ts";
import type { Operation, Usage, UsageSource } from "../domain/usage.ts";
import type {
  Admission,
  AdmissionRequest,
  Checkpoint,
  Extension,
  ExtensionRequest,
  Settlement,
} from "./store.ts";

/** What a batch is made of. Admissions and extensions are answered, in the order of the batch. */
export type Command =
  | { do: "admit"; request: AdmissionRequest }
  | { do: "settle"; settlement: Settlement }
  | { do: "checkpoint"; checkpoint: Checkpoint }
  | { do: "extend"; extension: ExtensionRequest };

export type Answer = Admission | Extension;

/**
 * Commands as text, for the writer's thread and for the journal. A string crosses a thread several times cheaper than
 * objects do, so a batch is JSON, and rows rather than records, since their names would be most of it. Money, which
 * JSON cannot carry exactly, is written as decimal digits where it is too large for a number.
 */
type Digits = string | number;
type QuoteRow = [
  Id<"prc">,
  base: Digits,
  output: Digits,
  outputTokens: number,
  held: number,
  choices: number,
];
type AdmitRow = [
  kind: 0,
  id: Id<"req">,
  keyHash: string,
  startedAtMs: number,
  dialect: Operation,
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
  bound: Digits,
  source: UsageSource | null,
  firstByteMs: number | null,
  durationMs: number,
  attempts?: string | null,
  ourCost?: Digits,
];
type CheckpointRow = [kind: 2, id: Id<"req">, usage: UsageRow, cost: Digits];
type ExtendRow = [kind: 3, id: Id<"req">, base: Digits, output: Digits, outputTokens: number];
type CommandRow = AdmitRow | SettleRow | CheckpointRow | ExtendRow;

export function encodeCommands(commands: readonly Command[]): string {
  return JSON.stringify(commands.map(encode));
}

export function decodeCommands(text: string): Command[] {
  return (JSON.parse(text) as CommandRow[]).map(decode);
}

function encode(command: Command): CommandRow {
  if (command.do === "admit") return encodeAdmission(command.request);
  if (command.do === "settle") return encodeSettlement(command.settlement);
  if (command.do === "checkpoint") {
    const { id, usage, cost } = command.checkpoint;
    return [2, id, usageRow(usage), digits(cost)];
  }
  const { id, quote, outputTokens } = command.extension;
  return [3, id, digits(quote.basePicos), digits(quote.outputPicos), outputTokens];
}

function encodeAdmission(request: AdmissionRequest): AdmitRow {
  const { id, keyHash, startedAtMs, dialect, stream, tool, address, ask } = request;
  const { model, inputTokens, problem, quote } = ask;
  let quoted: QuoteRow | null = null;
  if (quote !== null) {
    const { priceId, basePicos, outputPicos, outputTokens, heldTokens, choices } = quote;
    quoted = [priceId, digits(basePicos), digits(outputPicos), outputTokens, heldTokens, choices];
  }
  return [0, id, keyHash, startedAtMs, dialect, stream, tool, address, model, inputTokens, problem, quoted];
}

function encodeSettlement(settlement: Settlement): SettleRow {
  const { id, state, status, reason, upstream, usage, cost, bound, source } = settlement;
  const { firstByteMs, durationMs } = settlement;
  const counted = usageRow(usage);
  const row: SettleRow = [
    1,
    id,
    state,
    status,
    reason,
    upstream,
    counted,
    digits(cost),
    digits(bound),
    source,
    firstByteMs,
    durationMs,
  ];
  const { attempts, ourCost } = settlement;
  if (ourCost !== undefined) row.push(attempts ?? null, digits(ourCost));
  else if (attempts !== undefined) row.push(attempts);
  return row;
}

function decode(row: CommandRow): Command {
  if (row[0] === 0) return { do: "admit", request: decodeAdmission(row) };
  if (row[0] === 1) {
    const [, id, state, status, reason, upstream, counted, cost, bound, source, firstByteMs, durationMs] =
      row;
    const settlement: Settlement = {
      id,
      state,
      status,
      reason,
      upstream,
      usage: toUsage(counted),
      cost: BigInt(cost),
      bound: BigInt(bound),
      source,
      firstByteMs,
      durationMs,
    };
    const [attempts, ourCost] = [row[12], row[13]];
    if (typeof attempts === "string") settlement.attempts = attempts;
    if (ourCost !== undefined) settlement.ourCost = BigInt(ourCost);
    return { do: "settle", settlement };
  }
  if (row[0] === 2) {
    const [, id, counted, cost] = row;
    return { do: "checkpoint", checkpoint: { id, usage: toUsage(counted), cost: BigInt(cost) } };
  }
  const [, id, base, output, outputTokens] = row;
  const quote = { basePicos: BigInt(base), outputPicos: BigInt(output) };
  return { do: "extend", extension: { id, quote, outputTokens } };
}

function decodeAdmission(row: AdmitRow): AdmissionRequest {
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
          heldTokens: quoted[4],
          choices: quoted[5],
        };
  const ask = { model, inputTokens, problem, quote };
  return { id, keyHash, startedAtMs, dialect, stream, tool, address, ask };
}

const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const EXACT_MIN = -EXACT_MAX;

function digits(value: bigint): Digits {
  return value <= EXACT_MAX && value >= EXACT_MIN ? Number(value) : `${value}`;
}

function usageRow(usage: Usage): UsageRow {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  return [input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning];
}

function toUsage([input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning]: UsageRow): Usage {
  return { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning };
}

type AnswerRow =
  | [
      kind: 1,
      keyId: Id<"key">,
      multiplier: number,
      outputTokens: number,
      heldTokens: number,
      loweredBy: Reason | null,
      expiresAtMs: number | null,
      rates: readonly Rate[] | 0,
    ]
  | [kind: 0, refusal: Refusal, recorded: boolean]
  | [kind: 2, heldTokens: number, refusal: Refusal | null];

const NO_RATES: readonly Rate[] = [];

/** In the order of the batch, so that no name has to be looked up. */
export function encodeAnswers(answers: readonly Answer[]): string {
  const rows = answers.map((answer): AnswerRow => {
    if (!("admitted" in answer)) return [2, answer.heldTokens, answer.refusal];
    if (!answer.admitted) return [0, answer.refusal, answer.recorded];
    const { keyId, multiplier, outputTokens, heldTokens, loweredBy, expiresAtMs } = answer;
    const rates = answer.rates.length === 0 ? 0 : answer.rates;
    return [1, keyId, multiplier, outputTokens, heldTokens, loweredBy, expiresAtMs, rates];
  });
  return JSON.stringify(rows);
}

export function decodeAnswers(text: string): Answer[] {
  return (JSON.parse(text) as AnswerRow[]).map(row => {
    if (row[0] === 0) return { admitted: false, refusal: row[1], recorded: row[2] };
    if (row[0] === 2) return { heldTokens: row[1], refusal: row[2] };
    const [, keyId, multiplier, outputTokens, heldTokens, loweredBy, expiresAtMs, rates] = row;
    return {
      admitted: true,
      keyId,
      multiplier,
      outputTokens,
      heldTokens,
      loweredBy,
      expiresAtMs,
      rates: rates === 0 ? NO_RATES : rates,
    };
  });
}
