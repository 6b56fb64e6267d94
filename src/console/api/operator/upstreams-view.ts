import type { Upstream } from "../../../domain/catalogue.ts";
import { shortId } from "../../../domain/catalogue.ts";
import type { Id } from "../../../domain/ids.ts";
import { formatUsd } from "../../../domain/money.ts";
import type { UpstreamFigures } from "../../../store/upstream-admin-figures.ts";
import type { UpstreamState } from "../../../store/upstream-record.ts";
import type { UpstreamListing } from "../../../store/upstreams.ts";
import type { Calls } from "../../contract/contract.ts";
import { timeOrNull } from "../account-view.ts";
import { multiplierText } from "../groups-prices.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Desk } from "../visit.ts";

export type UpstreamView = Calls["GET /operator/upstreams"]["answer"]["upstreams"][number];
type CredentialView = UpstreamView["credentials"][number];
type History = Calls["GET /operator/upstreams/{id}/history"]["answer"];

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const EVENTS_MAX = 200;
const ERRORS_MAX = 50;

export async function upstreamViews(desk: Desk): Promise<UpstreamView[]> {
  const nowMs = desk.nowMs();
  const upstreams = await desk.store.run("upstream.list", {});
  const states = await desk.store.report("upstream.states", {});
  const figures = await desk.store.report("upstream.figures", { fromMs: nowMs - DAY_MS, toMs: nowMs + 1 });
  return upstreams.map(one => {
    const own = states.filter(({ upstreamId }) => upstreamId === one.id);
    const done = figures.find(({ name }) => name === one.name);
    return view(one, { states: own, figures: done, running: desk.runningAt(one.id), nowMs });
  });
}

/** Where it was removed meanwhile, as if it had never been there. */
export async function viewOf(desk: Desk, id: string): Promise<UpstreamView> {
  const found = (await upstreamViews(desk)).find(one => one.id === id);
  if (found === undefined) throw noSuchUpstream();
  return found;
}

export function noSuchUpstream(): ConsoleProblem {
  return new ConsoleProblem("not_found", "There is no such upstream. It may have been removed.");
}

type Known = {
  states: readonly UpstreamState[];
  figures: UpstreamFigures | undefined;
  running: number;
  nowMs: number;
};

function view(one: UpstreamListing, { states, figures, running, nowMs }: Known): UpstreamView {
  return {
    ...{ id: one.id, name: one.name, kind: one.kind, base_url: one.baseUrl, speaks: [...one.speaks] },
    ...{ priority: one.priority, weight: one.weight, is_paused: one.isPaused },
    max_concurrency: one.concurrencyMax,
    probe_minutes: one.probeMinutes,
    cost_multiplier: multiplierText(one.cost),
    models: pairsOf(one.models),
    credentials: one.credentials.map(({ id, preview }) => ({
      id,
      label: preview === "" ? shortId(id) : preview,
      ...credentialState(id, states, nowMs),
    })),
    running,
    health: healthOf(figures),
    last_error: lastErrorOf(figures),
    resting: restingOf(states),
  };
}

function pairsOf(models: Upstream["models"]): UpstreamView["models"] {
  return [...models].map(([model, known]) => ({ model, upstream_model: known }));
}

function healthOf(figures: UpstreamFigures | undefined): UpstreamView["health"] {
  const { good = 0, failed = 0 } = figures ?? {};
  return {
    requests: figures?.requests ?? 0,
    success_rate: good + failed === 0 ? null : good / (good + failed),
    first_byte_ms: figures?.firstByteMs ?? null,
    first_byte_p95_ms: figures?.firstByteMsP95 ?? null,
    tokens_per_second: figures?.tokensPerSecond ?? null,
    revenue_usd: formatUsd(figures?.revenue ?? 0n),
    cost_usd: formatUsd(figures?.ourCost ?? 0n),
  };
}

function lastErrorOf(figures: UpstreamFigures | undefined): UpstreamView["last_error"] {
  const last = figures?.lastError ?? null;
  return last === null ? null : { at: new Date(last.atMs).toISOString(), model: last.model, why: last.why };
}

/** A key that was refused is so for every model; one that was asked too much, for some and for a time. */
export function isRejection({ credentialId, model }: Pick<UpstreamState, "credentialId" | "model">): boolean {
  return credentialId !== null && model === null;
}

function credentialState(
  id: Id<"crd">,
  states: readonly UpstreamState[],
  nowMs: number,
): Omit<CredentialView, "id" | "label"> {
  const own = states.filter(one => one.credentialId === id);
  const state =
    own.find(isRejection) ?? own.find(({ untilMs }) => untilMs === null || untilMs > nowMs) ?? null;
  if (state === null) return { state: "ok", since: null, until: null, why: null };
  const { sinceMs, untilMs, why } = state;
  return {
    state: isRejection(state) ? "rejected" : "resting",
    since: timeOrNull(sinceMs),
    until: timeOrNull(untilMs),
    why,
  };
}

/** Of several instances that let it rest, the one that does so longest. */
function restingOf(states: readonly UpstreamState[]): UpstreamView["resting"] {
  const longest = new Map<string, UpstreamState>();
  for (const state of states) {
    if (state.credentialId !== null) continue;
    const model = state.model ?? "*";
    const before = longest.get(model);
    if (before === undefined || (state.untilMs ?? 0) > (before.untilMs ?? 0)) longest.set(model, state);
  }
  return [...longest].map(([model, { sinceMs, untilMs, why }]) => {
    return { model, since: new Date(sinceMs).toISOString(), until: timeOrNull(untilMs), why: why ?? "" };
  });
}

const WHAT = { open: "back", trying: "trying" } as const;

export async function historyOf(desk: Desk, { id, name }: UpstreamListing): Promise<History> {
  const nowMs = desk.nowMs();
  const events = await desk.store.report("upstream.events", { upstreamId: id, limit: EVENTS_MAX });
  const toMs = nowMs + 1;
  const hours = await desk.store.report("upstream.hours", { name, fromMs: nowMs - DAY_MS, toMs });
  const week = { name, fromMs: nowMs - WEEK_MS, toMs, limit: ERRORS_MAX };
  const errors = await desk.store.report("upstream.errors", week);
  return {
    events: events.map(event => ({
      at: new Date(event.atMs).toISOString(),
      model: event.model,
      credential: event.credentialId === null ? null : shortId(event.credentialId),
      what: event.state === "resting" ? (isRejection(event) ? "rejected" : "resting") : WHAT[event.state],
      why: event.why,
      until: timeOrNull(event.untilMs),
    })),
    errors: errors.map(({ requestId, startedAtMs, model, why, ms }) => {
      return { at: new Date(startedAtMs).toISOString(), request_id: requestId, model, why, ms };
    }),
    hours: hours.map(({ startMs, requests, failed, firstByteMs }) => {
      return { at: new Date(startMs).toISOString(), requests, failed, first_byte_ms: firstByteMs };
    }),
  };
}
