import type { Catalogue } from "../../../domain/catalogue.ts";
import { groupHasModel } from "../../../domain/group.ts";
import type { Model, Price } from "../../../domain/model.ts";
import { MULTIPLIER_ONE } from "../../../domain/money.ts";
import type { ModelSpec } from "../../../store/apply.ts";
import type { DatedCatalogue } from "../../../store/models.ts";
import type { Calls } from "../../contract/contract.ts";
import { byOf } from "../../control.ts";
import { effectivePrice } from "../groups-prices.ts";
import { fieldProblem } from "../keys-form.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers, SignedIn } from "../visit.ts";
import { given, notThere, readOne, writtenCount, writtenPrice } from "./catalogue-form.ts";

type ModelView = Calls["POST /operator/models"]["answer"];
type ModelGiven = Omit<Calls["PATCH /operator/models/{id}"]["body"], "price_from">;

export const operatorModelHandlers = {
  "GET /operator/models": async ({ desk }) => {
    const dated = await desk.store.report("models.dated", {});
    return { models: [...dated.catalogue.models.values()].map(model => modelView(model, dated)) };
  },

  "POST /operator/models": async (visit, { body }) => {
    const { name, ...fields } = body;
    const spec = readModel(visit, name, fields);
    await visit.desk.store.run("model.create", { spec, by: byOf(visit.control) });
    return viewOf(visit, model => model.name === name);
  },

  "PATCH /operator/models/{id}": async (visit, { params, body }) => {
    const { id } = params;
    const { price_from: from, ...fields } = body;
    const spec = readModel(visit, "any", fields);
    const later = from === undefined ? null : laterPrice(visit, from, spec.price);
    const change = given({
      contextTokens: body.context_tokens === undefined ? undefined : spec.contextTokens,
      outputTokensMax: body.max_output_tokens === undefined ? undefined : spec.outputTokensMax,
      price: body.price === undefined || later !== null ? undefined : spec.price,
    }) as Partial<Omit<ModelSpec, "id" | "name">>;
    const { store } = visit.desk;
    const by = byOf(visit.control);
    if (later !== null && !(await store.run("price.plan", { modelId: id, ...later, by })))
      throw notThere("model");
    if (!(await store.run("model.edit", { id, change, by }))) throw notThere("model");
    return viewOf(visit, model => model.id === id);
  },

  "DELETE /operator/models/{id}": async ({ desk, control }, { params }) => {
    if (!(await desk.store.run("model.remove", { id: params.id, by: byOf(control) })))
      throw notThere("model");
    return { done: true };
  },

  "GET /operator/models/{id}/prices": async ({ desk }, { params }) => {
    const of = { modelId: params.id };
    const [versions, planned] = await Promise.all([
      desk.store.report("prices.versions", of),
      desk.store.report("prices.planned", of),
    ]);
    if (versions === null) throw notThere("model");
    return {
      planned: planned.map(({ price, startsAtMs, by }) => {
        return { id: price.id, from: new Date(startsAtMs).toISOString(), price: priceView(price), by };
      }),
      versions: versions.map(({ price, sinceMs }) => {
        return { id: price.id, since: new Date(sinceMs).toISOString(), price: priceView(price) };
      }),
    };
  },

  "DELETE /operator/models/{id}/prices/{price}": async ({ desk, control }, { params }) => {
    const asked = { modelId: params.id, priceId: params.price, by: byOf(control) };
    if (!(await desk.store.run("price.unplan", asked)))
      throw new ConsoleProblem("not_found", "There is no such planned price. It may have begun.");
    return { done: true };
  },
} satisfies Pick<
  Handlers,
  | "GET /operator/models"
  | "POST /operator/models"
  | "PATCH /operator/models/{id}"
  | "DELETE /operator/models/{id}"
  | "GET /operator/models/{id}/prices"
  | "DELETE /operator/models/{id}/prices/{price}"
>;

/** As it is listed, before any group's multiplier. */
export function priceView(price: Price) {
  return effectivePrice(price, MULTIPLIER_ONE);
}

/** A price with the time from which it is to hold, which must be to come. */
function laterPrice({ nowMs }: SignedIn, from: string, price: Price | null) {
  const startsAtMs = Date.parse(from);
  if (price === null) throw fieldProblem("price_from", "Say which price is to begin then.");
  if (startsAtMs <= nowMs)
    throw fieldProblem("price_from", "This time has passed. Choose a later one, or none for now.");
  return { price, startsAtMs };
}

function readModel({ control }: SignedIn, name: string, fields: ModelGiven): ModelSpec {
  const item = given({
    name,
    context_tokens: writtenCount(fields.context_tokens),
    max_output_tokens: writtenCount(fields.max_output_tokens),
    price: fields.price === undefined ? undefined : writtenPrice(fields.price),
  });
  return readOne(control, "models", item);
}

async function viewOf({ desk }: SignedIn, isMeant: (model: Model) => boolean): Promise<ModelView> {
  const dated = await desk.store.report("models.dated", {});
  const model = [...dated.catalogue.models.values()].find(isMeant);
  if (model === undefined) throw notThere("model");
  return modelView(model, dated);
}

function modelView(model: Model, { catalogue, since }: DatedCatalogue): ModelView {
  const { id, name, contextTokens, outputTokensMax, price } = model;
  const sinceMs = price === null ? undefined : since.get(price.id);
  return {
    id,
    name,
    context_tokens: contextTokens,
    max_output_tokens: outputTokensMax,
    price: price === null ? null : priceView(price),
    price_since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
    upstreams: serving(catalogue, name),
    groups: [...catalogue.groups.values()]
      .filter(group => groupHasModel(group, name))
      .map(group => group.name),
  };
}

function serving({ upstreams }: Catalogue, model: string): ModelView["upstreams"] {
  return upstreams.flatMap(({ id, name, models, speaks }) => {
    const known = models.get(model);
    return known === undefined ? [] : { id, name, upstream_model: known, speaks: [...speaks] };
  });
}
