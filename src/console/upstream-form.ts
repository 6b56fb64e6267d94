import { checkAcross } from "./apply-check.ts";
import { type ApplyDocument, applySchema } from "./apply-schema.ts";

/** A new upstream as it was asked for; null is what the kind says by itself. */
export type UpstreamForm = {
  name: string;
  kind: string;
  baseUrl: string | null;
  speaks: readonly string[] | null;
  /** In clear; none where it needs none. */
  apiKeys: readonly string[];
  priority: string | null;
  weight: string | null;
  maxConcurrency: string | null;
  probe: string | null;
  paused?: boolean;
  cost?: string;
};

/** Public name and the name that the upstream knows. */
export type ModelPair = readonly [name: string, known: string];

export type FieldProblem = { field: string; problem: string };

export type UpstreamItem = NonNullable<ApplyDocument["upstreams"]>[number];

/** The same rules as for an apply file, so that nothing can be added here that a file could not say. */
export function checkForm(
  form: UpstreamForm,
  models: readonly ModelPair[],
): { item: UpstreamItem } | { problems: FieldProblem[] } {
  const written = {
    name: form.name,
    kind: form.kind,
    ...(form.baseUrl === null ? {} : { base_url: form.baseUrl }),
    ...(form.speaks === null ? {} : { speaks: form.speaks }),
    ...keysOf(form),
    ...(form.priority === null ? {} : { priority: form.priority }),
    ...(form.weight === null ? {} : { weight: form.weight }),
    ...(form.maxConcurrency === null ? {} : { max_concurrency: form.maxConcurrency }),
    ...(form.probe === null ? {} : { probe: form.probe }),
    ...(form.paused === undefined ? {} : { paused: form.paused }),
    ...(form.cost === undefined ? {} : { cost: form.cost }),
    models: Object.fromEntries(models),
  };
  const document = { upstreams: [written] };
  const across = acrossProblems(document);
  const parsed = applySchema.safeParse(document);
  const item = parsed.data?.upstreams?.[0];
  if (item !== undefined && across.length === 0) return { item };
  const own = (parsed.error?.issues ?? []).map(({ path, message }): FieldProblem => {
    const [, , field = "name"] = path;
    return { field: String(field), problem: message };
  });
  return { problems: [...own, ...across] };
}

/** The only one is a field of its own, so that what is wrong with it is said of the key and not of a list. */
function keysOf({ apiKeys }: UpstreamForm): { api_key?: string; api_keys?: readonly string[] } {
  const [only] = apiKeys;
  if (only === undefined) return {};
  return apiKeys.length === 1 ? { api_key: only } : { api_keys: apiKeys };
}

/** Where a problem stands in a file is of no use here. */
function acrossProblems(value: unknown): FieldProblem[] {
  const nowhere = { line: 1, column: 1 };
  const placeOf = () => nowhere;
  const tree = { value, problems: [], placeOf, placeOfName: placeOf, isGivenUp: () => false };
  return checkAcross(tree).map(({ message }) => {
    const [, field = "name", problem = message] = /^“(\w+)” (.*)$/s.exec(message) ?? [];
    return { field, problem };
  });
}
