import type { Database } from "bun:sqlite";
import type { Account } from "../../domain/account.ts";
import type { ApiKey } from "../../domain/api-key.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Id } from "../../domain/ids.ts";
import { formatWindows, type SpendWindow } from "../../domain/spend-window.ts";
import type { Usage } from "../../domain/usage.ts";
import type { LedgerLine, LedgerWrites, OpenHold, UsageInsert, UsageUpdate } from "../ledger.ts";
import { flag } from "../rows.ts";
import type { Checkpoint } from "../store.ts";
import type { SqlRow, SqlValue } from "../tx.ts";
import { KnownSeries, type SumBook } from "../usage-sums.ts";

export type SaverOptions = Clock & { bootId: Id<"boot"> };

/** What every row begins with, and what nothing is known of yet. */
const ROW =
  "id, account_id, key_id, group_id, boot_id, dialect, stream, model, tool, address, started_at_ms, input_tokens_guessed";
const UNUSED = "input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, cost";
const INSERT_HOLD = `insert into usage (${ROW}, price_id, multiplier, hold, output_tokens_granted, pocket, windows, state,
    ${UNUSED}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', 0, 0, 0, 0, 0, 0, 0)`;
const INSERT_REFUSED = `insert into usage (${ROW}, state, reason, status, particulars, series, hold, ${UNUSED})
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0)`;
const UPDATE_USAGE = `update usage set input = ?, cache_read = ?, cache_write_5m = ?, cache_write_1h = ?, output = ?,
    reasoning = ?, state = ?, cost = ?, source = ?, pocket = ?, status = ?, reason = ?, upstream = ?,
    first_byte_ms = ?, duration_ms = ?, series = ?, our_cost = ? where id = ? and state = 'open'`;
/** Apart, since few have any, and whoever sets a column that an index is about has the index looked at. */
const NOTE_ATTEMPTS = "update usage set attempts = ? where id = ?";
const CHECKPOINT_USAGE = `update usage set input = ?, cache_read = ?, cache_write_5m = ?, cache_write_1h = ?,
    output = ?, reasoning = ?, cost = min(?, hold) where id = ? and state = 'open'`;
const EXTEND_USAGE = "update usage set hold = ?, pocket = ?, windows = ? where id = ? and state = 'open'";
const INSERT_LINE = `insert into ledger (id, account_id, kind, amount, usage_id, pocket, actor, why, created_at_ms)
    values (?, ?, 'charge', ?, ?, ?, 'gateway', '', ?)`;
const UPDATE_KEY = `update keys set spent = ?, held = ?, open = ?, arrival_ns = ?, token_arrival_ns = ?,
    last_used_at_ms = ? where id = ?`;
const UPDATE_ACCOUNT = `update accounts set balance = ?, held = ?, open = ?, arrival_ns = ?, token_arrival_ns = ?
    where id = ?`;
const SAVE_WINDOW = `insert into windows (owner_id, period, start_ms, spent, held, clock_back)
    values (?, ?, ?, ?, ?, ?) on conflict (owner_id, period) do update set start_ms = excluded.start_ms,
    spent = excluded.spent, held = excluded.held, clock_back = excluded.clock_back`;
const INSERT_SERIES = `insert into usage_series (id, account_id, key_id, model, tool, upstream, outcome, reason)
    values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`;
const NOTE_DAY =
  "insert into usage_days (start_ms, is_rolled) values (?, 0) on conflict (start_ms) do nothing";
const NOTE_LATE_DAY = `insert into usage_days (start_ms, is_rolled) values (?, 0)
    on conflict (start_ms) do update set is_rolled = 0`;
const ADD_SUM = `insert into usage_sums (series, span, start_ms, requests, input, cache_read, cache_write, output,
    reasoning, cost, our_cost) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (series, span, start_ms) do update set
    requests = requests + excluded.requests, input = input + excluded.input,
    cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
    output = output + excluded.output, reasoning = reasoning + excluded.reasoning, cost = cost + excluded.cost,
    our_cost = our_cost + excluded.our_cost`;

/** Writes what a batch decided: each key and account once, however many requests touched it. */
export class Saver {
  readonly #options: SaverOptions;
  readonly #insertHold;
  readonly #insertRefused;
  readonly #updateUsage;
  readonly #noteAttempts;
  readonly #checkpointUsage;
  readonly #extendUsage;
  readonly #insertLine;
  readonly #updateKey;
  readonly #updateAccount;
  readonly #saveWindow;
  readonly #insertSeries;
  readonly #noteDay;
  readonly #noteLateDay;
  readonly #addSum;
  readonly #knownSeries = new KnownSeries();

  constructor(db: Database, options: SaverOptions) {
    const query = (sql: string) => db.query<SqlRow, SqlValue[]>(sql);
    this.#options = options;
    this.#insertHold = query(INSERT_HOLD);
    this.#insertRefused = query(INSERT_REFUSED);
    this.#updateUsage = query(UPDATE_USAGE);
    this.#noteAttempts = query(NOTE_ATTEMPTS);
    this.#checkpointUsage = query(CHECKPOINT_USAGE);
    this.#extendUsage = query(EXTEND_USAGE);
    this.#insertLine = query(INSERT_LINE);
    this.#updateKey = query(UPDATE_KEY);
    this.#updateAccount = query(UPDATE_ACCOUNT);
    this.#saveWindow = query(SAVE_WINDOW);
    this.#insertSeries = query(INSERT_SERIES);
    this.#noteDay = query(NOTE_DAY);
    this.#noteLateDay = query(NOTE_LATE_DAY);
    this.#addSum = query(ADD_SUM);
  }

  save(writes: LedgerWrites): void {
    const nowMs = this.#options.nowMs();
    for (const row of writes.inserts) this.#insert(row);
    for (const hold of writes.extended) this.#extend(hold);
    for (const row of writes.updates) this.#update(row);
    for (const point of writes.checkpoints) this.#checkpoint(point);
    for (const line of writes.lines) this.#line(line, nowMs);
    for (const key of writes.dirtyKeys) this.#key(key, nowMs);
    for (const account of writes.dirtyAccounts) this.#account(account);
    for (const window of writes.dirtyWindows) this.#window(window);
    if (!writes.sums.isEmpty) this.#sums(writes.sums, nowMs);
  }

  /** After a commit. */
  remember({ sums }: LedgerWrites): void {
    this.#knownSeries.add(sums);
  }

  #insert(row: UsageInsert): void {
    const { request, key, hold } = row;
    const { ask } = request;
    const begun = [
      request.id,
      key.accountId,
      key.id,
      key.groupId,
      this.#options.bootId,
      request.dialect,
      flag(request.stream),
      ask.model,
      request.tool,
      request.address,
      request.startedAtMs,
      ask.inputTokens,
    ] as const;
    if (hold === null) {
      const { state, reason, status, particulars, series } = row;
      this.#insertRefused.run(...begun, state, reason, status, particulars, series);
    } else {
      const { multiplier, pocket } = hold;
      const windows = formatWindows(hold.windows);
      const priceId = ask.quote?.priceId ?? null;
      this.#insertHold.run(...begun, priceId, multiplier, hold.hold, row.outputTokens, pocket, windows);
    }
  }

  #update({ end, cost, ourCost, source, pocket, series }: UsageUpdate): void {
    const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = end.usage;
    const { changes } = this.#updateUsage.run(
      input,
      cacheRead,
      cacheWrite5m,
      cacheWrite1h,
      output,
      reasoning,
      end.state,
      cost,
      source,
      pocket,
      end.status,
      end.reason,
      end.upstream,
      end.firstByteMs,
      end.durationMs,
      series,
      ourCost,
      end.id,
    );
    demandOpen(end.id, changes);
    if (end.attempts !== undefined) this.#noteAttempts.run(end.attempts, end.id);
  }

  #extend({ id, hold, pocket, windows }: OpenHold): void {
    demandOpen(id, this.#extendUsage.run(hold, pocket, formatWindows(windows), id).changes);
  }

  #checkpoint({ id, usage, cost }: Checkpoint): void {
    this.#checkpointUsage.run(...quantities(usage), cost, id);
  }

  /** A request is charged once: its ledger line has its name, so that a second one cannot be written. */
  #line({ usageId, accountId, amount, pocket }: LedgerLine, nowMs: number): void {
    this.#insertLine.run(usageId.replace("req_", "led_"), accountId, amount, usageId, pocket, nowMs);
  }

  #key(key: ApiKey, nowMs: number): void {
    this.#updateKey.run(key.spent, key.held, key.open, key.arrivalNs, key.tokenArrivalNs, nowMs, key.id);
  }

  #account(account: Account): void {
    const { id, balance, held, open, arrivalNs, tokenArrivalNs } = account;
    this.#updateAccount.run(balance, held, open, arrivalNs, tokenArrivalNs, id);
  }

  #window({ ownerId, period, startMs, spent, held, clockBack }: SpendWindow): void {
    this.#saveWindow.run(ownerId, period, startMs, spent, held, flag(clockBack));
  }

  #sums(sums: SumBook, nowMs: number): void {
    for (const { startMs, isLate } of this.#knownSeries.newDaysOf(sums, nowMs))
      (isLate ? this.#noteLateDay : this.#noteDay).run(startMs);
    for (const { id, accountId, keyId, model, tool, upstream, outcome, reason } of this.#knownSeries.newOf(
      sums,
    ))
      this.#insertSeries.run(id, accountId, keyId, model, tool, upstream, outcome, reason);
    for (const sum of sums.sums()) {
      const { series, span, startMs, requests, input, cacheRead, cacheWrite, output, reasoning, cost } = sum;
      const tokens = [input, cacheRead, cacheWrite, output, reasoning] as const;
      this.#addSum.run(series, span, startMs, requests, ...tokens, cost, sum.ourCost);
    }
  }
}

/** Somebody else resolved it meanwhile: nothing of this batch may stand, and the next try sees the row as it is. */
function demandOpen(id: Id<"req">, changes: number): void {
  if (changes !== 1) throw new Error(`the hold ${id} is not open any more`);
}

function quantities(usage: Usage): [number, number, number, number, number, number] {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  return [input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning];
}
