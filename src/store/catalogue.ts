import type { Catalogue, Credential, Upstream } from "../domain/catalogue.ts";
import type { Id } from "../domain/ids.ts";
import type { Model, Price } from "../domain/model.ts";
import { big, id, text, toGroup, toPrice, toUpstream, whole, wholeOrNull } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";

/** Counted up by every change that a running gateway must notice: catalogue, key states, account states. */
export async function revision(tx: Tx): Promise<number> {
  const [row] = await tx.all("select revision from revision");
  return whole(row?.["revision"]);
}

export async function bump(tx: Tx): Promise<void> {
  await tx.run("update revision set revision = revision + 1");
}

export async function readCatalogue(tx: Tx): Promise<Catalogue> {
  const groups = (await tx.all("select * from groups where removed_at_ms is null order by name")).map(
    toGroup,
  );
  const prices = await currentPrices(tx);
  const found = await tx.all("select * from models where removed_at_ms is null order by name");
  const models = found.map(row => toModel(row, prices));
  const upstreams = await readUpstreams(tx);
  return {
    revision: await revision(tx),
    groups: new Map(groups.map(group => [group.id, group])),
    models: new Map(models.map(model => [model.name, model])),
    upstreams,
  };
}

/** Every upstream with its credentials, in the order in which requests choose. */
export async function readUpstreams(tx: Tx): Promise<Upstream[]> {
  const rows = await tx.all("select * from upstreams order by priority, name");
  const sealed = await tx.all("select id, upstream_id, sealed from credentials order by id");
  const byUpstream = Map.groupBy(sealed, row => text(row["upstream_id"]));
  return rows.map(row => toUpstream(row, (byUpstream.get(text(row["id"])) ?? []).map(toCredential)));
}

function toCredential({ id: crd, sealed }: SqlRow): Credential {
  return { id: id("crd", crd), sealed: sealed instanceof Uint8Array ? sealed : new Uint8Array() };
}

/** The newest version of each model's price. */
export async function currentPrices(tx: Tx): Promise<Map<Id<"mdl">, Price>> {
  const rows = await tx.all(
    "select * from prices where id in (select max(id) from prices group by model_id) order by model_id",
  );
  return new Map(rows.map(row => [id("mdl", row["model_id"]), toPrice(row)]));
}

function toModel(row: SqlRow, prices: Map<Id<"mdl">, Price>): Model {
  const modelId = id("mdl", row["id"]);
  const price = prices.get(modelId);
  return {
    id: modelId,
    name: text(row["name"]),
    contextTokens: wholeOrNull(row["context_tokens"]),
    outputTokensMax: wholeOrNull(row["output_tokens_max"]),
    createdAtMs: Number(big(row["created_at_ms"])),
    price: price ?? null,
  };
}
