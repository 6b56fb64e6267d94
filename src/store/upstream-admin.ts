import type { Id } from "../domain/ids.ts";
import {
  type ApplyContext,
  type ApplySpec,
  type Change,
  noteDifference,
  recordNoted,
  type UpstreamSpec,
} from "./apply.ts";
import { applyUpstream } from "./apply-catalogue.ts";
import type { By } from "./audit.ts";
import { bump } from "./catalogue.ts";
import { id as idOf, text, toUpstream, whole } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { SqlRow, Tx } from "./tx.ts";

/** What of an upstream is to be otherwise; what is not named stays as it is. */
export type UpstreamChange = Partial<Omit<UpstreamSpec, "id">>;

export type ChangeUpstream = { id: Id<"ups">; change: UpstreamChange; by: By };

/** One upstream by its id, with the rule that an apply file goes by. False where there is none. */
export async function changeUpstream(tx: Tx, { id, change, by }: ChangeUpstream): Promise<boolean> {
  const [row] = await tx.all(`select * from upstreams where id = ?${tx.forUpdate}`, id);
  if (row === undefined) return false;
  const context = contextOf(tx, by);
  const before = text(row["name"]);
  const name = change.name ?? before;
  if (name !== before) await rename(tx, { id, name });
  await applyUpstream(context, { ...specOf(row), ...change, id, name }, 0);
  const [problem] = context.problems;
  if (problem !== undefined) {
    throw new StoreProblem(
      "The address changes, and the keys of this upstream are bound to the old one: give its key again.",
      { field: "api_key" },
    );
  }
  await finish(context, name === before ? null : { id, before, name });
  return true;
}

async function rename(tx: Tx, { id, name }: { id: Id<"ups">; name: string }): Promise<void> {
  const taken = await tx.all("select id from upstreams where name = ?", name);
  if (taken.length > 0) {
    throw new StoreProblem(`There is an upstream “${name}” already: choose another name.`, { field: "name" });
  }
  await tx.run("update upstreams set name = ? where id = ?", name, id);
}

export type OrderUpstreams = {
  /** Those that are asked first come first; those in one list share a priority. */
  tiers: readonly (readonly string[])[];
  by: By;
};

/** Those that are not named come after the others, in the order that they had. Gives the first id that is not there. */
export async function orderUpstreams(tx: Tx, { tiers, by }: OrderUpstreams): Promise<string | null> {
  const rows = await tx.all(`select * from upstreams order by priority, name${tx.forUpdate}`);
  const named = new Set(tiers.flat());
  const known = new Set(rows.map(row => text(row["id"])));
  const stranger = [...named].find(id => !known.has(id));
  if (stranger !== undefined) return stranger;
  const rest = rows.filter(row => !named.has(text(row["id"])));
  const behind = Map.groupBy(rest, row => whole(row["priority"]));
  const all = [...tiers, ...[...behind.values()].map(some => some.map(row => text(row["id"])))];
  const places = new Map(all.flatMap((tier, priority) => tier.map(id => [id, priority] as const)));
  const context = contextOf(tx, by);
  for (const row of rows) {
    const priority = places.get(text(row["id"])) ?? 0;
    await applyUpstream(context, { ...specOf(row), priority }, 0);
  }
  await finish(context, null);
  return null;
}

/** An upstream as it is, so that a change of it is told as a file's would be. */
function specOf(row: SqlRow): UpstreamSpec {
  const { credentials: _, models, resetAtMs: __, ...upstream } = toUpstream(row);
  return { ...upstream, id: idOf("ups", row["id"]), models: [...models], credentials: null };
}

function contextOf(tx: Tx, by: By): ApplyContext {
  const nothing = { upstreams: [], models: [], groups: [], plans: [], accounts: [], keys: [] };
  const spec: ApplySpec = { ...nothing, by, dryRun: false };
  return { tx, spec, changes: [], problems: [] };
}

type Renamed = { id: Id<"ups">; before: string; name: string };

/** One entry for one change, its name among the rest. */
async function finish(context: ApplyContext, renamed: Renamed | null): Promise<void> {
  const { tx, spec, changes } = context;
  if (renamed !== null) {
    const { id, before, name } = renamed;
    const field = ["name", before, name] as const;
    const [change] = changes;
    if (change === undefined) noteDifference(context, { noun: "upstream", name, id }, [field]);
    else changes[0] = { ...change, fields: [field, ...change.fields] } satisfies Change;
  }
  if (changes.length === 0) return;
  await bump(tx);
  await recordNoted(tx, spec.by, changes);
}
