import type { Price } from "../domain/model.ts";
import type { BasisPoints, Nanos } from "../domain/money.ts";
import type { Usage } from "../domain/usage.ts";
import { big, text, toPrice, whole } from "./rows.ts";
import type { Tx } from "./tx.ts";
import { toUsage } from "./usage.ts";

/** What a resolved row says of its cost: enough to compute it again. */
export type Receipt = {
  id: string;
  usage: Usage;
  multiplier: BasisPoints;
  hold: Nanos;
  cost: Nanos;
  priceId: string;
  /** Null where the version that it names is not there. */
  price: Price | null;
};

export type ReceiptPage = { after: string; limit: number };

const COLUMNS = `id, price_id, multiplier, hold, cost, input, cache_read, cache_write_5m, cache_write_1h, output,
  reasoning`;
/** A row that was interrupted before its first checkpoint used nothing that is known, and costs nothing. */
const CHARGEABLE = `(state = 'settled'
  or (state = 'interrupted' and (cost <> 0 or input + cache_read + cache_write_5m + cache_write_1h + output <> 0)))`;

/** In the order of their ids; the next page begins after the last id of this one. */
export async function receiptPage(tx: Tx, { after, limit }: ReceiptPage): Promise<Receipt[]> {
  const rows = await tx.all(
    `select ${COLUMNS} from usage where ${CHARGEABLE} and id > ? order by id limit ?`,
    ...[after, limit],
  );
  const prices = new Map<string, Price | null>();
  for (const priceId of new Set(rows.map(row => text(row["price_id"])))) {
    const [found] = await tx.all("select * from prices where id = ?", priceId);
    prices.set(priceId, found === undefined ? null : toPrice(found));
  }
  return rows.map(row => {
    const priceId = text(row["price_id"]);
    const money = { hold: big(row["hold"]), cost: big(row["cost"]) };
    const price = prices.get(priceId) ?? null;
    return {
      id: text(row["id"]),
      usage: toUsage(row),
      multiplier: whole(row["multiplier"]),
      ...money,
      priceId,
      price,
    };
  });
}

/** For whoever shows how far a walk along them is. */
export async function receiptCount(tx: Tx, _args: Record<string, never>): Promise<number> {
  const [row] = await tx.all(`select count(*) as n from usage where ${CHARGEABLE}`);
  return whole(row?.["n"]);
}
