import { type Group, groupHasModel, matchesPattern } from "../../../domain/group.ts";
import type { GroupSpec } from "../../../store/apply.ts";
import type { GroupListing } from "../../../store/groups.ts";
import type { Calls } from "../../contract/contract.ts";
import { byOf } from "../../control.ts";
import { multiplierText } from "../groups-prices.ts";
import { limitsView } from "../keys-view.ts";
import type { Handlers, SignedIn } from "../visit.ts";
import { given, notThere, readOne } from "./catalogue-form.ts";

type GroupView = Calls["POST /operator/groups"]["answer"];
type GroupGiven = Calls["PATCH /operator/groups/{id}"]["body"];

export const operatorGroupHandlers = {
  "GET /operator/groups": async visit => ({ groups: await listed(visit) }),

  "POST /operator/groups": async (visit, { body }) => {
    const spec = readGroup(visit, body);
    await visit.desk.store.run("group.create", { spec, by: byOf(visit.control) });
    return viewOf(visit, group => group.name === spec.name);
  },

  "PATCH /operator/groups/{id}": async (visit, { params, body }) => {
    const { id } = params;
    const read = readGroup(visit, body);
    const names = Object.keys(body).filter(name => body[name as keyof GroupGiven] !== undefined);
    const change = Object.fromEntries(names.map(name => [name, read[name as keyof GroupGiven]]));
    const isThere = await visit.desk.store.run("group.edit", { id, change, by: byOf(visit.control) });
    if (!isThere) throw notThere("group");
    return viewOf(visit, group => group.id === id);
  },

  "DELETE /operator/groups/{id}": async ({ desk, control }, { params }) => {
    if (!(await desk.store.run("group.remove", { id: params.id, by: byOf(control) })))
      throw notThere("group");
    return { done: true };
  },

  "POST /operator/groups/preview": async (visit, { body }) => {
    const { models: patterns } = readGroup(visit, { name: "any", models: body.models });
    const names = await modelNames(visit);
    const matches = names.flatMap(model => {
      const by = patterns.find(pattern => matchesPattern(pattern, model));
      return by === undefined ? [] : { model, by };
    });
    const idle = patterns.filter(pattern => !names.some(model => matchesPattern(pattern, model)));
    return { matches, idle };
  },
} satisfies Pick<
  Handlers,
  | "GET /operator/groups"
  | "POST /operator/groups"
  | "PATCH /operator/groups/{id}"
  | "DELETE /operator/groups/{id}"
  | "POST /operator/groups/preview"
>;

/**
 * Nobody named is everybody here, and `all` in the apply file. What is not given is read as anything that is right, and
 * not used.
 */
function readGroup({ control }: SignedIn, fields: GroupGiven): GroupSpec {
  const { name = "any", models = [], accounts, limits, ...others } = fields;
  const who = accounts === null ? "all" : accounts;
  const kept = limits === undefined ? undefined : writtenLimits(limits);
  return readOne(control, "groups", given({ name, models, ...others, accounts: who, limits: kept }));
}

/** As the apply file writes them. */
function writtenLimits(limits: NonNullable<GroupGiven["limits"]>): Record<string, string> {
  const set = Object.entries(limits).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name.replace(/_usd$/, ""), String(value)]));
}

async function modelNames({ desk }: SignedIn): Promise<string[]> {
  const { models } = await desk.store.run("catalogue.read", {});
  return [...models.keys()];
}

async function listed(visit: SignedIn): Promise<GroupView[]> {
  const [groups, names] = await Promise.all([visit.desk.store.report("groups.list", {}), modelNames(visit)]);
  return groups.map(group => groupView(group, names));
}

async function viewOf(visit: SignedIn, isMeant: (group: GroupView) => boolean): Promise<GroupView> {
  const group = (await listed(visit)).find(isMeant);
  if (group === undefined) throw notThere("group");
  return group;
}

function groupView(group: GroupListing, names: readonly string[]): GroupView {
  const { id, name, description, enabled, multiplier, models, billing, accounts, keys, holders } = group;
  const patterns: Pick<Group, "models"> = { models };
  return {
    ...{ id, name, description, enabled, billing, keys, holders },
    limits: limitsView(group.limits),
    multiplier: multiplierText(multiplier),
    models: [...models],
    matches: names.filter(model => groupHasModel(patterns, model)),
    accounts: accounts === null ? null : [...accounts],
  };
}
