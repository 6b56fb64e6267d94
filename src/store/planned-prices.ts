import type { Id } from "../domain/ids.ts";
import type { Price } from "../domain/model.ts";
import { describePrice } from "./apply-catalogue.ts";
import { type By, recordChange } from "./audit.ts";
import { editModel } from "./models.ts";
import { id, text, tierRow, toPrice, whole, wholeOrNull } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

const PLANNED_MAX = 20;

export type PlannedPrice = { price: Price; startsAtMs: number; by: string };

/** In the order in which they begin. */
export async function plannedPrices(tx: Tx, of: { modelId: string }): Promise<PlannedPrice[]> {
  const rows = await tx.all(
    "select * from planned_prices where model_id = ? order by starts_at_ms, id",
    of.modelId,
  );
  return rows.map(row => ({
    price: toPrice(row),
    startsAtMs: whole(row["starts_at_ms"]),
    by: text(row["planned_by"]),
  }));
}

export type PlanPrice = { modelId: string; price: Price; startsAtMs: number; by: By };

/** Begins by itself when its time has come; false where there is no such model. */
export async function planPrice(tx: Tx, { modelId, price, startsAtMs, by }: PlanPrice): Promise<boolean> {
  const model = await modelById(tx, modelId);
  if (model === null) return false;
  if ((await plannedPrices(tx, { modelId })).length >= PLANNED_MAX) {
    throw new StoreProblem(`“${model.name}” has ${PLANNED_MAX} planned prices. Take one back first.`, {
      field: "price_from",
    });
  }
  await tx.run(
    `insert into planned_prices (id, model_id, starts_at_ms, planned_by, input, cache_read, cache_write_5m,
       cache_write_1h, output, request, tiers) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[price.id, modelId, startsAtMs, by.actor, price.inputPicos, price.cacheReadPicos],
    ...[price.cacheWrite5mPicos, price.cacheWrite1hPicos, price.outputPicos, price.requestPicos],
    JSON.stringify(price.tiers.map(tierRow)),
  );
  const fields = [["price_from", "", fromText({ price, startsAtMs })]] as const;
  await recordChange(tx, by, { noun: "model", name: model.name, id: modelId, action: "plan", fields });
  return true;
}

export type UnplanPrice = { modelId: string; priceId: string; by: By };

/** Takes back one that has not begun; false where there is none. */
export async function unplanPrice(tx: Tx, { modelId, priceId, by }: UnplanPrice): Promise<boolean> {
  const model = await modelById(tx, modelId);
  const found = (await plannedPrices(tx, { modelId })).find(({ price }) => price.id === priceId);
  if (model === null || found === undefined) return false;
  await tx.run("delete from planned_prices where id = ?", priceId);
  const fields = [["price_from", fromText(found), ""]] as const;
  await recordChange(tx, by, { noun: "model", name: model.name, id: modelId, action: "unplan", fields });
  return true;
}

/** When the next one begins; null where none is planned. */
export async function nextPlanned(tx: Tx): Promise<number | null> {
  const [row] = await tx.all("select min(starts_at_ms) as next from planned_prices");
  return wholeOrNull(row?.["next"]);
}

export type BeginPrices = {
  /** For the versions that they become: newer than any that there is. As many begin at once. */
  ids: readonly Id<"prc">[];
  by: By;
};

/** What is due becomes the price now, once, whichever process does it. Gives how many. */
export async function beginPrices(tx: Tx, { ids, by }: BeginPrices): Promise<{ begun: number }> {
  const rows = await tx.all(
    "select * from planned_prices where starts_at_ms <= ? order by starts_at_ms, id limit ?",
    by.nowMs,
    ids.length,
  );
  let begun = 0;
  for (const [at, row] of rows.entries()) {
    const planned = text(row["id"]);
    const taken = await tx.all("delete from planned_prices where id = ? returning id", planned);
    const newId = ids[at];
    if (taken.length === 0 || newId === undefined) continue;
    const price = { ...toPrice(row), id: newId };
    if (await editModel(tx, { id: text(row["model_id"]), change: { price }, by })) begun += 1;
  }
  return { begun };
}

function fromText({ price, startsAtMs }: Pick<PlannedPrice, "price" | "startsAtMs">): string {
  return `${new Date(startsAtMs).toISOString()}: ${describePrice(price)}`;
}

async function modelById(tx: Tx, modelId: string): Promise<{ id: Id<"mdl">; name: string } | null> {
  const [row] = await tx.all("select id, name from models where id = ? and removed_at_ms is null", modelId);
  return row === undefined ? null : { id: id("mdl", row["id"]), name: text(row["name"]) };
}
