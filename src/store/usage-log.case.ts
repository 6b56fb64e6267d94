import { expect } from "bun:test";
import fc from "fast-check";
import { firstIdAt, idTimeMs } from "../domain/id-time.ts";
import type { Id } from "../domain/ids.ts";
import { type Outcome, outcomeOf } from "../domain/outcome.ts";
import { toolName } from "../domain/tool-name.ts";
import type { UsageState } from "../domain/usage.ts";
import { clear } from "./bank.case.ts";
import type { SqlValue, Tx } from "./tx.ts";
import { sumUpOldRows } from "./usage-backfill.ts";
import { HIGHEST_ID, idSpan, LOWEST_ID, type UsageQuery } from "./usage-filter.ts";
import { type UsageLine, usageLines } from "./usage-lines.ts";
import { DAY_MS } from "./usage-sums.ts";

/** A usage log made at random, and what its questions come to when every row is looked at. */

export const START_MS = Date.UTC(2027, 0, 10);
export const DAYS = 5;
const MODELS = ["m1", "m2", "m3"];
const TOOLS = ["curl/8.1", "curl/8.2", "claude-cli/2.0 (external)"];
const ENDINGS: [UsageState, string | null][] = [
  ["settled", null],
  ["settled", "client_left"],
  ["voided", "upstream_failed"],
  ["refused", "rate_limited"],
  ["refused", "rate_limited"],
  ["refused", "balance_exhausted"],
  ["interrupted", "interrupted"],
  ["open", null],
];

/** A row in short: what it is drawn from. */
type Drawn = {
  account: number;
  key: number;
  model: number;
  tool: number;
  ending: number;
  ms: number;
  n: number;
};
export type Row = {
  id: Id<"req">;
  account: string;
  key: string;
  model: string;
  tool: string;
  state: UsageState;
  reason: string | null;
  tokens: number;
  cost: bigint;
  upstream: string | null;
};

export const draw = fc.record({
  account: fc.nat(1),
  key: fc.nat(1),
  model: fc.nat(MODELS.length - 1),
  tool: fc.nat(TOOLS.length - 1),
  ending: fc.nat(ENDINGS.length - 1),
  ms: fc.nat(DAYS * DAY_MS - 1),
  // The same row again and again makes runs of refusals.
  n: fc.nat(3),
});

export function rowsOf(drawn: readonly Drawn[]): Row[] {
  const many = drawn.flatMap(one => Array.from({ length: one.n + 1 }, () => one));
  return many.map(({ account, key, model, tool, ending, ms }, at) => {
    const [state, reason] = ENDINGS[ending] ?? ["open", null];
    const id = `${firstIdAt("req", START_MS + ms).slice(0, 14)}${String(at).padStart(16, "0")}` as Id<"req">;
    const isUsed = state === "settled" || state === "interrupted";
    return {
      ...{ id, account: `acc_${account}`, key: `key_${account}${key}`, state, reason },
      ...{ model: MODELS[model] ?? "", tool: TOOLS[tool] ?? "" },
      ...{ tokens: isUsed ? at % 7 : 0, cost: isUsed ? BigInt(at % 11) : 0n },
      // One that runs does not name it yet.
      upstream: state === "refused" || state === "open" ? null : `u${(key + model) % 2}`,
    };
  });
}

const insert = (table: string, values: Record<string, SqlValue>) => async (tx: Tx) => {
  const names = Object.keys(values);
  const marks = names.map(() => "?").join(", ");
  await tx.run(`insert into ${table} (${names.join(", ")}) values (${marks})`, ...Object.values(values));
};

export async function house(tx: Tx): Promise<void> {
  await clear(tx);
  await insert("groups", {
    ...{ id: "grp_1", name: "g", enabled: 1, multiplier: 10_000, models: "[]", billing: "balance" },
  })(tx);
  for (const account of ["0", "1"]) {
    const owner = { id: `acc_${account}`, email: account, role: "holder", enabled: 1, balance: 0, held: 0 };
    await insert("accounts", { ...owner, created_at_ms: 0 })(tx);
    for (const key of ["0", "1"]) {
      await insert("keys", {
        ...{ id: `key_${account}${key}`, account_id: `acc_${account}`, group_id: "grp_1", name: `k${key}` },
        ...{
          hash: `${account}${key}`,
          preview: "",
          enabled: 1,
          created_at_ms: 0,
          spent: 0,
          held: 0,
          open: 0,
        },
        ...{ arrival_ns: 0, token_arrival_ns: 0 },
      })(tx);
    }
  }
}

/** As an older version left them: in no sum. */
export async function write(tx: Tx, rows: readonly Row[]): Promise<void> {
  for (const { id, account, key, model, tool, state, reason, tokens, cost, upstream } of rows) {
    await insert("usage", {
      ...{ id, account_id: account, key_id: key, group_id: "grp_1", boot_id: "boot_1", state, reason },
      ...{ dialect: "chat", stream: 0, model, tool, address: "", started_at_ms: idTimeMs(id), hold: cost },
      ...{ input_tokens_guessed: 0, input: tokens, cache_read: 0, cache_write_5m: 0, cache_write_1h: 1 },
      ...{ output: 2, reasoning: 0, cost, upstream, multiplier: 10_000 },
    })(tx);
  }
}

export async function sumUp(tx: Tx): Promise<number> {
  let count = 0;
  for (;;) {
    const done = await sumUpOldRows(tx, { limit: 7 });
    count += done.count;
    if (done.count === 0) return count;
  }
}

export const ANY: UsageQuery = {
  ...{ accountId: "acc_0", keyId: null, model: null, tool: null, outcome: null },
  ...{ low: LOWEST_ID, high: HIGHEST_ID },
};

export const query: fc.Arbitrary<UsageQuery> = fc
  .record({
    accountId: fc.constantFrom("acc_0", "acc_0", null),
    upstream: fc.constantFrom(null, null, "u0", "u1"),
    keyId: fc.constantFrom(null, null, "key_00", "key_01", "key_10"),
    model: fc.constantFrom(null, null, "m1", "m2", "nothing"),
    tool: fc.constantFrom(null, null, "curl", "claude-cli"),
    outcome: fc.constantFrom<Outcome | null>(null, null, "ok", "stopped", "failed", "refused", "running"),
    fromMs: fc.option(fc.nat(DAYS * DAY_MS)),
    toMs: fc.option(fc.nat(DAYS * DAY_MS)),
  })
  .map(({ fromMs, toMs, ...rest }) => ({
    ...rest,
    ...idSpan({
      fromMs: fromMs === null ? null : START_MS + fromMs,
      toMs: toMs === null ? null : START_MS + toMs,
    }),
  }));

function isWanted(row: Row, wanted: UsageQuery): boolean {
  const { accountId, keyId, model, tool, outcome, upstream = null, low, high } = wanted;
  if (row.id < low || row.id >= high || (accountId !== null && row.account !== accountId)) return false;
  if (upstream !== null && row.upstream !== upstream) return false;
  if (keyId !== null && row.key !== keyId) return false;
  if (model !== null && row.model !== model) return false;
  if (tool !== null && toolName(row.tool) !== tool) return false;
  return outcome === null || outcomeOf(row.state, row.reason) === outcome;
}

export function naive(rows: readonly Row[], wanted: UsageQuery): Row[] {
  return rows.filter(row => isWanted(row, wanted)).sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** Folded by hand. */
export function folded(rows: readonly Row[]): string[] {
  const lines: { first: Row; last: Row; count: number }[] = [];
  for (const row of rows) {
    const line = lines.at(-1);
    const same =
      row.state === "refused" &&
      line?.last.state === "refused" &&
      [row.key, row.model, row.reason, toolName(row.tool)].join() ===
        [line.last.key, line.last.model, line.last.reason, toolName(line.last.tool)].join();
    if (line !== undefined && same) {
      line.count += 1;
      line.last = row;
    } else lines.push({ first: row, last: row, count: 1 });
  }
  return lines.map(({ first, last, count }) => `${first.id} × ${count} since ${last.id}`);
}

export async function allLines(tx: Tx, wanted: UsageQuery, limit: number): Promise<string[]> {
  const lines: UsageLine[] = [];
  for (let high: string | null = wanted.high; high !== null; ) {
    const page = await usageLines(tx, { query: { ...wanted, high }, limit });
    expect(page.lines.length).toBeLessThanOrEqual(limit);
    lines.push(...page.lines);
    high = page.next;
  }
  return lines.map(({ id, count, oldestId }) => `${id} × ${count} since ${oldestId}`);
}
