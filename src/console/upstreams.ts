import { type Catalogue, UPSTREAM_KINDS, type Upstream } from "../domain/catalogue.ts";
import { groupHasModel } from "../domain/group.ts";
import type { Price } from "../domain/model.ts";
import { StoreProblem } from "../store/store.ts";
import { listModels } from "../upstream/list-models.ts";
import { PRESETS } from "../upstream/presets/presets.ts";
import { applySchema } from "./apply-schema.ts";
import { toApplySpec } from "./apply-spec.ts";
import type { Control } from "./control.ts";
import type { PriceCatalogue, Suggestion } from "./price-catalogue.ts";
import {
  checkForm,
  type FieldProblem,
  type ModelPair,
  type UpstreamForm,
  type UpstreamItem,
} from "./upstream-form.ts";
import type { Network } from "./upstream-network.ts";
import { explainTrouble, type Voice } from "./upstream-trouble.ts";

export type Draft = {
  form: UpstreamForm;
  models: readonly ModelPair[];
  /** How many the upstream lists; null where it was not asked. */
  listed: number | null;
  /** How many more it lists by names that no client could ask for. */
  unusable: number;
};

/** What came of looking at a new upstream. Nothing is saved yet. */
export type Survey =
  | { draft: Draft }
  | { problems: FieldProblem[] }
  /** The upstream is there and has these, but none was chosen. */
  | { toChooseFrom: string[] }
  | { unlisted: string[]; listed: string[]; url: string }
  | { trouble: string };

type Surveying = {
  form: UpstreamForm;
  models: readonly ModelPair[] | "all" | null;
  network: Network | null;
  voice?: Voice;
};

/** Without a network nothing is asked, and what the operator says is taken as it is. */
export async function surveyUpstream(surveying: Surveying): Promise<Survey> {
  const { form, models, network, voice = "command line" } = surveying;
  const named = models === "all" || models === null ? [] : models;
  const checked = checkForm(form, named);
  if ("problems" in checked) return checked;
  const { item } = checked;
  const baseUrl = item.base_url ?? PRESETS[item.kind].baseUrl;
  const list =
    network === null || baseUrl === null
      ? null
      : await listModels({ ...network, kind: item.kind, baseUrl, credential: form.apiKeys[0] ?? null });
  if (list === null) {
    const problem = "must be named, because nothing lists what this upstream has";
    return named.length > 0
      ? { draft: { form, models: named, listed: null, unusable: 0 } }
      : { problems: [{ field: "models", problem }] };
  }
  const { url } = list;
  if ("trouble" in list) {
    const hasCredential = form.apiKeys.length > 0;
    const asked = { what: "list", url, kind: item.kind, hasCredential, voice } as const;
    return { trouble: explainTrouble(list.trouble, asked) };
  }
  const refused =
    network === null || baseUrl === null ? null : await refusedKey({ form, item, baseUrl, network });
  if (refused !== null) return { trouble: refused };
  const listed = list.models;
  if (models === null) return { toChooseFrom: listed };
  const chosen = models === "all" ? listed.map((name): ModelPair => [name, name]) : models;
  const there = new Set(listed);
  const unlisted = chosen.map(([, known]) => known).filter(known => !there.has(known));
  return unlisted.length > 0
    ? { unlisted, listed, url }
    : { draft: { form, models: chosen, listed: listed.length, unusable: list.unusable } };
}

type Keyed = { form: UpstreamForm; item: UpstreamItem; baseUrl: string; network: Network };

/** The first key has the list already; what is wrong with another is told by its place. */
async function refusedKey({ form, item, baseUrl, network }: Keyed): Promise<string | null> {
  for (const [at, credential] of form.apiKeys.entries()) {
    if (at === 0) continue;
    const list = await listModels({ ...network, kind: item.kind, baseUrl, credential });
    if (list === null || !("trouble" in list)) continue;
    const asked = { what: "list", url: list.url, kind: item.kind, hasCredential: true } as const;
    return `Of the keys, number ${at + 1}: ${explainTrouble(list.trouble, asked)}`;
  }
  return null;
}

export type SavedModel = { name: string; known: string; isNew: boolean; price: Price | null };

export type SavedUpstream = {
  upstream: Upstream;
  models: SavedModel[];
  /** The groups whose keys may call at least one of its models. */
  groups: string[];
};

/** All of it in one transaction. A model that is known already keeps its price; a new one gets the suggested one. */
export function saveUpstream(control: Control, draft: Draft, prices: PriceCatalogue): Promise<SavedUpstream> {
  const { kind, baseUrl: given } = draft.form;
  const baseUrl = given ?? PRESETS[UPSTREAM_KINDS.find(one => one === kind) ?? "demo"].baseUrl;
  const nowMs = control.nowMs();
  return saveDraft(control, draft, ([, model]) => prices.suggest({ baseUrl, model, nowMs }));
}

/** The same, with what each new model begins with told by the caller. */
export async function saveDraft(
  control: Control,
  { form, models }: Pick<Draft, "form" | "models">,
  begin: (pair: ModelPair) => Suggestion | null,
): Promise<SavedUpstream> {
  const checked = checkForm(form, models);
  if ("problems" in checked) throw new StoreProblem("This upstream cannot be saved as it is.");
  const { item } = checked;
  const written = models.map(pair => {
    const { contextTokens, price } = begin(pair) ?? NOTHING;
    const context = contextTokens === null ? {} : { context_tokens: String(contextTokens) };
    return { name: pair[0], ...context, ...(price === null ? {} : { price }) };
  });
  const document = { ...applySchema.parse({ models: written }), upstreams: [item] };
  const { spec } = toApplySpec(control, document, false);
  const { newModels } = await control.store.run("upstream.add", spec);
  const catalogue = await control.store.run("catalogue.read", {});
  return describeSaved(catalogue, { name: item.name, newModels });
}

const NOTHING = { contextTokens: null, price: null };

function describeSaved(
  { upstreams, models, groups }: Catalogue,
  { name, newModels }: { name: string; newModels: readonly string[] },
): SavedUpstream {
  const upstream = upstreams.find(one => one.name === name);
  if (upstream === undefined)
    throw new StoreProblem("Somebody removed this upstream as soon as it was added.");
  const fresh = new Set(newModels);
  const names = [...upstream.models.keys()];
  return {
    upstream,
    models: [...upstream.models].map(([model, known]) => {
      return { name: model, known, isNew: fresh.has(model), price: models.get(model)?.price ?? null };
    }),
    groups: [...groups.values()]
      .filter(group => names.some(model => groupHasModel(group, model)))
      .map(group => group.name),
  };
}

/** Whether a key is asked for where none is named. */
export function needsCredential(kind: string): boolean {
  const known = UPSTREAM_KINDS.find(one => one === kind);
  return known !== undefined && PRESETS[known].needsCredential;
}
