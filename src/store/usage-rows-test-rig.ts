import { firstIdAt } from "../domain/id-time.ts";
import type { Id } from "../domain/ids.ts";
import type { UsageState } from "../domain/usage.ts";
import type { SqlValue } from "./tx.ts";
import { SumBook } from "./usage-sums.ts";

/**
 * A year of a busy house, for whoever wants to know what a long log costs: one account with most of the rows, some
 * keys and models that are rare, one long run of the same refusal. The same rows every time.
 */

const YEAR_MS = 365 * 86_400_000;
const ACCOUNTS = 30;
const BIG_SHARE = 0.92;
const KEYS_OF_BIG = 24;
const MODELS = 12;
const TOOLS = 10;
const UPSTREAMS = 5;
const PRICE = "prc_00000000000000000000000001";
const GROUP = "grp_00000000000000000000000001";
export const BIG_ACCOUNT: Id<"acc"> = "acc_00000000000000000000000000";
/** Seven rows of it in the whole year. */
export const RARE_MODEL = "rare-model";
/** Used in the first weeks, and never again. */
export const OLD_KEY = keyId(0, 0);
/** Its own, and not used by the key that is asked together with it. */
export const TOOL_OF_KEY_3 = "tool-3";
export const KEY_5 = keyId(0, 5);

export const USAGE_COLUMNS = [
  ...["id", "account_id", "key_id", "group_id", "boot_id", "state", "reason", "status", "dialect", "stream"],
  ...["model", "upstream", "tool", "address", "started_at_ms", "first_byte_ms", "duration_ms", "price_id"],
  ...[
    "multiplier",
    "hold",
    "input_tokens_guessed",
    "input",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
  ],
  ...["output", "reasoning", "cost", "source", "pocket", "series", "our_cost"],
] as const;

export type FilledTable = { table: string; columns: readonly string[]; rows: SqlValue[][] };

export function keyId(account: number, key: number): Id<"key"> {
  return `key_${String(account * 100 + key).padStart(26, "0")}`;
}

function accountId(account: number): Id<"acc"> {
  return `acc_${String(account).padStart(26, "0")}`;
}

/** What the rows refer to. */
export function house(nowMs: number): FilledTable[] {
  const accounts = Array.from({ length: ACCOUNTS }, (_, at) => at);
  return [
    {
      table: "accounts",
      columns: ["id", "email", "role", "enabled", "balance", "held", "created_at_ms"],
      rows: accounts.map(at => [
        ...[accountId(at), `a${at}@example.org`, at === 0 ? "operator" : "holder", 1, 0, 0, nowMs - YEAR_MS],
      ]),
    },
    {
      table: "groups",
      columns: ["id", "name", "enabled", "multiplier", "models", "billing"],
      rows: [[GROUP, "filled", 1, 10_000, "[]", "balance"]],
    },
    {
      table: "keys",
      columns: [
        ...["id", "account_id", "group_id", "name", "hash", "preview", "enabled", "created_at_ms", "spent"],
        ...["held", "open", "arrival_ns", "token_arrival_ns"],
      ],
      rows: accounts.flatMap(account =>
        Array.from({ length: account === 0 ? KEYS_OF_BIG : 2 }, (_, key) => [
          ...[keyId(account, key), accountId(account), GROUP, `key ${key}`, `filled ${account} ${key}`],
          ...["wgk_…", 1, nowMs - YEAR_MS, 0, 0, 0, 0, 0],
        ]),
      ),
    },
  ];
}

/** A generator whose numbers are the same every time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export type FilledPage = { rows: SqlValue[][]; book: SumBook };

/** Pages of rows in the order of their ids, each with what it adds to the sums. */
export function* filledPages(options: {
  count: number;
  nowMs: number;
  pageRows: number;
}): Generator<FilledPage> {
  const { count, nowMs, pageRows } = options;
  const roll = dice(20_270_115);
  const rare = new Set(Array.from({ length: 7 }, (_, at) => Math.floor(((at + 0.5) * count) / 7)));
  for (let from = 0; from < count; from += pageRows) {
    const book = new SumBook();
    const rows: SqlValue[][] = [];
    for (let at = from; at < Math.min(count, from + pageRows); at++)
      rows.push(rowOf({ at, part: at / count, isRare: rare.has(at), nowMs, roll, book }));
    yield { rows, book };
  }
}

type RowAsked = {
  at: number;
  part: number;
  isRare: boolean;
  nowMs: number;
  roll: () => number;
  book: SumBook;
};

function rowOf({ at, part, isRare, nowMs, roll, book }: RowAsked): SqlValue[] {
  // The house grows: its newest day has about twice as many requests as its middle one.
  const startedAtMs = Math.floor(nowMs - YEAR_MS + YEAR_MS * Math.sqrt(part) - 1);
  const id = `${firstIdAt("req", startedAtMs).slice(0, 14)}${at.toString(8).padStart(16, "0")}` as Id<"req">;
  const isRun = part > 0.6 && part < 0.62;
  const account = isRun || isRare || roll() < BIG_SHARE ? 0 : 1 + Math.floor(roll() * (ACCOUNTS - 1));
  const key = isRun ? 7 : keyOf(account, part, roll);
  const model = isRare ? RARE_MODEL : `model-${isRun ? 1 : (key + Math.floor(roll() ** 3 * 5)) % MODELS}`;
  // The first half of the run is one, the second half is broken by another tool again and again.
  const isOtherTool = part >= 0.61 || !isRun ? roll() < 0.1 : false;
  const tool = `tool-${(key + (isOtherTool ? 1 : 0)) % TOOLS}/1.${key}`;
  const { state, reason, status } = isRun ? REFUSED : stateOf(roll());
  const isUsed = state === "settled";
  const usage = {
    input: isUsed ? Math.floor(roll() * 4_000) : 0,
    cacheRead: isUsed ? Math.floor(roll() * 20_000) : 0,
    ...{ cacheWrite5m: 0, cacheWrite1h: 0 },
    output: isUsed ? Math.floor(roll() * 900) : 0,
    reasoning: 0,
  };
  const cost = BigInt(usage.input * 3 + usage.output * 15) * 1_000n;
  const ourCost = (cost * 8n) / 10n;
  const upstream = state === "refused" ? null : `u-${(key + account) % UPSTREAMS}`;
  const owner = { accountId: accountId(account), keyId: keyId(account, key) };
  const series = book.add({ id, ...owner, model, tool, upstream, state, reason, usage, cost, ourCost });
  return [
    ...[id, owner.accountId, owner.keyId, GROUP, "boot_filled", state, reason, status, "chat", 1],
    ...[model, upstream, tool, "203.0.113.7", startedAtMs, isUsed ? 300 + Math.floor(roll() * 900) : null],
    ...[isUsed ? 4_000 : 3, isUsed ? PRICE : null, isUsed ? 10_000 : null, cost, 100],
    ...[usage.input, usage.cacheRead, 0, 0, usage.output, 0, cost, isUsed ? "reported" : null],
    ...[cost > 0n ? "balance" : null, series, isUsed ? ourCost : null],
  ];
}

function keyOf(account: number, part: number, roll: () => number): number {
  if (account !== 0) return Math.floor(roll() * 2);
  return part < 0.02 && roll() < 0.1 ? 0 : 1 + Math.floor(roll() ** 2 * (KEYS_OF_BIG - 1));
}

type Ending = { state: UsageState; reason: string | null; status: number };
const REFUSED: Ending = { state: "refused", reason: "rate_limited", status: 429 };

function stateOf(chance: number): Ending {
  if (chance < 0.95) return { state: "settled", reason: null, status: 200 };
  if (chance < 0.97) return { state: "settled", reason: "client_left", status: 499 };
  if (chance < 0.985) return { state: "voided", reason: "upstream_failed", status: 502 };
  return chance < 0.995 ? REFUSED : { state: "refused", reason: "balance_exhausted", status: 402 };
}
