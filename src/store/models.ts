import type { Catalogue } from "../domain/catalogue.ts";
import type { Price } from "../domain/model.ts";
import type { ModelSpec } from "./apply.ts";
import { applyOne, demandFreeName } from "./apply-one.ts";
import { type By, recordChange } from "./audit.ts";
import { bump, readCatalogue } from "./catalogue.ts";
import { setAside } from "./removal.ts";
import { id, text, toPrice, whole, wholeOrNull } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** The catalogue, and since when each price of it holds, by the price's id. */
export type DatedCatalogue = { catalogue: Catalogue; since: ReadonlyMap<string, number> };

export async function datedCatalogue(tx: Tx, _args: Record<string, never>): Promise<DatedCatalogue> {
  const rows = await tx.all(
    "select id, created_at_ms from prices where id in (select max(id) from prices group by model_id)",
  );
  const since = new Map(rows.map(row => [text(row["id"]), whole(row["created_at_ms"])]));
  return { catalogue: await readCatalogue(tx), since };
}

export type PriceVersion = { price: Price; sinceMs: number };

/** Every version, newest first; null where there is no such model. */
export async function priceVersions(tx: Tx, of: { modelId: string }): Promise<PriceVersion[] | null> {
  const [model] = await tx.all("select id from models where id = ? and removed_at_ms is null", of.modelId);
  if (model === undefined) return null;
  const rows = await tx.all("select * from prices where model_id = ? order by id desc", of.modelId);
  return rows.map(row => ({ price: toPrice(row), sinceMs: whole(row["created_at_ms"]) }));
}

export async function createModel(tx: Tx, { spec, by }: { spec: ModelSpec; by: By }): Promise<void> {
  await demandFreeName(tx, { table: "models", name: spec.name });
  await applyOne(tx, by, { models: [spec] });
}

export type ModelEdit = { id: string; change: Partial<Omit<ModelSpec, "id" | "name">>; by: By };

/** Changes what is given and leaves the rest; false where there is no such model. */
export async function editModel(tx: Tx, { id: modelId, change, by }: ModelEdit): Promise<boolean> {
  const [row] = await tx.all("select * from models where id = ? and removed_at_ms is null", modelId);
  if (row === undefined) return false;
  const before: ModelSpec = {
    id: id("mdl", row["id"]),
    name: text(row["name"]),
    contextTokens: wholeOrNull(row["context_tokens"]),
    outputTokensMax: wholeOrNull(row["output_tokens_max"]),
    price: null,
  };
  await applyOne(tx, by, { models: [{ ...before, ...change }] });
  return true;
}

export type PriceEdit = { model: string; price: Price };

/** New prices of models that are there; those that are as they were stay. Gives how many are new. */
export async function editPrices(
  tx: Tx,
  { prices, by }: { prices: readonly PriceEdit[]; by: By },
): Promise<{ changed: number }> {
  const before = await priceCount(tx);
  for (const [at, { model, price }] of prices.entries()) {
    const [row] = await tx.all("select id from models where name = ?", model);
    if (row === undefined) {
      throw new StoreProblem(`There is no model “${model}” any more.`, { field: `prices.${at}.model` });
    }
    await editModel(tx, { id: text(row["id"]), change: { price }, by });
  }
  return { changed: (await priceCount(tx)) - before };
}

async function priceCount(tx: Tx): Promise<number> {
  const [row] = await tx.all("select count(*) as versions from prices");
  return whole(row?.["versions"]);
}

/** One that no upstream serves; its prices stay for the receipts. False where there is no such model. */
export async function removeModel(tx: Tx, { id: modelId, by }: { id: string; by: By }): Promise<boolean> {
  const { models, upstreams } = await readCatalogue(tx);
  const model = [...models.values()].find(one => one.id === modelId);
  if (model === undefined) return false;
  const serving = upstreams.filter(upstream => upstream.models.has(model.name)).map(({ name }) => name);
  if (serving.length > 0) {
    const names = serving.map(name => `“${name}”`).join(", ");
    throw new StoreProblem(`The model “${model.name}” is served by ${names}. Take it out there first.`);
  }
  await setAside(tx, { table: "models", id: model.id, name: model.name, nowMs: by.nowMs });
  await bump(tx);
  await recordChange(tx, by, { noun: "model", name: model.name, id: model.id, action: "remove", fields: [] });
  return true;
}
