import type { Account } from "../../domain/account.ts";
import type { ApiKey } from "../../domain/api-key.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Id } from "../../domain/ids.ts";
import { formatWindows, type SpendWindow } from "../../domain/spend-window.ts";
import type { Usage } from "../../domain/usage.ts";
import type { LedgerLine, LedgerWrites, OpenHold, UsageInsert, UsageUpdate } from "../ledger.ts";
import { flag } from "../rows.ts";
import type { Checkpoint } from "../store.ts";
import type { KnownSeries, Series, Sum, SumDay } from "../usage-sums.ts";
import type { Statement } from "./connect.ts";
import { type Column, insertMany, type Many, updateMany } from "./many.ts";

export type SaverOptions = Clock & { bootId: Id<"boot"> };

type Insert = UsageInsert & { bootId: Id<"boot"> };
type Line = LedgerLine & { nowMs: number };
type UsedKey = { key: ApiKey; nowMs: number };

type Used = { usage: Usage };

const quantities = <T extends Used>(): Column<T>[] => [
  ["input", "bigint", ({ usage }) => usage.input],
  ["cache_read", "bigint", ({ usage }) => usage.cacheRead],
  ["cache_write_5m", "bigint", ({ usage }) => usage.cacheWrite5m],
  ["cache_write_1h", "bigint", ({ usage }) => usage.cacheWrite1h],
  ["output", "bigint", ({ usage }) => usage.output],
  ["reasoning", "bigint", ({ usage }) => usage.reasoning],
];

const insertUsage: Many<Insert> = insertMany("usage", [
  ["id", "text", ({ request }) => request.id],
  ["account_id", "text", ({ key }) => key.accountId],
  ["key_id", "text", ({ key }) => key.id],
  ["group_id", "text", ({ key }) => key.groupId],
  ["boot_id", "text", ({ bootId }) => bootId],
  ["state", "text", ({ state }) => state],
  ["reason", "text", ({ reason }) => reason],
  ["status", "bigint", ({ status }) => status],
  ["dialect", "text", ({ request }) => request.dialect],
  ["stream", "bigint", ({ request }) => flag(request.stream)],
  ["model", "text", ({ request }) => request.ask.model],
  ["tool", "text", ({ request }) => request.tool],
  ["address", "text", ({ request }) => request.address],
  ["started_at_ms", "bigint", ({ request }) => request.startedAtMs],
  ["price_id", "text", ({ request, hold }) => (hold === null ? null : (request.ask.quote?.priceId ?? null))],
  ["multiplier", "bigint", ({ hold }) => hold?.multiplier ?? null],
  ["hold", "bigint", ({ hold }) => hold?.hold ?? 0n],
  ["output_tokens_granted", "bigint", ({ outputTokens }) => outputTokens],
  ["input_tokens_guessed", "bigint", ({ request }) => request.ask.inputTokens],
  ["pocket", "text", ({ hold }) => hold?.pocket ?? null],
  ["windows", "text", ({ hold }) => (hold === null ? null : formatWindows(hold.windows))],
  ["particulars", "text", ({ particulars }) => particulars],
  ["series", "bigint", ({ series }) => series],
  ...["input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "reasoning", "cost"].map(
    (name): Column<Insert> => [name, "bigint", () => 0],
  ),
]);

/** Said so that the row is found by its name, and not among all that are or were open. */
const STILL_OPEN = "old.state not in ('settled', 'voided', 'interrupted', 'refused')";

type Ended = UsageUpdate & { usage: Usage };

const updateUsage = updateMany<Ended>({
  table: "usage",
  key: ["id", "text", ({ end }) => end.id],
  columns: [
    ...quantities(),
    ["state", "text", ({ end }) => end.state],
    ["cost", "bigint", ({ cost }) => cost],
    ["source", "text", ({ source }) => source],
    ["pocket", "text", ({ pocket }) => pocket],
    ["status", "bigint", ({ end }) => end.status],
    ["reason", "text", ({ end }) => end.reason],
    ["upstream", "text", ({ end }) => end.upstream],
    ["first_byte_ms", "bigint", ({ end }) => end.firstByteMs],
    ["duration_ms", "bigint", ({ end }) => end.durationMs],
    ["attempts", "text", ({ end }) => end.attempts ?? null],
    ["series", "bigint", ({ series }) => series],
    ["our_cost", "bigint", ({ ourCost }) => ourCost],
  ],
  where: STILL_OPEN,
});

const extendUsage: Many<OpenHold> = updateMany({
  table: "usage",
  key: ["id", "text", ({ id }) => id],
  columns: [
    ["hold", "bigint", ({ hold }) => hold],
    ["pocket", "text", ({ pocket }) => pocket],
    ["windows", "text", ({ windows }) => formatWindows(windows)],
  ],
  where: STILL_OPEN,
});

const checkpointUsage = updateMany<Checkpoint>({
  table: "usage",
  key: ["id", "text", ({ id }) => id],
  columns: [...quantities(), ["cost", "bigint", ({ cost }) => cost, "least(new.cost, old.hold)"]],
  where: STILL_OPEN,
});

/** A request is charged once: its ledger line has its name, so that a second one cannot be written. */
const insertLine: Many<Line> = insertMany("ledger", [
  ["id", "text", ({ usageId }) => usageId.replace("req_", "led_")],
  ["account_id", "text", ({ accountId }) => accountId],
  ["kind", "text", () => "charge"],
  ["amount", "bigint", ({ amount }) => amount],
  ["usage_id", "text", ({ usageId }) => usageId],
  ["pocket", "text", ({ pocket }) => pocket],
  ["actor", "text", () => "gateway"],
  ["why", "text", () => ""],
  ["created_at_ms", "bigint", ({ nowMs }) => nowMs],
]);

const updateKey: Many<UsedKey> = updateMany({
  table: "keys",
  key: ["id", "text", ({ key }) => key.id],
  columns: [
    ["spent", "bigint", ({ key }) => key.spent],
    ["held", "bigint", ({ key }) => key.held],
    ["open", "bigint", ({ key }) => key.open],
    ["arrival_ns", "bigint", ({ key }) => key.arrivalNs],
    ["token_arrival_ns", "bigint", ({ key }) => key.tokenArrivalNs],
    ["last_used_at_ms", "bigint", ({ nowMs }) => nowMs],
  ],
});

const updateAccount: Many<Account> = updateMany({
  table: "accounts",
  key: ["id", "text", ({ id }) => id],
  columns: [
    ["balance", "bigint", ({ balance }) => balance],
    ["held", "bigint", ({ held }) => held],
    ["open", "bigint", ({ open }) => open],
    ["arrival_ns", "bigint", ({ arrivalNs }) => arrivalNs],
    ["token_arrival_ns", "bigint", ({ tokenArrivalNs }) => tokenArrivalNs],
  ],
});

const saveWindow: Many<SpendWindow> = insertMany(
  "windows",
  [
    ["owner_id", "text", ({ ownerId }) => ownerId],
    ["period", "text", ({ period }) => period],
    ["start_ms", "bigint", ({ startMs }) => startMs],
    ["spent", "bigint", ({ spent }) => spent],
    ["held", "bigint", ({ held }) => held],
    ["clock_back", "bigint", ({ clockBack }) => flag(clockBack)],
  ],
  ["owner_id", "period"],
);

/** Written while the account is locked, so that nobody else adds to the same sums meanwhile. */
const noteDay = (put: string): Many<SumDay> =>
  insertMany(
    "usage_days",
    [
      ["start_ms", "bigint", ({ startMs }) => startMs],
      ["is_rolled", "bigint", () => 0, put],
    ],
    ["start_ms"],
  );
const noteNewDay = noteDay("usage_days.is_rolled");
const noteLateDay = noteDay("0");

const insertSeries: Many<Series> = insertMany(
  "usage_series",
  [
    ["id", "bigint", ({ id }) => id],
    ["account_id", "text", ({ accountId }) => accountId],
    ["key_id", "text", ({ keyId }) => keyId],
    ["model", "text", ({ model }) => model],
    ["tool", "text", ({ tool }) => tool],
    ["upstream", "text", ({ upstream }) => upstream],
    ["outcome", "text", ({ outcome }) => outcome],
    ["reason", "text", ({ reason }) => reason],
  ],
  ["id"],
);

function added(name: string, of: (sum: Sum) => bigint): Column<Sum> {
  return [name, "bigint", of, `usage_sums.${name} + excluded.${name}`];
}

const addSum: Many<Sum> = insertMany(
  "usage_sums",
  [
    ["series", "bigint", ({ series }) => series],
    ["span", "bigint", ({ span }) => span],
    ["start_ms", "bigint", ({ startMs }) => startMs],
    added("requests", ({ requests }) => requests),
    added("input", ({ input }) => input),
    added("cache_read", ({ cacheRead }) => cacheRead),
    added("cache_write", ({ cacheWrite }) => cacheWrite),
    added("output", ({ output }) => output),
    added("reasoning", ({ reasoning }) => reasoning),
    added("cost", ({ cost }) => cost),
    added("our_cost", ({ ourCost }) => ourCost),
  ],
  ["series", "span", "start_ms"],
);

/**
 * What a batch decided, one statement for each kind of row. The rows are locked, and what was open when they were is
 * open still.
 */
export function statementsOf(
  writes: LedgerWrites,
  { bootId, nowMs, knownSeries }: SaverOptions & { knownSeries: KnownSeries },
): Statement[] {
  const now = nowMs();
  const statements: Statement[] = [];
  const put = <T>(many: Many<T>, rows: readonly T[]) => {
    if (rows.length > 0) statements.push({ sql: many.sql, values: many.values(rows) });
  };
  const inserts = writes.inserts.map(row => ({ ...row, bootId }));
  const updates = writes.updates.map(row => ({ ...row, usage: row.end.usage }));
  const lines = writes.lines.map(line => ({ ...line, nowMs: now }));
  const keys = [...writes.dirtyKeys].map(key => ({ key, nowMs: now }));
  put(insertUsage, inserts);
  put(extendUsage, [...writes.extended]);
  put(updateUsage, updates);
  put(checkpointUsage, newest(writes.checkpoints));
  put(insertLine, lines);
  put(updateKey, keys);
  put(updateAccount, [...writes.dirtyAccounts]);
  put(saveWindow, [...writes.dirtyWindows]);
  const days = knownSeries.newDaysOf(writes.sums, now);
  put(
    noteNewDay,
    days.filter(({ isLate }) => !isLate),
  );
  put(
    noteLateDay,
    days.filter(({ isLate }) => isLate),
  );
  put(insertSeries, knownSeries.newOf(writes.sums));
  put(addSum, writes.sums.sums());
  return statements;
}

/** One statement changes a row once, so of several checkpoints of a stream the last counts. */
function newest(checkpoints: readonly Checkpoint[]): Checkpoint[] {
  return [...new Map(checkpoints.map(point => [point.id, point])).values()];
}
