import type { Upstream } from "../domain/catalogue.ts";
import { type ApplyContext, type ApplySpec, type ModelSpec, noteCreated, recordNoted } from "./apply.ts";
import { applyUpstream, describeModel } from "./apply-catalogue.ts";
import { type By, recordChange } from "./audit.ts";
import { bump, readUpstreams } from "./catalogue.ts";
import { type CredentialListing, credentialListings, NO_SUCH_UPSTREAM } from "./credentials.ts";
import { insertPrice } from "./prices.ts";
import { text, toUpstream } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** An upstream as it may be shown: its credentials are told of, never told. */
export type UpstreamListing = Omit<Upstream, "credentials"> & { credentials: readonly CredentialListing[] };

export async function listUpstreams(tx: Tx): Promise<UpstreamListing[]> {
  const rows = await tx.all("select * from upstreams order by priority, name");
  const credentials = await credentialListings(tx);
  return rows.map(row => {
    const { credentials: _, ...shown } = toUpstream(row);
    return { ...shown, credentials: credentials.get(shown.id) ?? [] };
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
  for (const model of fresh) await insertModel(tx, model, spec.by.nowMs);
  for (const model of fresh) {
    noteCreated(context, { noun: "model", name: model.name, id: model.id }, describeModel(model));
  }
  await bump(tx);
  await recordNoted(tx, spec.by, context.changes);
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

/** Its credentials go with it, and what was known of it. Usage that names it stays on record. */
export async function removeUpstream(
  tx: Tx,
  { name, by }: { name: string; by: By },
): Promise<RemovedUpstream> {
  const all = await readUpstreams(tx);
  const gone = all.find(upstream => upstream.name === name);
  if (gone === undefined) throw new StoreProblem(NO_SUCH_UPSTREAM);
  for (const table of ["credentials", "upstream_states", "upstream_events"]) {
    await tx.run(`delete from ${table} where upstream_id = ?`, gone.id);
  }
  await tx.run("delete from upstreams where id = ?", gone.id);
  await bump(tx);
  await recordChange(tx, by, { noun: "upstream", name, id: gone.id, action: "remove", fields: [] });
  const others = all.filter(upstream => upstream !== gone);
  const unservedModels = [...gone.models.keys()].filter(
    model => !others.some(other => other.models.has(model)),
  );
  return { name, unservedModels };
}

/** Running gateways see it, and forget what they held against it. */
export async function resetUpstream(
  tx: Tx,
  { name, by }: { name: string; by: By },
): Promise<{ name: string }> {
  const [row] = await tx.all("select id from upstreams where name = ?", name);
  if (row === undefined) throw new StoreProblem(NO_SUCH_UPSTREAM);
  await tx.run("update upstreams set reset_at_ms = ? where name = ?", by.nowMs, name);
  await bump(tx);
  await recordChange(tx, by, { noun: "upstream", name, id: text(row["id"]), action: "reset", fields: [] });
  return { name };
}
