import type { Body } from "../../api/client.ts";
import type { Dialect, Upstream } from "./upstream-reads.ts";

/** The fields of an upstream as they are typed. */
export type Draft = {
  name: string;
  address: string;
  key: string;
  speaks: readonly Dialect[];
  priority: string;
  weight: string;
  concurrency: string;
  probe: string;
  cost: string;
};

export type Problem = "nameMissing" | "addressMissing" | "speaksMissing" | "numbersWrong" | "costWrong";
type Change = NonNullable<Body<"PATCH /operator/upstreams/{id}">>;

export function draftOf(one: Upstream): Draft {
  return {
    ...{ name: one.name, address: one.base_url ?? "", key: "", speaks: one.speaks },
    ...{ priority: String(one.priority), weight: String(one.weight), cost: one.cost_multiplier },
    concurrency: one.max_concurrency === null ? "" : String(one.max_concurrency),
    probe: one.probe_minutes === null ? "" : String(one.probe_minutes),
  };
}

const BOUNDS = {
  priority: [0, 1000],
  weight: [1, 1000],
  concurrency: [1, 100_000],
  probe: [1, 1440],
} as const;
const MAY_BE_NONE: readonly string[] = ["concurrency", "probe"];
const COST = /^\d+(\.\d{1,4})?$/;

/** What is wrong with it before anybody is asked. */
export function problemOf(draft: Draft, hasAddress: boolean): Problem | null {
  if (draft.name.trim() === "") return "nameMissing";
  if (hasAddress && draft.address.trim() === "") return "addressMissing";
  if (draft.speaks.length === 0) return "speaksMissing";
  for (const field of ["priority", "weight", "concurrency", "probe"] as const) {
    const text = draft[field];
    const [least, most] = BOUNDS[field];
    if (text === "" && MAY_BE_NONE.includes(field)) continue;
    if (text === "" || Number(text) < least || Number(text) > most) return "numbersWrong";
  }
  return COST.test(costOf(draft)) ? null : "costWrong";
}

function costOf({ cost }: Draft): string {
  return cost.replace(/\.$/, "").replace(/^\./, "0.");
}

/** Keys are bound to the scheme, host and port they were given for. */
export function isElsewhere(one: Upstream, address: string): boolean {
  const [before, after] = [one.base_url ?? "", address.trim()];
  if (!URL.canParse(before) || !URL.canParse(after)) return before !== after;
  return new URL(before).origin !== new URL(after).origin;
}

/** Only what differs is sent, so that nobody's change meanwhile is undone. */
export function changeOf(one: Upstream, draft: Draft): Change {
  const name = draft.name.trim();
  const address = draft.address.trim();
  const count = (text: string) => (text === "" ? null : Number(text));
  const isSpoken = (dialect: Dialect) => one.speaks.includes(dialect);
  const isSameSpeech = draft.speaks.length === one.speaks.length && draft.speaks.every(isSpoken);
  const [concurrency, probe] = [count(draft.concurrency), count(draft.probe)];
  return {
    ...(name === one.name ? {} : { name }),
    ...(one.base_url === null || address === one.base_url ? {} : { base_url: address }),
    ...(draft.key.trim() === "" ? {} : { api_key: draft.key.trim() }),
    ...(isSameSpeech ? {} : { speaks: [...draft.speaks] }),
    ...(Number(draft.priority) === one.priority ? {} : { priority: Number(draft.priority) }),
    ...(Number(draft.weight) === one.weight ? {} : { weight: Number(draft.weight) }),
    ...(concurrency === one.max_concurrency ? {} : { max_concurrency: concurrency }),
    ...(probe === one.probe_minutes ? {} : { probe_minutes: probe }),
    ...(costOf(draft) === one.cost_multiplier ? {} : { cost_multiplier: costOf(draft) }),
  };
}
