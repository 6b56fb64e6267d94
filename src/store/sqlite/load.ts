import type { Database } from "bun:sqlite";
import type { ApiKey } from "../../domain/api-key.ts";
import type { Group } from "../../domain/group.ts";
import type { Id } from "../../domain/ids.ts";
import type { Subscription } from "../../domain/plan.ts";
import { windowOfSubscription, windowsOfLimits } from "../../domain/pocket.ts";
import { type WindowName, windowKey } from "../../domain/spend-window.ts";
import type { Command } from "../command.ts";
import { HOLD_COLUMNS, toHold } from "../hold-rows.ts";
import { REPLACED_BY_HASH } from "../keys-replaced.ts";
import type { LedgerRows, LedgerWrites, OpenHold } from "../ledger.ts";
import { SUBSCRIPTIONS_OF_ACCOUNT } from "../plans.ts";
import { id, toAccount, toGroup, toKey, toSubscription, toWindow, whole } from "../rows.ts";
import type { SqlRow, SqlValue } from "../tx.ts";
import { OwnHolds } from "./own-holds.ts";

/** Reads what a batch needs, each row once. */
export class Loader {
  readonly #readRevision;
  readonly #readGroups;
  readonly #readKeyByHash;
  readonly #readReplaced;
  readonly #readKey;
  readonly #readAccount;
  readonly #readHold;
  readonly #readSubscriptions;
  readonly #readWindow;
  #revision = -1;
  #groups: ReadonlyMap<Id<"grp">, Group> = new Map();
  #subscriptions = new Map<Id<"acc">, readonly Subscription[]>();
  readonly #ownHolds = new OwnHolds();

  constructor(db: Database) {
    const query = (sql: string) => db.query<SqlRow, SqlValue[]>(sql);
    this.#readRevision = query("select revision from revision");
    this.#readGroups = query("select * from groups");
    this.#readKeyByHash = query("select * from keys where hash = ?");
    this.#readReplaced = query(REPLACED_BY_HASH);
    this.#readKey = query("select * from keys where id = ?");
    this.#readAccount = query("select * from accounts where id = ?");
    this.#readHold = query(`select ${HOLD_COLUMNS} from usage where id = ? and state = 'open'`);
    this.#readSubscriptions = query(SUBSCRIPTIONS_OF_ACCOUNT);
    this.#readWindow = query("select * from windows where owner_id = ? and period = ?");
  }

  rowsFor(commands: readonly Command[]): LedgerRows {
    const rows = this.#empty();
    for (const command of commands) {
      if (command.do === "admit") this.#loadByHash(rows, command.request.keyHash);
      else if (command.do === "settle") this.#loadHold(rows, command.settlement.id);
      else if (command.do === "extend") this.#loadHold(rows, command.extension.id);
    }
    return rows;
  }

  rowsForHolds(holds: readonly OpenHold[]): LedgerRows {
    const rows = this.#empty();
    for (const hold of holds) this.#keepHold(rows, hold);
    return rows;
  }

  /** After a commit. */
  remember(writes: LedgerWrites): void {
    this.#ownHolds.remember(writes);
  }

  /** After a rollback. */
  forget(): void {
    this.#ownHolds.forget();
  }

  /** Catalogue rows are kept between batches; the revision, read inside the transaction, tells when they are old. */
  #empty(): LedgerRows {
    const revision = whole(this.#readRevision.get()?.["revision"]);
    if (revision !== this.#revision) {
      this.#groups = new Map(this.#readGroups.all().map(row => [id("grp", row["id"]), toGroup(row)]));
      this.#subscriptions = new Map();
      this.#revision = revision;
    }
    return {
      keysByHash: new Map(),
      replaced: new Map(),
      keys: new Map(),
      accounts: new Map(),
      groups: this.#groups,
      subscriptions: this.#subscriptions,
      windows: new Map(),
      holds: new Map(),
    };
  }

  #loadByHash(rows: LedgerRows, hash: string): void {
    if (rows.keysByHash.has(hash)) return;
    const row = this.#readKeyByHash.get(hash);
    if (row !== null) rows.keysByHash.set(hash, this.#keepKey(rows, row));
    else this.#loadReplaced(rows, hash);
  }

  #loadReplaced(rows: LedgerRows, hash: string): void {
    if (rows.replaced.has(hash)) return;
    const row = this.#readReplaced.get(hash);
    if (row === null) return;
    rows.replaced.set(hash, { key: this.#keepKey(rows, row), untilMs: whole(row["until_ms"]) });
  }

  #loadHold(rows: LedgerRows, holdId: Id<"req">): void {
    const own = this.#ownHolds.get(holdId);
    const row = own === undefined ? this.#readHold.get(holdId) : null;
    const hold = own ?? (row === null ? null : toHold(row));
    if (hold !== null) this.#keepHold(rows, hold);
  }

  #keepHold(rows: LedgerRows, hold: OpenHold): void {
    rows.holds.set(hold.id, hold);
    for (const counted of hold.windows) this.#loadWindow(rows, counted);
    if (rows.keys.has(hold.keyId)) return;
    const row = this.#readKey.get(hold.keyId);
    if (row !== null) this.#keepKey(rows, row);
  }

  /** With all that may pay for its requests or limit what they spend. */
  #keepKey(rows: LedgerRows, row: SqlRow): ApiKey {
    const known = rows.keys.get(id("key", row["id"]));
    if (known !== undefined) return known;
    const key = toKey(row);
    rows.keys.set(key.id, key);
    let account = rows.accounts.get(key.accountId);
    if (account === undefined) {
      const found = this.#readAccount.get(key.accountId);
      if (found === null) return key;
      account = toAccount(found);
      rows.accounts.set(key.accountId, account);
    }
    const group = this.#groups.get(key.groupId);
    if (group === undefined) return key;
    for (const name of windowsOfLimits({ key, account, group })) this.#loadWindow(rows, name);
    if (group.billing === "balance") return key;
    for (const one of this.#subscriptionsOf(account.id)) this.#loadWindow(rows, windowOfSubscription(one));
    return key;
  }

  #subscriptionsOf(accountId: Id<"acc">): readonly Subscription[] {
    const known = this.#subscriptions.get(accountId);
    if (known !== undefined) return known;
    const found = this.#readSubscriptions.all(accountId).map(toSubscription);
    this.#subscriptions.set(accountId, found);
    return found;
  }

  #loadWindow(rows: LedgerRows, name: WindowName): void {
    const key = windowKey(name);
    if (rows.windows.has(key)) return;
    const row = this.#readWindow.get(name.ownerId, name.period);
    if (row !== null) rows.windows.set(key, toWindow(row));
  }
}
