import type { Database } from "bun:sqlite";
import type { Id } from "../../domain/ids.ts";
import type { LedgerWrites, UsageInsert, UsageUpdate } from "../ledger.ts";
import { flag } from "../rows.ts";
import type { SqlRow, SqlValue } from "../tx.ts";

/** Writes what a batch decided: each key and account once, however many requests touched it. */
export function saver(db: Database, bootId: Id<"boot">): (writes: LedgerWrites) => void {
  const query = (sql: string) => db.query<SqlRow, SqlValue[]>(sql);
  const insertUsage = query(
    `insert into usage (id, account_id, key_id, group_id, boot_id, state, reason, status, dialect, stream, model, tool,
       address, started_at_ms, price_id, multiplier, hold, output_tokens_granted, input_tokens_guessed,
       input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, cost)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0)`,
  );
  const updateUsage = query(
    `update usage set state = ?, input = ?, cache_read = ?, cache_write_5m = ?, cache_write_1h = ?, output = ?,
       reasoning = ?, cost = ?, source = ?, pocket = ?, status = ?, reason = ?, upstream = ?, first_byte_ms = ?,
       duration_ms = ? where id = ?`,
  );
  const checkpointUsage = query(
    `update usage set input = ?, cache_read = ?, cache_write_5m = ?, cache_write_1h = ?, output = ?, reasoning = ?,
       cost = min(?, hold) where id = ? and state = 'open'`,
  );
  const insertLine = query(
    `insert into ledger (id, account_id, kind, amount, usage_id, actor, why, created_at_ms)
       values (?, ?, 'charge', ?, ?, 'gateway', '', ?)`,
  );
  const updateKey = query(
    "update keys set spent = ?, held = ?, open = ?, arrival_ns = ?, token_arrival_ns = ?, last_used_at_ms = ? where id = ?",
  );
  const updateAccount = query("update accounts set balance = ?, held = ? where id = ?");

  function insert({ request, key, ...row }: UsageInsert): void {
    const { ask } = request;
    insertUsage.run(
      ...[
        request.id,
        key.accountId,
        key.id,
        key.groupId,
        bootId,
        row.state,
        row.reason,
        row.status,
        request.dialect,
      ],
      ...[flag(request.stream), ask.model, request.tool, request.address, request.startedAtMs],
      ...[
        row.state === "open" ? (ask.quote?.priceId ?? null) : null,
        row.multiplier,
        row.hold,
        row.outputTokens,
      ],
      ask.inputTokens,
    );
  }

  function update({ usage, ...row }: UsageUpdate): void {
    updateUsage.run(
      ...[row.state, usage.input, usage.cacheRead, usage.cacheWrite5m, usage.cacheWrite1h, usage.output],
      ...[usage.reasoning, row.cost, row.source, row.pocket, row.status, row.reason, row.upstream],
      ...[row.firstByteMs, row.durationMs, row.id],
    );
  }

  return writes => {
    const nowMs = Date.now();
    for (const row of writes.inserts) insert(row);
    for (const row of writes.updates) update(row);
    for (const { id, usage, cost } of writes.checkpoints) {
      checkpointUsage.run(
        ...[
          usage.input,
          usage.cacheRead,
          usage.cacheWrite5m,
          usage.cacheWrite1h,
          usage.output,
          usage.reasoning,
        ],
        ...[cost, id],
      );
    }
    for (const line of writes.lines) {
      // A request is charged once: its ledger line has its name, so that a second one cannot be written.
      insertLine.run(line.usageId.replace("req_", "led_"), line.accountId, line.amount, line.usageId, nowMs);
    }
    for (const key of writes.dirtyKeys) {
      updateKey.run(key.spent, key.held, key.open, key.arrivalNs, key.tokenArrivalNs, nowMs, key.id);
    }
    for (const account of writes.dirtyAccounts) updateAccount.run(account.balance, account.held, account.id);
  };
}
