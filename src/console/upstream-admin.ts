import { UPSTREAM_KINDS, type UpstreamKind } from "../domain/catalogue.ts";
import type { UpstreamChange } from "../store/upstream-admin.ts";
import type { UpstreamListing } from "../store/upstreams.ts";
import { PRESETS } from "../upstream/presets/presets.ts";
import type { Control } from "./control.ts";
import { credentialSpec } from "./upstream-credentials.ts";
import { checkForm, type FieldProblem, type ModelPair, type UpstreamForm } from "./upstream-form.ts";

/** What an upstream is to have, as far as it was said; what was not said stays, or is as its kind has it. */
export type UpstreamWish = {
  name?: string;
  kind?: string;
  baseUrl?: string;
  speaks?: readonly string[];
  priority?: number;
  weight?: number;
  concurrencyMax?: number | null;
  probeMinutes?: number | null;
  isPaused?: boolean;
  /** As text, such as 0.8. */
  cost?: string;
  /** In clear. */
  apiKey?: string;
  models?: readonly ModelPair[];
};

export function isKind(kind: string): kind is UpstreamKind {
  return UPSTREAM_KINDS.some(known => known === kind);
}

/** A new upstream, in the form that command line and console share. */
export function newForm(wish: UpstreamWish): UpstreamForm {
  return {
    name: wish.name ?? "",
    kind: wish.kind ?? "",
    baseUrl: wish.baseUrl ?? null,
    speaks: wish.speaks ?? null,
    apiKeys: wish.apiKey === undefined ? [] : [wish.apiKey],
    priority: numeral(wish.priority),
    weight: numeral(wish.weight),
    maxConcurrency: numeral(wish.concurrencyMax),
    probe: numeral(wish.probeMinutes),
    ...(wish.isPaused === undefined ? {} : { paused: wish.isPaused }),
    ...(wish.cost === undefined ? {} : { cost: wish.cost }),
  };
}

function numeral(value: number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** What a change of an upstream comes to, by the rules of the apply file over all of it. */
export function readChange(
  control: Control,
  upstream: UpstreamListing,
  wish: UpstreamWish,
): { change: UpstreamChange } | { problems: FieldProblem[] } {
  const models = wish.models ?? [...upstream.models];
  const checked = checkForm(newForm(whole(upstream, wish)), models);
  if ("problems" in checked) return checked;
  const { item } = checked;
  const baseUrl = item.base_url ?? PRESETS[item.kind].baseUrl;
  const change: UpstreamChange = {
    ...(wish.name === undefined ? {} : { name: item.name }),
    ...(wish.baseUrl === undefined && wish.apiKey === undefined ? {} : { baseUrl }),
    ...(wish.speaks === undefined ? {} : { speaks: item.speaks ?? [] }),
    ...(wish.priority === undefined ? {} : { priority: wish.priority }),
    ...(wish.weight === undefined ? {} : { weight: wish.weight }),
    ...(wish.concurrencyMax === undefined ? {} : { concurrencyMax: wish.concurrencyMax }),
    ...(wish.probeMinutes === undefined ? {} : { probeMinutes: wish.probeMinutes }),
    ...(wish.isPaused === undefined ? {} : { isPaused: wish.isPaused }),
    ...(item.cost === undefined ? {} : { cost: item.cost }),
    ...(wish.models === undefined ? {} : { models: item.models }),
    ...(wish.apiKey === undefined || baseUrl === null
      ? {}
      : { credentials: [credentialSpec(control, wish.apiKey, baseUrl)] }),
  };
  return { change };
}

/** The upstream as it would be, so that fields which depend on each other are looked at together. */
function whole({ kind, baseUrl, ...upstream }: UpstreamListing, wish: UpstreamWish): UpstreamWish {
  const { name, speaks, priority, weight, concurrencyMax, probeMinutes } = upstream;
  const kept = { name, kind, speaks, priority, weight, concurrencyMax, probeMinutes };
  return { ...kept, ...(baseUrl === null ? {} : { baseUrl }), ...wish };
}

/** A public name that is there twice; null where there is none. */
export function nameTwice(models: readonly ModelPair[]): string | null {
  const seen = new Set<string>();
  for (const [name] of models) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}
