import { UPSTREAM_KINDS } from "../domain/catalogue.ts";
import { PRESETS } from "../upstream/presets/presets.ts";
import {
  accountFields,
  groupFields,
  keyFields,
  limitFields,
  modelFields,
  planFields,
  priceFields,
  sectionFields,
  subscriptionFields,
  tierFields,
  upstreamFields,
} from "./apply-schema.ts";
import type { Path, PlacedProblem, YamlTree } from "./apply-yaml.ts";

/** What one field cannot tell by itself. It looks at the raw values, so that it speaks up beside other problems. */
export function checkAcross(tree: YamlTree): PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  const sections = fieldsOf(tree.value);
  for (const [at, upstream] of itemsOf(sections["upstreams"]).entries()) {
    for (const [field, message] of kindProblems(upstream)) {
      problems.push({ ...tree.placeOfName(["upstreams", at, field]), message });
    }
  }
  for (const [section, nameOf] of Object.entries(NAMES)) {
    const seen = new Map<string, number>();
    for (const [at, item] of itemsOf(sections[section]).entries()) {
      const name = nameOf(item);
      if (name === null) continue;
      const first = seen.get(name);
      if (first === undefined) seen.set(name, at);
      else
        problems.push(
          repeated(tree, { section, first, at, field: section === "accounts" ? "email" : "name" }),
        );
    }
  }
  return problems;
}

type FieldProblem = readonly [field: string, problem: string];

/** What the kind of an upstream asks of its other fields. */
function kindProblems(upstream: Record<string, unknown>): FieldProblem[] {
  const kind = UPSTREAM_KINDS.find(known => known === upstream["kind"]);
  if (kind === undefined) return [];
  if (kind === "demo") {
    const given = ["base_url", "api_key", "api_keys"].filter(field => upstream[field] !== undefined);
    return given.map(field => [field, `“${field}” has no place here: a demo upstream is built in`] as const);
  }
  const { baseUrl, addressExample, addressForm, speaks, speaksNothingElse } = PRESETS[kind];
  const problems: FieldProblem[] = [];
  if (upstream["api_key"] !== undefined && upstream["api_keys"] !== undefined) {
    problems.push(["api_keys", "“api_keys” stands beside “api_key”: write all of them in “api_keys”"]);
  }
  const one = `${/^[aeioux]/.test(kind) ? "an" : "a"} ${kind} upstream`;
  if (baseUrl === null && upstream["base_url"] === undefined) {
    const example = addressExample === undefined ? "" : `, such as ${addressExample}`;
    problems.push(["base_url", `“base_url” is missing: ${one} needs its address${example}`]);
  }
  const given = upstream["base_url"];
  if (typeof given === "string" && addressForm?.test(given.replace(/\/+$/, "")) === false) {
    problems.push(["base_url", `“base_url” is too short: ${one} has one such as ${addressExample}`]);
  }
  const asked = upstream["speaks"];
  const isMore = Array.isArray(asked) && asked.some(dialect => !speaks.some(known => known === dialect));
  if (speaksNothingElse === true && isMore) {
    problems.push(["speaks", `“speaks” goes too far: ${one} speaks ${speaks.join(" and ")} alone`]);
  }
  return problems;
}

const NAMES: Record<keyof typeof sectionFields, (item: Record<string, unknown>) => string | null> = {
  upstreams: item => textOf(item["name"]),
  models: item => textOf(item["name"]),
  groups: item => textOf(item["name"]),
  plans: item => textOf(item["name"]),
  accounts: item => textOf(item["email"])?.toLowerCase() ?? null,
  keys: item => {
    const account = textOf(item["account"]);
    const name = textOf(item["name"]);
    return account === null || name === null ? null : JSON.stringify([account.toLowerCase(), name]);
  },
};

function repeated(
  tree: YamlTree,
  { section, first, at, field }: { section: string; first: number; at: number; field: string },
): PlacedProblem {
  const { line } = tree.placeOf([section, first, field]);
  const what = section === "keys" ? "the account has a key of this name" : "this name is used";
  return { ...tree.placeOf([section, at, field]), message: `${what} already, on line ${line}` };
}

/** Which fields may stand at a place, and what the thing there is called. */
export function fieldsAt(path: Path): { thing: string; fields: readonly string[] } {
  const [section, , inner, innermost] = path;
  if (innermost === "tiers") return { thing: "a tier", fields: Object.keys(tierFields) };
  if (inner === "limits") return { thing: "a map of limits", fields: Object.keys(limitFields) };
  if (inner === "price") return { thing: "a price", fields: Object.keys(priceFields) };
  if (inner === "subscriptions") return { thing: "a subscription", fields: Object.keys(subscriptionFields) };
  const found = SECTION_FIELDS[String(section)];
  return found ?? { thing: "the file", fields: Object.keys(sectionFields) };
}

const SECTION_FIELDS: Record<string, { thing: string; fields: readonly string[] }> = {
  upstreams: { thing: "an upstream", fields: Object.keys(upstreamFields) },
  models: { thing: "a model", fields: Object.keys(modelFields) },
  groups: { thing: "a group", fields: Object.keys(groupFields) },
  plans: { thing: "a plan", fields: Object.keys(planFields) },
  accounts: { thing: "an account", fields: Object.keys(accountFields) },
  keys: { thing: "a key", fields: Object.keys(keyFields) },
};

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function itemsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
