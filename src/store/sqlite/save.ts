import type { Database } from "bun:sqlite";
import type { Account } from "../../domain/account.ts";
import type { ApiKey } from "../../domain/api-key.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Id } from "../../domain/ids.ts";
import type { Usage } from "../../domain/usage.ts";
import type { LedgerLine, LedgerWrites, UsageInsert, UsageUpdate } from "../ledger.ts";
import { flag } from "../rows.ts";
import type { Checkpoint } from "../store.ts";
import type { SqlRow, SqlValue } from "../tx.ts";

export type SaverOptions = Clock & { bootId: Id<"boot"> };

const INSERT_USAGE = `insert into usage (id, account_id, key_id, group_id, boot_id, state, reason, status, dialect,
    stream, model, tool, address, started_at_ms, price_id, multiplier, hold, output_tokens_granted,
    input_tokens_guessed, input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, cost)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0)`;
const UPDATE_USAGE = `update usage set input = ?, cache_read = ?, cache_write_5m = ?, cache_write_1h = ?, output = ?,
    reasoning = ?, state = ?, cost = ?, source = ?, pocket = ?, status = ?, reason = ?, upstream = ?,
    first_byte_ms = ?, duration_ms = ? where id = ? and state = 'open'`;
const CHECKPOINT_USAGE = `update usage set input = ?, cache_read = ?, cache_write_5m = ?, cache_write_1h = ?,
    output = ?, reasoning = ?, cost = min(?, hold) where id = ? and state = 'open'`;
const INSERT_LINE = `insert into ledger (id, account_id, kind, amount, usage_id, actor, why, created_at_ms)
    values (?, ?, 'charge', ?, ?, 'gateway', '', ?)`;
const UPDATE_KEY = `update keys set spent = ?, held = ?, open = ?, arrival_ns = ?, token_arrival_ns = ?,
    last_used_at_ms = ? where id = ?`;
const UPDATE_ACCOUNT = "update accounts set balance = ?, held = ? where id = ?";

/** Writes what a batch decided: each key and account once, however many requests touched it. */
export class Saver {
  readonly #options: SaverOptions;
  readonly #insertUsage;
  readonly #updateUsage;
  readonly #checkpointUsage;
  readonly #insertLine;
  readonly #updateKey;
  readonly #updateAccount;

  constructor(db: Database, options: SaverOptions) {
    const query = (sql: string) => db.query<SqlRow, SqlValue[]>(sql);
    this.#options = options;
    this.#insertUsage = query(INSERT_USAGE);
    this.#updateUsage = query(UPDATE_USAGE);
    this.#checkpointUsage = query(CHECKPOINT_USAGE);
    this.#insertLine = query(INSERT_LINE);
    this.#updateKey = query(UPDATE_KEY);
    this.#updateAccount = query(UPDATE_ACCOUNT);
  }

  save(writes: LedgerWrites): void {
    const nowMs = this.#options.nowMs();
    for (const row of writes.inserts) this.#insert(row);
    for (const row of writes.updates) this.#update(row);
    for (const point of writes.checkpoints) this.#checkpoint(point);
    for (const line of writes.lines) this.#line(line, nowMs);
    for (const key of writes.dirtyKeys) this.#key(key, nowMs);
    for (const account of writes.dirtyAccounts) this.#account(account);
  }

  #insert({ request, key, state, hold, multiplier, outputTokens, reason, status }: UsageInsert): void {
    const { ask } = request;
    this.#insertUsage.run(
      request.id,
      key.accountId,
      key.id,
      key.groupId,
      this.#options.bootId,
      state,
      reason,
      status,
      request.dialect,
      flag(request.stream),
      ask.model,
      request.tool,
      request.address,
      request.startedAtMs,
      state === "open" ? (ask.quote?.priceId ?? null) : null,
      multiplier,
      hold,
      outputTokens,
      ask.inputTokens,
    );
  }

  #update(row: UsageUpdate): void {
    const { state, cost, source, pocket, status, reason, upstream, firstByteMs, durationMs, id } = row;
    const rest = [
      state,
      cost,
      source,
      pocket,
      status,
      reason,
      upstream,
      firstByteMs,
      durationMs,
      id,
    ] as const;
    const { changes } = this.#updateUsage.run(...quantities(row.usage), ...rest);
    // Somebody else resolved it meanwhile: nothing of this batch may stand, and the next try sees the row as it is.
    if (changes !== 1) throw new Error(`the hold ${id} is not open any more`);
  }

  #checkpoint({ id, usage, cost }: Checkpoint): void {
    this.#checkpointUsage.run(...quantities(usage), cost, id);
  }

  /** A request is charged once: its ledger line has its name, so that a second one cannot be written. */
  #line({ usageId, accountId, amount }: LedgerLine, nowMs: number): void {
    this.#insertLine.run(usageId.replace("req_", "led_"), accountId, amount, usageId, nowMs);
  }

  #key(key: ApiKey, nowMs: number): void {
    this.#updateKey.run(key.spent, key.held, key.open, key.arrivalNs, key.tokenArrivalNs, nowMs, key.id);
  }

  #account(account: Account): void {
    this.#updateAccount.run(account.balance, account.held, account.id);
  }
}

function quantities(usage: Usage): [number, number, number, number, number, number] {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  return [input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning];
}
