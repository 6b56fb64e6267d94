import type { Overview } from "./use-overview.ts";

export type Entry = Overview["attention"][number];
type Kind = Entry["kind"];

/** A page of this console, and what it should show there. */
export type Place = { to: string; search: Record<string, string> };

/** Of one kind and gravity; several stand together where each by itself would fill the page. */
export type Concern = {
  kind: Kind;
  gravity: Entry["gravity"];
  names: readonly string[];
  count: number;
  figure: string;
  since: string | null;
  place: Place | null;
};

const TOGETHER: readonly Kind[] = ["model_unpriced", "model_unserved", "balance_low"];
/** So many are told one by one. */
const SINGLE_MAX = 3;

/** Where it is mended; nowhere in the console where the server itself has to be looked at. */
export function placeOf({ kind, id, name }: Pick<Entry, "kind" | "id" | "name">, isOne = true): Place | null {
  const one = (search: Record<string, string>) => (isOne ? search : {});
  switch (kind) {
    case "credential_rejected":
      return { to: "/operator/upstreams", search: { upstream: id ?? "", part: "keys" } };
    case "breaker_open":
      return { to: "/operator/upstreams", search: { upstream: id ?? "", part: "health" } };
    case "model_unpriced":
      return { to: "/operator/models", search: isOne ? { q: name ?? "" } : { only: "unpriced" } };
    case "model_unserved":
      return { to: "/operator/upstreams", search: {} };
    case "balance_low":
      return { to: "/operator/accounts", search: one({ account: id ?? "" }) };
    case "audit_broken":
      return { to: "/operator/audit", search: {} };
    case "registration_open":
      return { to: "/operator/settings", search: { tab: "sign-in" } };
    case "webhook_failing":
      return { to: "/operator/webhooks", search: { webhook: id ?? "" } };
    case "books_disagree":
    case "backup_missing":
      return null;
  }
}

/** The order stays as the server gave it: the gravest first. */
export function concernsOf(entries: readonly Entry[]): Concern[] {
  const concerns: Concern[] = [];
  const told = new Set<Kind>();
  for (const entry of entries) {
    const { kind } = entry;
    if (told.has(kind)) continue;
    const alike = entries.filter(other => other.kind === kind);
    if (TOGETHER.includes(kind) && alike.length > SINGLE_MAX) {
      told.add(kind);
      concerns.push(together(entry, alike));
    } else concerns.push(single(entry));
  }
  return concerns;
}

function single(entry: Entry): Concern {
  const { kind, gravity, name, figure, since } = entry;
  const isCounted = kind === "books_disagree";
  return {
    ...{ kind, gravity, since, place: placeOf(entry), figure: figure ?? "" },
    names: name === null ? [] : [name],
    count: isCounted ? Number(figure ?? 1) : 1,
  };
}

function together(first: Entry, alike: readonly Entry[]): Concern {
  const { kind, gravity } = first;
  return {
    ...{ kind, gravity, since: null, figure: "", count: alike.length, place: placeOf(first, false) },
    names: alike.flatMap(({ name }) => (name === null ? [] : [name])),
  };
}
