import type { Upstream } from "../domain/catalogue.ts";
import type { ApplyContext, ApplySpec, ModelSpec } from "./apply.ts";
import { applyUpstream } from "./apply-catalogue.ts";
import { bump } from "./catalogue.ts";
import { insertPrice } from "./prices.ts";
import { text, toUpstream } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** An upstream as it may be shown: its credential is told of, never told. */
export type UpstreamListing = Omit<Upstream, "credential"> & { hasCredential: boolean };

export async function listUpstreams(tx: Tx): Promise<UpstreamListing[]> {
  const rows = await tx.all("select * from upstreams order by priority, name");
  return rows.map(row => {
    const { credential, ...shown } = toUpstream(row);
    return { ...shown, hasCredential: credential !== null };
  });
}

/** The names of models that were not known before. */
export type AddedUpstream = { newModels: string[] };

/** New or not at all. Models that are known already keep what they have, their prices above all. */
export async function addUpstream(tx: Tx, spec: ApplySpec): Promise<AddedUpstream> {
  const context: ApplyContext = { tx, spec, changes: [], problems: [] };
  for (const [at, upstream] of spec.upstreams.entries()) {
    if ((await tx.all("select id from upstreams where name = ?", upstream.name)).length > 0) {
      throw new StoreProblem(
        `There is an upstream “${upstream.name}” already: change it with wicketgate apply, remove it first, or choose another name.`,
      );
    }
    await applyUpstream(context, upstream, at);
  }
  const known = new Set((await tx.all("select name from models")).map(row => text(row["name"])));
  const fresh = spec.models.filter(({ name }) => !known.has(name));
  for (const model of fresh) await insertModel(tx, model, spec.nowMs);
  await bump(tx);
  return { newModels: fresh.map(({ name }) => name) };
}

/** A list may have thousands, so nothing is read back for each of them. */
async function insertModel(tx: Tx, { price, ...model }: ModelSpec, nowMs: number): Promise<void> {
  await tx.run(
    "insert into models (id, name, context_tokens, output_tokens_max, created_at_ms) values (?, ?, ?, ?, ?)",
    ...[model.id, model.name, model.contextTokens, model.outputTokensMax, nowMs],
  );
  if (price !== null) await insertPrice(tx, { price, modelId: model.id, nowMs });
}

/** The models that nobody serves any more. */
export type RemovedUpstream = { name: string; unservedModels: string[] };

/** Its credential goes with it. Usage that names it stays on record. */
export async function removeUpstream(tx: Tx, { name }: { name: string }): Promise<RemovedUpstream> {
  const all = (await tx.all("select * from upstreams order by name")).map(toUpstream);
  const gone = all.find(upstream => upstream.name === name);
  if (gone === undefined) {
    throw new StoreProblem("There is no upstream of this name. See them all with: wicketgate upstream list");
  }
  await tx.run("delete from upstreams where id = ?", gone.id);
  await bump(tx);
  const others = all.filter(upstream => upstream !== gone);
  const unservedModels = [...gone.models.keys()].filter(
    model => !others.some(other => other.models.has(model)),
  );
  return { name, unservedModels };
}
