import type { Database, Statement } from "bun:sqlite";
import type { Account } from "../../domain/account.ts";
import type { ApiKey } from "../../domain/api-key.ts";
import { catalogue, type Reason } from "../../domain/errors.ts";
import type { Group } from "../../domain/group.ts";
import type { Id } from "../../domain/ids.ts";
import { type LedgerRows, ledger, type OpenHold, type Resolution } from "../ledger.ts";
import { big, id, toAccount, toGroup, toKey, whole } from "../rows.ts";
import type { SqlRow, SqlValue } from "../tx.ts";
import { toUsage } from "../usage.ts";
import { saver } from "./save.ts";
import type { Command, Decided } from "./wire.ts";

type Query = Statement<SqlRow, SqlValue[]>;

const RECOVERED_PER_BATCH_MAX = 500;

/** One admission and settlement transaction after another, each for all the commands that came while the last ran. */
export function batcher(db: Database, bootId: Id<"boot">) {
  const query = (sql: string): Query => db.query<SqlRow, SqlValue[]>(sql);
  const begin = query("begin immediate");
  const commit = query("commit");
  const rollback = query("rollback");
  const readRevision = query("select revision from revision");
  const readGroups = query("select * from groups");
  const readKeyByHash = query("select * from keys where hash = ?");
  const readKey = query("select * from keys where id = ?");
  const readAccount = query("select * from accounts where id = ?");
  const readHold = query(
    "select id, key_id, hold, input_tokens_guessed from usage where id = ? and state = 'open'",
  );
  const readOrphans = query(
    `select * from usage where state = 'open' and boot_id = ? order by id limit ${RECOVERED_PER_BATCH_MAX}`,
  );
  const save = saver(db, bootId);
  let groups: { revision: number; byId: Map<Id<"grp">, Group> } = { revision: -1, byId: new Map() };

  /** Groups are kept between batches; the revision, read inside the transaction, tells when they are out of date. */
  function currentGroups(): Map<Id<"grp">, Group> {
    const revision = whole(readRevision.get()?.["revision"]);
    if (revision !== groups.revision) {
      groups = { revision, byId: new Map(readGroups.all().map(row => [id("grp", row["id"]), toGroup(row)])) };
    }
    return groups.byId;
  }

  function loader() {
    const keys = new Map<Id<"key">, ApiKey>();
    const accounts = new Map<Id<"acc">, Account>();
    const rows: LedgerRows = {
      keysByHash: new Map(),
      keys,
      accounts,
      groups: currentGroups(),
      holds: new Map(),
    };
    const keep = (row: SqlRow | null): ApiKey | undefined => {
      if (row === null) return undefined;
      const key = keys.get(id("key", row["id"])) ?? toKey(row);
      keys.set(key.id, key);
      if (!accounts.has(key.accountId)) {
        const account = readAccount.get(key.accountId);
        if (account !== null) accounts.set(key.accountId, toAccount(account));
      }
      return key;
    };
    const loadHold = (hold: OpenHold) => {
      if (!keys.has(hold.keyId)) keep(readKey.get(hold.keyId));
      rows.holds.set(hold.id, hold);
    };
    const load = (command: Command) => {
      if (command.do === "admit") {
        const { keyHash } = command.request;
        if (rows.keysByHash.has(keyHash)) return;
        const key = keep(readKeyByHash.get(keyHash));
        if (key !== undefined) rows.keysByHash.set(keyHash, key);
      } else if (command.do === "settle") {
        const row = readHold.get(command.settlement.id);
        if (row !== null) loadHold(toHold(row));
      }
    };
    return { rows, load, loadHold };
  }

  function run(commands: readonly Command[], onDecided: (decided: Decided[]) => void): void {
    transaction(() => {
      const { rows, load } = loader();
      for (const command of commands) load(command);
      const book = ledger(rows, statusOf);
      const decided: Decided[] = [];
      for (const command of commands) {
        if (command.do === "admit")
          decided.push({ id: command.request.id, admission: book.admit(command.request) });
        else if (command.do === "settle") book.resolve(command.settlement);
        else book.checkpoint(command.checkpoint);
      }
      // The decision is true from here on, because nothing else can write; whether it lasts is told by the commit.
      if (decided.length > 0) onDecided(decided);
      save(book.writes);
    });
  }

  /** Resolves what a process that is no more left open, at what its last checkpoint shows was delivered. */
  function recover(gone: Id<"boot">): number {
    let count = 0;
    for (;;) {
      const found = transaction(() => {
        const { rows, loadHold } = loader();
        const orphans = readOrphans.all(gone);
        for (const row of orphans) loadHold(toHold(row));
        const book = ledger(rows, statusOf);
        for (const row of orphans) book.resolve(interrupted(row));
        save(book.writes);
        return orphans.length;
      });
      count += found;
      if (found < RECOVERED_PER_BATCH_MAX) return count;
    }
  }

  function transaction<T>(work: () => T): T {
    begin.run();
    try {
      const value = work();
      commit.run();
      return value;
    } catch (error) {
      if (db.inTransaction) rollback.run();
      throw error;
    }
  }

  return { run, recover };
}

function statusOf(reason: string): number {
  return catalogue[reason as Reason].status;
}

function toHold(row: SqlRow): OpenHold {
  return {
    id: id("req", row["id"]),
    keyId: id("key", row["key_id"]),
    hold: big(row["hold"]),
    inputTokensGuessed: whole(row["input_tokens_guessed"]),
  };
}

function interrupted(row: SqlRow): Resolution {
  const cost = big(row["cost"]);
  return {
    id: id("req", row["id"]),
    state: "interrupted",
    status: null,
    reason: "interrupted",
    upstream: null,
    usage: toUsage(row),
    cost,
    source: cost > 0n ? "estimated" : null,
    firstByteMs: null,
    durationMs: null,
  };
}
