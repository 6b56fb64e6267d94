import type { Group } from "../../domain/group.ts";
import type { Id } from "../../domain/ids.ts";
import type { Subscription } from "../../domain/plan.ts";
import { windowKey } from "../../domain/spend-window.ts";
import type { Command } from "../command.ts";
import { HOLD_COLUMNS, toHold } from "../hold-rows.ts";
import type { LedgerRows, LedgerWrites } from "../ledger.ts";
import { SUBSCRIPTIONS } from "../plans.ts";
import { id, text, toAccount, toGroup, toKey, toSubscription, toWindow, whole } from "../rows.ts";
import type { SqlRow } from "../tx.ts";
import type { Connection } from "./connect.ts";

/**
 * A key's account never changes, and a string is never given to another key, so both are remembered. Whether it is the
 * key's present string is read with the key's row, every time.
 */
type KnownKey = { id: Id<"key">; accountId: Id<"acc"> };

const KNOWN_KEYS_MAX = 100_000;

/**
 * Reads what a batch needs, in two round trips: whose rows they are, where that is not known yet, and then the rows,
 * locked. Accounts are locked before their keys, both by rising id, so that no two batches wait for each other.
 */
export class Loader {
  #revision = -1;
  #groups: ReadonlyMap<Id<"grp">, Group> = new Map();
  #subscriptions = new Map<Id<"acc">, readonly Subscription[]>();
  readonly #byHash = new Map<string, KnownKey>();
  readonly #byId = new Map<Id<"key">, KnownKey>();
  /** Whose the holds are that this process made and has not resolved. */
  readonly #ownHolds = new Map<Id<"req">, Id<"key">>();

  async rowsFor(connection: Connection, commands: readonly Command[]): Promise<LedgerRows> {
    const hashes = new Set<string>();
    const holdIds = new Set<Id<"req">>();
    for (const command of commands) {
      if (command.do === "admit") hashes.add(command.request.keyHash);
      else if (command.do === "settle") holdIds.add(command.settlement.id);
      else if (command.do === "extend") holdIds.add(command.extension.id);
    }
    const strangeHolds = [...holdIds].filter(holdId => !this.#ownHolds.has(holdId));
    const keyIds = new Set([...holdIds].flatMap(holdId => this.#ownHolds.get(holdId) ?? []));
    await Promise.all([
      this.#lookUpHashes(
        connection,
        [...hashes].filter(hash => !this.#byHash.has(hash)),
      ),
      this.#lookUpHolds(connection, strangeHolds, keyIds),
    ]);
    for (const hash of hashes) {
      const known = this.#byHash.get(hash);
      if (known !== undefined) keyIds.add(known.id);
    }
    const rows = await this.#lock(connection, [...keyIds], [...holdIds]);
    await this.#readWindowsOfHolds(connection, rows);
    await this.#readReplaced(
      connection,
      rows,
      [...hashes].filter(hash => !rows.keysByHash.has(hash)),
    );
    return rows;
  }

  /** Whatever is not the present string of a key that is locked now. */
  async #readReplaced(connection: Connection, rows: LedgerRows, hashes: readonly string[]): Promise<void> {
    const known = hashes.filter(hash => this.#byHash.has(hash));
    if (known.length === 0) return;
    const sql = "select hash, key_id, until_ms from replaced_strings where hash = any($1::text[])";
    for (const row of await connection.query(sql, [known])) {
      const key = rows.keys.get(id("key", row["key_id"]));
      if (key !== undefined) rows.replaced.set(text(row["hash"]), { key, untilMs: whole(row["until_ms"]) });
    }
  }

  async rowsForHolds(connection: Connection, holdIds: readonly Id<"req">[]): Promise<LedgerRows> {
    const keyIds = new Set<Id<"key">>();
    await this.#lookUpHolds(connection, holdIds, keyIds);
    const rows = await this.#lock(connection, [...keyIds], holdIds);
    await this.#readWindowsOfHolds(connection, rows);
    return rows;
  }

  /** After a commit. */
  remember({ inserts, updates }: LedgerWrites): void {
    for (const { hold } of inserts) if (hold !== null) this.#ownHolds.set(hold.id, hold.keyId);
    for (const { end } of updates) this.#ownHolds.delete(end.id);
  }

  async #lookUpHashes(connection: Connection, hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    const found = await connection.query(
      `select id, account_id, hash from keys where hash = any($1::text[])
        union all select keys.id, keys.account_id, replaced_strings.hash from replaced_strings
          join keys on keys.id = replaced_strings.key_id where replaced_strings.hash = any($1::text[])`,
      [hashes],
    );
    if (this.#byHash.size + found.length > KNOWN_KEYS_MAX) {
      this.#byHash.clear();
      this.#byId.clear();
    }
    for (const row of found) this.#byHash.set(text(row["hash"]), this.#know(row["id"], row["account_id"]));
  }

  async #lookUpHolds(
    connection: Connection,
    holdIds: readonly Id<"req">[],
    keyIds: Set<Id<"key">>,
  ): Promise<void> {
    if (holdIds.length === 0) return;
    const sql = "select key_id, account_id from usage where id = any($1::text[])";
    for (const row of await connection.query(sql, [holdIds]))
      keyIds.add(this.#know(row["key_id"], row["account_id"]).id);
  }

  #know(keyId: SqlRow[string] | undefined, accountId: SqlRow[string] | undefined): KnownKey {
    const known = { id: id("key", keyId), accountId: id("acc", accountId) };
    this.#byId.set(known.id, known);
    return known;
  }

  async #lock(
    connection: Connection,
    keyIds: readonly Id<"key">[],
    holdIds: readonly Id<"req">[],
  ): Promise<LedgerRows> {
    const accountIds = [...new Set(keyIds.flatMap(keyId => this.#byId.get(keyId)?.accountId ?? []))];
    const subscribed = accountIds.flatMap(accountId => this.#subscriptions.get(accountId) ?? []);
    const owners = [...keyIds, ...accountIds, ...subscribed.map(one => one.id)];
    const [accounts, keys, revisions, windows, holds] = await Promise.all([
      connection.query("select * from accounts where id = any($1::text[]) order by id for update", [
        accountIds,
      ]),
      connection.query("select * from keys where id = any($1::text[]) order by id for update", [keyIds]),
      // With a value, so that it is prepared.
      connection.query("select revision from revision where one = $1", [1]),
      readWindows(connection, owners),
      holdIds.length === 0 ? [] : readHolds(connection, holdIds),
    ]);
    await this.#refresh(connection, whole(revisions[0]?.["revision"]));
    const keysByHash = new Map(keys.map(row => [text(row["hash"]), toKey(row)]));
    const rows: LedgerRows = {
      keysByHash,
      replaced: new Map(),
      keys: new Map([...keysByHash.values()].map(key => [key.id, key])),
      accounts: new Map(accounts.map(row => [id("acc", row["id"]), toAccount(row)])),
      groups: this.#groups,
      subscriptions: this.#subscriptions,
      windows: new Map(windows.map(toWindow).map(window => [windowKey(window), window])),
      holds: new Map(holds.map(toHold).map(hold => [hold.id, hold])),
    };
    await this.#subscribe(connection, rows);
    return rows;
  }

  /** Catalogue rows are kept between batches; the revision, read inside the transaction, tells when they are old. */
  async #refresh(connection: Connection, revision: number): Promise<void> {
    if (revision === this.#revision) return;
    const groups = await connection.query("select * from groups");
    this.#groups = new Map(groups.map(row => [id("grp", row["id"]), toGroup(row)]));
    this.#subscriptions = new Map();
    this.#revision = revision;
  }

  /** A hold can count in a window that its key's group does not lead to any more. */
  async #readWindowsOfHolds(connection: Connection, { holds, windows }: LedgerRows): Promise<void> {
    const missing = new Set<string>();
    for (const hold of holds.values())
      for (const counted of hold.windows) if (!windows.has(windowKey(counted))) missing.add(counted.ownerId);
    if (missing.size === 0) return;
    for (const window of (await readWindows(connection, [...missing])).map(toWindow))
      windows.set(windowKey(window), window);
  }

  /** Only accounts with a key that a subscription may pay for have theirs read, once for each revision. */
  async #subscribe(connection: Connection, rows: LedgerRows): Promise<void> {
    const missing = new Set<Id<"acc">>();
    for (const { accountId, groupId } of rows.keys.values()) {
      const billing = this.#groups.get(groupId)?.billing ?? "balance";
      if (billing !== "balance" && !this.#subscriptions.has(accountId)) missing.add(accountId);
    }
    if (missing.size === 0) return;
    const sql = `${SUBSCRIPTIONS} where subscriptions.account_id = any($1::text[])`;
    const found = (await connection.query(sql, [[...missing]])).map(toSubscription);
    for (const accountId of missing)
      this.#subscriptions.set(
        accountId,
        found.filter(one => one.accountId === accountId),
      );
    for (const window of (
      await readWindows(
        connection,
        found.map(one => one.id),
      )
    ).map(toWindow))
      rows.windows.set(windowKey(window), window);
  }
}

function readWindows(connection: Connection, owners: readonly string[]): Promise<SqlRow[]> {
  return connection.query("select * from windows where owner_id = any($1::text[])", [owners]);
}

/**
 * Read when their accounts are locked, so that nobody resolves them meanwhile. By their names alone: the index of open
 * rows is full of those that were open a moment ago, until the server tidies it.
 */
async function readHolds(connection: Connection, holdIds: readonly Id<"req">[]): Promise<SqlRow[]> {
  const sql = `select ${HOLD_COLUMNS}, state from usage where id = any($1::text[])`;
  return (await connection.query(sql, [holdIds])).filter(row => row["state"] === "open");
}
