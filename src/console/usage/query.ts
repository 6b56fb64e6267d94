import { isId } from "../../domain/ids.ts";
import type { Outcome } from "../../domain/outcome.ts";
import { after, idSpan, type UsageQuery } from "../../store/usage-filter.ts";
import { ConsoleProblem } from "../api/problem.ts";

/** What every list, chart and export of the usage log is narrowed by, as the address bar has it. */
export type GivenFilter = {
  key?: string | undefined;
  model?: string | undefined;
  outcome?: Outcome | undefined;
  tool?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

export type GivenPage = { before?: string | undefined; after?: string | undefined };

export type TimeSpan = { fromMs: number | null; toMs: number | null };

export function readTimes({ from, to }: GivenFilter): TimeSpan {
  const fromMs = from === undefined ? null : Date.parse(from);
  const toMs = to === undefined ? null : Date.parse(to);
  if (fromMs !== null && toMs !== null && toMs <= fromMs) throw wrong("to", "must be later than “from”");
  return { fromMs, toMs };
}

/** Null is every account, for operators alone. */
export function readFilter(given: GivenFilter, accountId: string | null): Omit<UsageQuery, "low" | "high"> {
  const { key = null, model = null, tool = null, outcome = null } = given;
  return { accountId, keyId: key, model, tool, outcome };
}

export function readQuery(given: GivenFilter & GivenPage, accountId: string | null): UsageQuery {
  const span = idSpan(readTimes(given));
  const before = cursor("before", given.before);
  const since = cursor("after", given.after);
  const low = since === null ? span.low : after(since);
  return {
    ...readFilter(given, accountId),
    low: low > span.low ? low : span.low,
    high: before !== null && before < span.high ? before : span.high,
  };
}

function cursor(path: string, given: string | undefined): string | null {
  if (given === undefined) return null;
  if (isId("req", given)) return given;
  throw wrong(path, "must be the id of a request, as an earlier page gave it");
}

export function wrong(path: string, message: string): ConsoleProblem {
  return new ConsoleProblem("invalid", `“${path}” ${message}.`, { fields: [{ path, message }] });
}
