import type { Database } from "bun:sqlite";
import type { ApiKey } from "../../domain/api-key.ts";
import type { Group } from "../../domain/group.ts";
import type { Id } from "../../domain/ids.ts";
import type { LedgerRows, LedgerWrites, OpenHold } from "../ledger.ts";
import { big, id, toAccount, toGroup, toKey, whole } from "../rows.ts";
import type { SqlRow, SqlValue } from "../tx.ts";
import type { Command } from "./wire.ts";

/** Reads what a batch needs, each row once. */
export class Loader {
  readonly #readRevision;
  readonly #readGroups;
  readonly #readKeyByHash;
  readonly #readKey;
  readonly #readAccount;
  readonly #readHold;
  #revision = -1;
  #groups: ReadonlyMap<Id<"grp">, Group> = new Map();
  /** Holds that this process made and has not resolved: read from memory, and checked when they are written. */
  readonly #ownHolds = new Map<Id<"req">, OpenHold>();

  constructor(db: Database) {
    const query = (sql: string) => db.query<SqlRow, SqlValue[]>(sql);
    this.#readRevision = query("select revision from revision");
    this.#readGroups = query("select * from groups");
    this.#readKeyByHash = query("select * from keys where hash = ?");
    this.#readKey = query("select * from keys where id = ?");
    this.#readAccount = query("select * from accounts where id = ?");
    this.#readHold = query(
      "select id, key_id, hold, input_tokens_guessed from usage where id = ? and state = 'open'",
    );
  }

  rowsFor(commands: readonly Command[]): LedgerRows {
    const rows = this.#empty();
    for (const command of commands) {
      if (command.do === "admit") this.#loadByHash(rows, command.request.keyHash);
      else if (command.do === "settle") {
        const hold = this.#holdOf(command.settlement.id);
        if (hold !== null) this.#keepHold(rows, hold);
      }
    }
    return rows;
  }

  rowsForHolds(holds: readonly OpenHold[]): LedgerRows {
    const rows = this.#empty();
    for (const hold of holds) this.#keepHold(rows, hold);
    return rows;
  }

  /** After a commit. */
  remember({ inserts, updates }: LedgerWrites): void {
    for (const { request, key, state, hold } of inserts) {
      if (state !== "open") continue;
      const { id: holdId, ask } = request;
      this.#ownHolds.set(holdId, { id: holdId, keyId: key.id, hold, inputTokensGuessed: ask.inputTokens });
    }
    for (const row of updates) this.#ownHolds.delete(row.id);
  }

  /** After a rollback: what is in memory may not be what is in the database. */
  forget(): void {
    this.#ownHolds.clear();
  }

  #holdOf(holdId: Id<"req">): OpenHold | null {
    const own = this.#ownHolds.get(holdId);
    if (own !== undefined) return own;
    const row = this.#readHold.get(holdId);
    return row === null ? null : toHold(row);
  }

  /** Groups are kept between batches; the revision, read inside the transaction, tells when they are out of date. */
  #empty(): LedgerRows {
    const revision = whole(this.#readRevision.get()?.["revision"]);
    if (revision !== this.#revision) {
      this.#groups = new Map(this.#readGroups.all().map(row => [id("grp", row["id"]), toGroup(row)]));
      this.#revision = revision;
    }
    return {
      keysByHash: new Map(),
      keys: new Map(),
      accounts: new Map(),
      groups: this.#groups,
      holds: new Map(),
    };
  }

  #loadByHash(rows: LedgerRows, hash: string): void {
    if (rows.keysByHash.has(hash)) return;
    const row = this.#readKeyByHash.get(hash);
    if (row !== null) rows.keysByHash.set(hash, this.#keepKey(rows, row));
  }

  #keepHold(rows: LedgerRows, hold: OpenHold): void {
    rows.holds.set(hold.id, hold);
    if (rows.keys.has(hold.keyId)) return;
    const row = this.#readKey.get(hold.keyId);
    if (row !== null) this.#keepKey(rows, row);
  }

  #keepKey(rows: LedgerRows, row: SqlRow): ApiKey {
    const key = rows.keys.get(id("key", row["id"])) ?? toKey(row);
    rows.keys.set(key.id, key);
    if (rows.accounts.has(key.accountId)) return key;
    const account = this.#readAccount.get(key.accountId);
    if (account !== null) rows.accounts.set(key.accountId, toAccount(account));
    return key;
  }
}

export function toHold(row: SqlRow): OpenHold {
  return {
    id: id("req", row["id"]),
    keyId: id("key", row["key_id"]),
    hold: big(row["hold"]),
    inputTokensGuessed: whole(row["input_tokens_guessed"]),
  };
}
