import type { Id } from "../domain/ids.ts";
import type { Price } from "../domain/model.ts";
import { tierRow } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** A price is never changed: a new one is a new row, and usage keeps the one it was charged at. */
export async function insertPrice(
  tx: Tx,
  { price, modelId, nowMs }: { price: Price; modelId: Id<"mdl">; nowMs: number },
): Promise<void> {
  await tx.run(
    `insert into prices (id, model_id, created_at_ms, input, cache_read, cache_write_5m, cache_write_1h, output,
       request, tiers) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[price.id, modelId, nowMs, price.inputPicos, price.cacheReadPicos],
    ...[price.cacheWrite5mPicos, price.cacheWrite1hPicos, price.outputPicos, price.requestPicos],
    JSON.stringify(price.tiers.map(tierRow)),
  );
}
