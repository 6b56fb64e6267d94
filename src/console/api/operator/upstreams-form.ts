import type { z } from "zod";
import type { Calls } from "../../contract/contract.ts";
import type { listPrice } from "../../contract/operator/catalogue.ts";
import type { UpstreamWish } from "../../upstream-admin.ts";
import type { FieldProblem, ModelPair } from "../../upstream-form.ts";
import { ConsoleProblem } from "../problem.ts";

type ConnectBody = Calls["POST /operator/upstreams"]["body"];
type EditBody = Calls["PATCH /operator/upstreams/{id}"]["body"];
type Pairs = NonNullable<EditBody["models"]>;
type GivenPrice = NonNullable<ConnectBody["models"][number]["price"]>;

/** What the console calls a field, where the apply file calls it otherwise. */
const CONSOLE_NAMES: Readonly<Record<string, string>> = {
  cost: "cost_multiplier",
  paused: "is_paused",
  probe: "probe_minutes",
  api_keys: "api_key",
};

/** Every field that is wrong, each with a sentence of its own. */
export function refuseFields(problems: readonly FieldProblem[]): ConsoleProblem {
  const fields = problems.map(({ field, problem }) => {
    return { path: CONSOLE_NAMES[field] ?? field, message: `This ${problem}.` };
  });
  const [first] = problems;
  const name = CONSOLE_NAMES[first?.field ?? ""] ?? first?.field ?? "name";
  return new ConsoleProblem("invalid", `“${name}” ${first?.problem ?? "cannot be used"}.`, { fields });
}

export function toPairs(models: Pairs): ModelPair[] {
  return models.map(({ model, upstream_model }) => [model, upstream_model] as const);
}

export function toWish(body: EditBody): UpstreamWish {
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.base_url === undefined ? {} : { baseUrl: body.base_url }),
    ...(body.speaks === undefined ? {} : { speaks: body.speaks }),
    ...(body.priority === undefined ? {} : { priority: body.priority }),
    ...(body.weight === undefined ? {} : { weight: body.weight }),
    ...(body.max_concurrency === undefined ? {} : { concurrencyMax: body.max_concurrency }),
    ...(body.probe_minutes === undefined ? {} : { probeMinutes: body.probe_minutes }),
    ...(body.is_paused === undefined ? {} : { isPaused: body.is_paused }),
    ...(body.cost_multiplier === undefined ? {} : { cost: body.cost_multiplier }),
    ...(body.api_key === undefined ? {} : { apiKey: body.api_key }),
    ...(body.models === undefined ? {} : { models: toPairs(body.models) }),
  };
}

/** A price that was taken over as it was suggested has all fields; one that was typed in may have fewer. */
export function wholePrice({ request = "0", tiers = [], ...price }: GivenPrice): z.output<typeof listPrice> {
  return { ...price, request, tiers };
}
