import type { Price } from "../domain/model.ts";
import type { BasisPoints, Nanos } from "../domain/money.ts";
import type { Usage } from "../domain/usage.ts";
import { emailsOf } from "./account-names.ts";
import { big, text, toPrice, whole } from "./rows.ts";
import type { Tx } from "./tx.ts";
import { toUsage } from "./usage.ts";

/** What was charged, with all that it takes to charge it anew. */
export type ChargedRow = {
  id: string;
  accountId: string;
  groupId: string;
  model: string;
  priceId: string;
  multiplier: BasisPoints;
  usage: Usage;
  cost: Nanos;
};

/** Of a span of ids, which is a span of time. */
export type ChargedSpan = {
  afterId: string;
  beforeId: string;
  /** Rows of either: what neither concerns would stay as it is. */
  groupId: string;
  model: string;
  limit: number;
};

/** In the order of their ids; what was refused or given away is not among them. */
export async function chargedRows(tx: Tx, span: ChargedSpan): Promise<ChargedRow[]> {
  const rows = await tx.all(
    `select id, account_id, group_id, model, price_id, multiplier, cost, input, cache_read, cache_write_5m,
       cache_write_1h, output, reasoning from usage
       where id > ? and id < ? and state in ('settled', 'interrupted') and price_id is not null
         and (group_id = ? or model = ?) order by id limit ?`,
    ...[span.afterId, span.beforeId, span.groupId, span.model, span.limit],
  );
  return rows.map(row => ({
    id: text(row["id"]),
    accountId: text(row["account_id"]),
    groupId: text(row["group_id"]),
    model: text(row["model"]),
    priceId: text(row["price_id"]),
    multiplier: whole(row["multiplier"]),
    usage: toUsage(row),
    cost: big(row["cost"]),
  }));
}

/** Whether a span has more rows than so many, whatever they are: a walk along the ids alone. */
export async function hasMoreRows(
  tx: Tx,
  { afterId, beforeId, than }: { afterId: string; beforeId: string; than: number },
): Promise<boolean> {
  const sql = "select id from usage where id > ? and id < ? order by id limit 1 offset ?";
  return (await tx.all(sql, afterId, beforeId, than)).length > 0;
}

export async function pricesById(tx: Tx, { ids }: { ids: readonly string[] }): Promise<Map<string, Price>> {
  const prices = new Map<string, Price>();
  for (const priceId of ids) {
    const [row] = await tx.all("select * from prices where id = ?", priceId);
    if (row !== undefined) prices.set(priceId, toPrice(row));
  }
  return prices;
}

/** Whose they are, by their ids. */
export function emailsById(tx: Tx, { ids }: { ids: readonly string[] }): Promise<Map<string, string>> {
  return emailsOf(tx, ids);
}
