import { shortId } from "../domain/catalogue.ts";
import type { Id } from "../domain/ids.ts";
import { type By, recordChange } from "./audit.ts";
import { bump } from "./catalogue.ts";
import { id, text, whole } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { SqlRow, Tx } from "./tx.ts";

export type CredentialSpec = {
  /** Used only where it is new. */
  id: Id<"crd">;
  sealed: Uint8Array;
  /** Tells a changed credential from the same one sealed again. */
  mark: string;
  preview: string;
};

/** As it may be shown. */
export type CredentialListing = { id: Id<"crd">; preview: string; createdAtMs: number };

export const NO_SUCH_UPSTREAM =
  "There is no upstream of this name. See them all with: wicketgate upstream list";

export async function credentialListings(tx: Tx): Promise<Map<string, CredentialListing[]>> {
  const rows = await tx.all("select * from credentials order by id");
  const groups = Map.groupBy(rows, row => text(row["upstream_id"]));
  return new Map([...groups].map(([upstream, own]) => [upstream, own.map(toListing)]));
}

function toListing(row: SqlRow): CredentialListing {
  return {
    id: id("crd", row["id"]),
    preview: text(row["preview"]),
    createdAtMs: whole(row["created_at_ms"]),
  };
}

export type Exchanged = { kept: number; added: number; removed: number };

type Exchange = { upstreamId: Id<"ups">; specs: readonly CredentialSpec[]; nowMs: number };

/** What is to be there; the same one stays as it is, with its id and what is known of it. */
export async function exchangeCredentials(
  tx: Tx,
  { upstreamId, specs, nowMs }: Exchange,
): Promise<Exchanged> {
  const sql = "select id, mark from credentials where upstream_id = ?";
  const known = new Map((await tx.all(sql, upstreamId)).map(row => [text(row["mark"]), text(row["id"])]));
  const wanted = new Set(specs.map(({ mark }) => mark));
  const gone = [...known].filter(([mark]) => !wanted.has(mark));
  for (const [, goneId] of gone) await deleteCredential(tx, goneId);
  const fresh = specs.filter(({ mark }) => !known.has(mark));
  for (const spec of fresh) await insertCredential(tx, { upstreamId, spec, nowMs });
  return { kept: known.size - gone.length, added: fresh.length, removed: gone.length };
}

async function deleteCredential(tx: Tx, credentialId: string): Promise<void> {
  await tx.run("delete from credentials where id = ?", credentialId);
  await tx.run("delete from upstream_states where credential_id = ?", credentialId);
}

type Insert = { upstreamId: Id<"ups">; spec: CredentialSpec; nowMs: number };

async function insertCredential(tx: Tx, { upstreamId, spec, nowMs }: Insert): Promise<void> {
  await tx.run(
    `insert into credentials (id, upstream_id, sealed, mark, preview, created_at_ms) values (?, ?, ?, ?, ?, ?)`,
    ...[spec.id, upstreamId, spec.sealed, spec.mark, spec.preview, nowMs],
  );
}

export type AddCredential = {
  upstreamId: Id<"ups">;
  /** The address it was sealed for: it must still be that of the upstream. */
  baseUrl: string;
  spec: CredentialSpec;
  by: By;
};

export async function addCredential(tx: Tx, add: AddCredential): Promise<CredentialListing> {
  const { upstreamId, baseUrl, spec, by } = add;
  const { nowMs } = by;
  const [row] = await tx.all("select name, base_url from upstreams where id = ?", upstreamId);
  if (row === undefined) throw new StoreProblem(NO_SUCH_UPSTREAM);
  if (text(row["base_url"]) !== baseUrl) {
    throw new StoreProblem("The address of this upstream was changed meanwhile. Add the key again.");
  }
  const same = "select id from credentials where upstream_id = ? and mark = ?";
  if ((await tx.all(same, upstreamId, spec.mark)).length > 0) {
    throw new StoreProblem("This upstream has this very key already.");
  }
  await insertCredential(tx, { upstreamId, spec, nowMs });
  await bump(tx);
  await recordCredential(tx, by, { id: spec.id, upstream: text(row["name"]), action: "create" });
  return { id: spec.id, preview: spec.preview, createdAtMs: nowMs };
}

export type RemovedCredential = { id: Id<"crd">; left: number };

export async function removeCredential(
  tx: Tx,
  { name, ending, by }: { name: string; ending: string; by: By },
): Promise<RemovedCredential> {
  const [upstream] = await tx.all("select id from upstreams where name = ?", name);
  if (upstream === undefined) throw new StoreProblem(NO_SUCH_UPSTREAM);
  const own = await tx.all("select id from credentials where upstream_id = ?", text(upstream["id"]));
  const meant = own.map(row => id("crd", row["id"])).filter(one => ending !== "" && one.endsWith(ending));
  const [only, ...others] = meant;
  if (only === undefined) {
    throw new StoreProblem(
      `This upstream has no key of that id. See them with: wicketgate upstream key list`,
    );
  }
  if (others.length > 0) throw new StoreProblem("Several of its keys end with that: give more of the id.");
  await deleteCredential(tx, only);
  await bump(tx);
  await recordCredential(tx, by, { id: only, upstream: name, action: "remove" });
  return { id: only, left: own.length - 1 };
}

type Told = { id: Id<"crd">; upstream: string; action: "create" | "remove" };

/** By its id: nothing of the key itself is written down. */
async function recordCredential(tx: Tx, by: By, { id: told, upstream, action }: Told): Promise<void> {
  const fields = [["upstream", upstream, upstream]] as const;
  await recordChange(tx, by, { noun: "credential", name: shortId(told), id: told, action, fields });
}
