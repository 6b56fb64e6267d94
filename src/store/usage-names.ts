import { text } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** What the usage log can be filtered by. */

export type SeenNames = {
  keys: { id: string; name: string; isDeleted: boolean }[];
  models: string[];
  tools: string[];
};

const NAMES_MAX = 500;

/** Of one account. */
export async function usageNames(tx: Tx, { accountId }: { accountId: string }): Promise<SeenNames> {
  const seen = (column: Column) => seenIn(tx, { column, accountId, max: NAMES_MAX });
  const keys = await tx.all(
    `select id, name, deleted_at_ms from keys where account_id = ? and (deleted_at_ms is null or id in
      (select key_id from usage_series where account_id = ?)) order by name, id`,
    ...[accountId, accountId],
  );
  return {
    keys: keys.map(row => ({
      id: text(row["id"]),
      name: text(row["name"]),
      isDeleted: row["deleted_at_ms"] !== null,
    })),
    models: await seen("model"),
    tools: await seen("tool"),
  };
}

export type HouseNames = {
  accounts: { id: string; email: string }[];
  models: string[];
  tools: string[];
  upstreams: string[];
};

const HOUSE_NAMES_MAX = 1_000;

/** Of all accounts together. */
export async function houseNames(tx: Tx): Promise<HouseNames> {
  const seen = (column: Column) => seenIn(tx, { column, accountId: null, max: HOUSE_NAMES_MAX });
  const accounts = await tx.all(
    `select id, email from accounts where id in (select account_id from usage_series) order by email
      limit ${HOUSE_NAMES_MAX}`,
  );
  return {
    accounts: accounts.map(row => ({ id: text(row["id"]), email: text(row["email"]) })),
    models: await seen("model"),
    tools: await seen("tool"),
    upstreams: await seen("upstream"),
  };
}

type Column = "model" | "tool" | "upstream";
type Seen = { column: Column; accountId: string | null; max: number };

async function seenIn(tx: Tx, { column, accountId, max }: Seen): Promise<string[]> {
  const rows = await tx.all(
    `select distinct ${column} as name from usage_series where ${accountId === null ? "" : "account_id = ? and"}
      ${column} <> '' order by ${column} limit ${max}`,
    ...(accountId === null ? [] : [accountId]),
  );
  return rows.map(row => text(row["name"]));
}
