import { type Id, isId } from "../../../domain/ids.ts";
import type { UpstreamListing } from "../../../store/upstreams.ts";
import { byOf } from "../../control.ts";
import { nameTwice, readChange } from "../../upstream-admin.ts";
import type { ModelPair } from "../../upstream-form.ts";
import { demandRecent } from "../access.ts";
import { fieldProblem } from "../keys-form.ts";
import type { Handlers, SignedIn } from "../visit.ts";
import { refuseFields, toWish } from "./upstreams-form.ts";
import { historyOf, noSuchUpstream, upstreamViews, viewOf } from "./upstreams-view.ts";

export const upstreamHandlers = {
  "GET /operator/upstreams": async ({ desk }) => ({ upstreams: await upstreamViews(desk) }),

  "PATCH /operator/upstreams/{id}": async (visit, { params, body }) => {
    if (body.api_key !== undefined || body.base_url !== undefined) demandRecent(visit);
    const { desk, control } = visit;
    const upstream = await upstreamOf(visit, params.id);
    const wish = toWish(body);
    demandDistinct(wish.models ?? []);
    const read = readChange(control, upstream, wish);
    if ("problems" in read) throw refuseFields(read.problems);
    const { change } = read;
    const { id } = upstream;
    if (!(await desk.store.run("upstream.change", { id, change, by: byOf(control) }))) throw noSuchUpstream();
    return viewOf(desk, id);
  },

  "DELETE /operator/upstreams/{id}": async (visit, { params }) => {
    const { name } = await upstreamOf(visit, params.id);
    const { unservedModels } = await visit.desk.store.run("upstream.remove", {
      ...{ name, by: byOf(visit.control) },
    });
    return { done: true, unserved_models: unservedModels };
  },

  "POST /operator/upstreams/order": async ({ desk, control }, { body }) => {
    const tiers = body.ids.map(one => (typeof one === "string" ? [one] : one));
    const ids = tiers.flat();
    if (new Set(ids).size < ids.length) throw fieldProblem("ids", "Name each upstream once.");
    const stranger = await desk.store.run("upstream.order", { tiers, by: byOf(control) });
    if (stranger !== null) throw noSuchUpstream();
    return { done: true };
  },

  "POST /operator/upstreams/{id}/reset": async (visit, { params }) => {
    const { name } = await upstreamOf(visit, params.id);
    await visit.desk.store.run("upstream.reset", { name, by: byOf(visit.control) });
    return { done: true };
  },

  "GET /operator/upstreams/{id}/history": async (visit, { params }) =>
    historyOf(visit.desk, await upstreamOf(visit, params.id)),
} satisfies Partial<Handlers>;

export async function upstreamOf({ desk }: SignedIn, id: string): Promise<UpstreamListing> {
  const all = isId("ups", id) ? await desk.store.run("upstream.list", {}) : [];
  const found = all.find(one => one.id === (id as Id<"ups">));
  if (found === undefined) throw noSuchUpstream();
  return found;
}

export function demandDistinct(models: readonly ModelPair[]): void {
  const twice = nameTwice(models);
  if (twice !== null) throw fieldProblem("models", `The model “${twice}” is there twice.`);
}
