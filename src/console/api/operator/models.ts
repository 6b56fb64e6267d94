import type { Catalogue } from "../../../domain/catalogue.ts";
import { groupHasModel } from "../../../domain/group.ts";
import type { Model, Price } from "../../../domain/model.ts";
import { MULTIPLIER_ONE } from "../../../domain/money.ts";
import type { ModelSpec } from "../../../store/apply.ts";
import type { DatedCatalogue } from "../../../store/models.ts";
import type { Calls } from "../../contract/contract.ts";
import { byOf } from "../../control.ts";
import { effectivePrice } from "../groups-prices.ts";
import type { Handlers, SignedIn } from "../visit.ts";
import { given, notThere, readOne, writtenCount, writtenPrice } from "./catalogue-form.ts";

type ModelView = Calls["POST /operator/models"]["answer"];
type ModelGiven = Calls["PATCH /operator/models/{id}"]["body"];

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
    const spec = readModel(visit, "any", body);
    const change = given({
      contextTokens: body.context_tokens === undefined ? undefined : spec.contextTokens,
      outputTokensMax: body.max_output_tokens === undefined ? undefined : spec.outputTokensMax,
      price: body.price === undefined ? undefined : spec.price,
    }) as Partial<Omit<ModelSpec, "id" | "name">>;
    const isThere = await visit.desk.store.run("model.edit", { id, change, by: byOf(visit.control) });
    if (!isThere) throw notThere("model");
    return viewOf(visit, model => model.id === id);
  },

  "DELETE /operator/models/{id}": async ({ desk, control }, { params }) => {
    if (!(await desk.store.run("model.remove", { id: params.id, by: byOf(control) })))
      throw notThere("model");
    return { done: true };
  },

  "GET /operator/models/{id}/prices": async ({ desk }, { params }) => {
    const versions = await desk.store.report("prices.versions", { modelId: params.id });
    if (versions === null) throw notThere("model");
    return {
      versions: versions.map(({ price, sinceMs }) => {
        return { id: price.id, since: new Date(sinceMs).toISOString(), price: priceView(price) };
      }),
    };
  },
} satisfies Pick<
  Handlers,
  | "GET /operator/models"
  | "POST /operator/models"
  | "PATCH /operator/models/{id}"
  | "DELETE /operator/models/{id}"
  | "GET /operator/models/{id}/prices"
>;

/** As it is listed, before any group's multiplier. */
export function priceView(price: Price) {
  return effectivePrice(price, MULTIPLIER_ONE);
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
