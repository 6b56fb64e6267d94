import type { Catalogue } from "../../../domain/catalogue.ts";
import { PRESETS } from "../../../upstream/presets/presets.ts";
import type { Calls } from "../../contract/contract.ts";
import { type PriceCatalogue, priceCatalogue } from "../../price-catalogue.ts";
import { isKind, newForm } from "../../upstream-admin.ts";
import type { UpstreamForm } from "../../upstream-form.ts";
import { firstKey, testUpstream } from "../../upstream-test.ts";
import { needsCredential, type Survey, saveDraft, surveyUpstream } from "../../upstreams.ts";
import { fieldProblem } from "../keys-form.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers, SignedIn } from "../visit.ts";
import { readOne, writtenPrice } from "./catalogue-form.ts";
import { priceView } from "./models.ts";
import { demandDistinct, upstreamOf } from "./upstreams.ts";
import { refuseFields, toPairs, toWish, wholePrice } from "./upstreams-form.ts";
import { viewOf } from "./upstreams-view.ts";

type Look = Calls["POST /operator/upstreams/look"]["answer"];
type Connect = Calls["POST /operator/upstreams"]["body"];

const NAMES_MAX = 20;

export const upstreamConnectHandlers = {
  "POST /operator/upstreams/look": async (visit, { body }) => {
    const { kind, base_url: baseUrl, api_key: apiKey } = body;
    demandKind(kind);
    const form = newForm({
      ...{ name: "new", kind },
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    const { network } = visit.desk;
    const survey = await surveyUpstream({ form, models: null, network, voice: "console" });
    return lookedAt(visit, form, survey);
  },

  "POST /operator/upstreams/{id}/look": async (visit, { params }) => {
    const { control, desk } = visit;
    const { name, kind, baseUrl } = await upstreamOf(visit, params.id);
    const apiKey = await firstKey(control, name);
    const form = newForm({
      ...{ name: "new", kind },
      ...(baseUrl === null ? {} : { baseUrl }),
      ...(apiKey === null ? {} : { apiKey }),
    });
    const { network } = desk;
    return lookedAt(visit, form, await surveyUpstream({ form, models: null, network, voice: "console" }));
  },

  "POST /operator/upstreams": async (visit, { body }) => {
    const { kind, models, check = true, ...fields } = body;
    demandKind(kind);
    if (needsCredential(kind) && body.api_key === undefined) {
      throw fieldProblem("api_key", "This provider answers to a key alone: enter one.");
    }
    if (models.length === 0) throw fieldProblem("models", "Choose at least one model.");
    const pairs = toPairs(models.map(({ model, upstream_model }) => ({ model, upstream_model })));
    demandDistinct(pairs);
    const form = newForm({ ...toWish(fields), kind });
    await demandNewName(visit, form.name);
    const network = check ? visit.desk.network : null;
    demandDraft(await surveyUpstream({ form, models: pairs, network, voice: "console" }));
    const saved = await saveDraft(visit.control, { form, models: pairs }, ([name]) => begin(body, name));
    return viewOf(visit.desk, saved.upstream.id);
  },

  "POST /operator/upstreams/{id}/test": async (visit, { params, body }) => {
    const { name, models } = await upstreamOf(visit, params.id);
    const model = body.model ?? [...models.keys()][0];
    if (model === undefined) throw fieldProblem("model", "This upstream has no model yet. Add one first.");
    if (!models.has(model)) throw fieldProblem("model", `This upstream has no model “${model}”.`);
    const { control, desk } = visit;
    const startedMs = desk.nowMs();
    const tested = await testUpstream(control, { name, model, network: desk.network });
    const [one] = tested.models;
    if (one === undefined) throw new Error("the one model that was tried is not there");
    const durationMs = desk.nowMs() - startedMs;
    if ("problem" in one) {
      const nothing = { first_byte_ms: null, answer: null };
      return {
        ...{ ok: false, model, status: one.status, ...nothing },
        duration_ms: durationMs,
        problem: one.problem,
      };
    }
    const refused = tested.keys.filter(({ problem }) => problem !== null);
    return {
      ...{ ok: refused.length === 0, model, status: 200, first_byte_ms: one.firstByteMs },
      duration_ms: one.durationMs,
      answer: one.text,
      problem: refused.length === 0 ? null : refused.map(told).join(" "),
    };
  },
} satisfies Partial<Handlers>;

function told({ id, problem }: { id: string; problem: string | null }): string {
  return `Its key ${id}: ${problem}`;
}

function demandKind(kind: string): void {
  if (isKind(kind)) return;
  throw fieldProblem(
    "kind",
    "There is no such kind of upstream. Anything that is not listed is openai-compatible or anthropic-compatible.",
  );
}

/** Asked again when it is saved, in one transaction; here before anybody outside is asked for anything. */
async function demandNewName({ desk }: SignedIn, name: string): Promise<void> {
  const { upstreams } = await desk.store.run("catalogue.read", {});
  if (!upstreams.some(one => one.name === name)) return;
  throw fieldProblem("name", `There is an upstream “${name}” already: choose another name.`);
}

/** What a new model begins with; one that is known keeps what it has. */
function begin({ models }: Connect, name: string) {
  const given = models.find(({ model }) => model === name);
  return {
    contextTokens: given?.context_tokens ?? null,
    price: given?.price === undefined ? null : writtenPrice(wholePrice(given.price)),
  };
}

function demandDraft(survey: Survey): void {
  if ("draft" in survey) return;
  if ("problems" in survey) throw refuseFields(survey.problems);
  if ("trouble" in survey) throw new ConsoleProblem("invalid", `${survey.trouble} Nothing is saved.`);
  if ("toChooseFrom" in survey) throw fieldProblem("models", "Choose at least one model.");
  const { unlisted, url } = survey;
  const names = unlisted.slice(0, NAMES_MAX).join(", ");
  const more = unlisted.length > NAMES_MAX ? ` and ${unlisted.length - NAMES_MAX} more` : "";
  throw fieldProblem(
    "models",
    `${url} does not list ${names}${more}: correct the name, or save without the check if it is right all the same.`,
  );
}

async function lookedAt(visit: SignedIn, form: UpstreamForm, survey: Survey): Promise<Look> {
  const baseUrl =
    form.baseUrl?.replace(/\/+$/, "") ?? (isKind(form.kind) ? PRESETS[form.kind].baseUrl : null);
  if ("toChooseFrom" in survey) {
    const prices = await priceCatalogue(null);
    if ("problem" in prices) throw new Error("the prices that came with it cannot be read");
    const catalogue = await visit.desk.store.run("catalogue.read", {});
    const found = { baseUrl, prices, catalogue };
    return {
      base_url: baseUrl,
      models: survey.toChooseFrom.map(known => foundModel(visit, known, found)),
      problem: null,
    };
  }
  if ("trouble" in survey) return { base_url: baseUrl, models: [], problem: survey.trouble };
  if (!("problems" in survey)) throw new Error("nothing was chosen, and yet something was found");
  const [first] = survey.problems;
  if (first?.field !== "models") throw refuseFields(survey.problems);
  return {
    base_url: baseUrl,
    models: [],
    problem: "Nothing lists what this upstream has: enter the names of its models.",
  };
}

type Found = { baseUrl: string | null; prices: PriceCatalogue; catalogue: Catalogue };

function foundModel(
  { control, nowMs }: SignedIn,
  known: string,
  { baseUrl, prices, catalogue }: Found,
): Look["models"][number] {
  const suggested = prices.suggest({ baseUrl, model: known, nowMs });
  const price =
    suggested?.price == null
      ? null
      : readOne(control, "models", { name: "any", price: suggested.price }).price;
  return {
    upstream_model: known,
    model: known,
    price: price === null ? null : priceView(price),
    context_tokens: suggested?.contextTokens ?? null,
    is_known: catalogue.models.has(known),
  };
}
