import { firstIdAt } from "../domain/id-time.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { SqlValue } from "./tx.ts";

/** Which rows of the usage log are meant; null is any. */
export type UsageQuery = {
  /** Null is for operators alone: every account. */
  accountId: string | null;
  keyId: string | null;
  model: string | null;
  /** By the name of `toolName`. */
  tool: string | null;
  outcome: Outcome | null;
  /** By its name; for operators alone. */
  upstream?: string | null;
  /** Ids begin with their time, so this is a span of time as well: from `low` on, below `high`. */
  low: string;
  high: string;
};

export const LOWEST_ID = "req_";
export const HIGHEST_ID = "req_~";

export type IdSpan = Pick<UsageQuery, "low" | "high">;

export function idSpan({ fromMs, toMs }: { fromMs: number | null; toMs: number | null }): IdSpan {
  return {
    low: fromMs === null ? LOWEST_ID : firstIdAt("req", fromMs),
    high: toMs === null ? HIGHEST_ID : firstIdAt("req", toMs),
  };
}

/** The least text that stands after an id. */
export function after(id: string): string {
  return `${id}0`;
}

export type Condition = { sql: string; params: SqlValue[] };

/** On `usage_series`; a request that runs is in none. */
export function seriesCondition({
  accountId,
  keyId,
  model,
  tool,
  outcome,
  upstream = null,
}: UsageQuery): Condition {
  const wanted: [string, string | null][] = [
    ["account_id", accountId],
    ["key_id", keyId],
    ["model", model],
    ["tool", tool],
    ["outcome", outcome],
    ["upstream", upstream],
  ];
  const given = wanted.filter(([, value]) => value !== null);
  return {
    sql: given.length === 0 ? "1 = 1" : given.map(([column]) => `usage_series.${column} = ?`).join(" and "),
    params: given.map(([, value]) => value),
  };
}

/** Whether the key or the account alone narrows it, so that the index of keys will do. */
export function isPlain({ model, tool, outcome, upstream = null }: UsageQuery): boolean {
  return model === null && tool === null && outcome === null && upstream === null;
}
