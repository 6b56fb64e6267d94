import type { Catalogue } from "../../../domain/catalogue.ts";
import type { Model, Price } from "../../../domain/model.ts";
import type { Calls } from "../../contract/contract.ts";
import { byOf, type Control } from "../../control.ts";
import { priceCatalogue, SHIPPED } from "../../price-catalogue.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers } from "../visit.ts";
import { readOne, writtenPrice } from "./catalogue-form.ts";
import { priceView } from "./models.ts";

type Compared = Calls["POST /operator/prices/compare"]["answer"];
type Suggest = (model: Model) => Price | null;

export const priceHandlers = {
  "POST /operator/prices/compare": async ({ desk, control, nowMs }, { body }) => {
    const catalogue = await desk.store.run("catalogue.read", {});
    const { catalogue: text } = body;
    const isList = text === undefined || text.trimStart().startsWith("[");
    const suggest = isList
      ? await listed({ control, catalogue, nowMs, text: text ?? null })
      : await written(control, text);
    const dated = text === undefined ? SHIPPED.date : new Date(nowMs).toISOString().slice(0, 10);
    return { dated, ...compared([...catalogue.models.values()], suggest) };
  },

  "POST /operator/prices/import": async ({ desk, control }, { body }) => {
    const prices = body.prices.map(({ model, price }) => {
      const read = readOne(control, "models", { name: model, price: writtenPrice(price) }).price;
      if (read === null) throw new Error("a price that was read is not there");
      return { model, price: read };
    });
    return desk.store.run("prices.edit", { prices, by: byOf(control) });
  },
} satisfies Pick<Handlers, "POST /operator/prices/compare" | "POST /operator/prices/import">;

function compared(models: readonly Model[], suggest: Suggest): Pick<Compared, "changes" | "unknown"> {
  const changes: Compared["changes"] = [];
  const unknown: string[] = [];
  for (const model of models) {
    const price = suggest(model);
    if (price === null) {
      unknown.push(model.name);
      continue;
    }
    const [before, after] = [model.price === null ? null : priceView(model.price), priceView(price)];
    if (JSON.stringify(before) !== JSON.stringify(after)) changes.push({ model: model.name, before, after });
  }
  return { changes, unknown };
}

type Listed = { control: Control; catalogue: Catalogue; nowMs: number; text: string | null };

/** A list as genai-prices publishes it: a model is looked up at the address of the first upstream that has it. */
async function listed({ control, catalogue, nowMs, text }: Listed): Promise<Suggest> {
  const prices = await priceCatalogue(text);
  if ("problem" in prices) throw unreadable(prices.problem);
  return model => {
    for (const { baseUrl, models } of catalogue.upstreams) {
      const known = models.get(model.name);
      const price =
        known === undefined ? null : (prices.suggest({ baseUrl, model: known, nowMs })?.price ?? null);
      if (price !== null) return readOne(control, "models", { name: model.name, price }).price;
    }
    return null;
  };
}

/** The models of an apply file. */
async function written(control: Control, text: string): Promise<Suggest> {
  // Loaded only here: what reads YAML has no place in the memory of a running gateway.
  const [{ readApplyFile }, { toApplySpec }] = await Promise.all([
    import("../../apply-file.ts"),
    import("../../apply-spec.ts"),
  ]);
  const read = readApplyFile(new TextEncoder().encode(text), {});
  if ("problems" in read) {
    const [first] = read.problems;
    throw unreadable(`cannot be read, at line ${first?.line}: ${first?.message}`);
  }
  const { models } = toApplySpec(control, { models: read.file.document.models ?? [] }, true).spec;
  const known = new Map(models.map(model => [model.name, model.price]));
  return model => known.get(model.name) ?? null;
}

function unreadable(problem: string): ConsoleProblem {
  const message = `This catalogue ${problem}. Give the models of an apply file, or a list as genai-prices publishes it.`;
  return new ConsoleProblem("invalid", message, { fields: [{ path: "catalogue", message }] });
}
