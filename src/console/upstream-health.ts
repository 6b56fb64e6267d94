import { shortId, type Upstream } from "../domain/catalogue.ts";
import { firstIdAt } from "../domain/id-time.ts";
import type { Id } from "../domain/ids.ts";
import { MULTIPLIER_ONE, type Nanos } from "../domain/money.ts";
import { StoreProblem } from "../store/store.ts";
import type { UpstreamTraffic } from "../store/upstream-health.ts";
import type { UpstreamEvent, UpstreamState } from "../store/upstream-record.ts";
import type { Control } from "./control.ts";

/** How upstreams have been doing: for the command line now, and for the operator's pages. */
export type HealthReport = { fromMs: number; toMs: number; upstreams: UpstreamReport[] };

export type UpstreamReport = {
  name: string;
  /** Of every process that runs. */
  states: StateReport[];
  /** Newest first. */
  events: EventReport[];
  models: ModelReport[];
};

/** Without a model or a credential it is about all of them. The credential is its short id. */
export type StateReport = Pick<UpstreamState, "state" | "why" | "sinceMs" | "untilMs" | "model"> & {
  credential: string | null;
  instance: Id<"boot">;
};
export type EventReport = Pick<UpstreamEvent, "state" | "why" | "atMs" | "untilMs" | "model"> & {
  credential: string | null;
  instance: Id<"boot">;
};

export type ModelReport = {
  model: string;
  /** Attempts, those included after which another upstream was asked. */
  attempts: number;
  good: number;
  failed: number;
  /** Of those that ended well or by a fault of the upstream; null where there were none. */
  successRate: number | null;
  firstByteMsMedian: number | null;
  firstByteMsP95: number | null;
  tokensPerSecond: number | null;
  /** How often it was given a rest. */
  rests: number;
  charged: Nanos;
  /** What the same usage is by our price before the group's multiplier: the nearest that is known to its cost. */
  atPrice: Nanos;
};

export type HealthAsk = { name: string | null; hours: number };

const HOUR_MS = 3_600_000;
const EVENTS_MAX = 500;

export async function upstreamHealth(control: Control, ask: HealthAsk): Promise<HealthReport> {
  const { store } = control;
  const toMs = control.nowMs();
  const fromMs = toMs - ask.hours * HOUR_MS;
  const { upstreams } = await store.run("catalogue.read", {});
  const meant = upstreams.filter(({ name }) => ask.name === null || name === ask.name);
  if (ask.name !== null && meant.length === 0) {
    throw new StoreProblem("There is no upstream of this name. See them all with: wicketgate upstream list");
  }
  const span = { fromId: firstIdAt("req", fromMs), toId: firstIdAt("req", toMs + 1), upstream: ask.name };
  const traffic = await store.report("upstream.traffic", span);
  const states = await store.report("upstream.states", {});
  const reports: UpstreamReport[] = [];
  for (const { id, name, models } of meant) {
    const events = await store.report("upstream.events", { upstreamId: id, limit: EVENTS_MAX });
    const recent = events.filter(({ atMs }) => atMs >= fromMs);
    const own = traffic.filter(one => one.upstream === name);
    reports.push({
      name,
      states: states.filter(one => one.upstreamId === id).map(toState),
      events: events.map(toEvent),
      models: modelReports({ models, own, recent }),
    });
  }
  return { fromMs, toMs, upstreams: reports };
}

type Models = {
  models: Upstream["models"];
  own: readonly UpstreamTraffic[];
  recent: readonly UpstreamEvent[];
};

/** Those that were asked for, also where the upstream does not have them any more. */
function modelReports({ models, own, recent }: Models): ModelReport[] {
  const asked = new Map(own.map(one => [one.model, one]));
  const names = [...new Set([...asked.keys(), ...models.keys()])].filter(model => asked.has(model));
  return names.toSorted().flatMap(model => {
    const one = asked.get(model);
    return one === undefined ? [] : [modelReport(one, recent)];
  });
}

function modelReport(one: UpstreamTraffic, recent: readonly UpstreamEvent[]): ModelReport {
  const failed = one.failed + one.passedOver;
  const judged = one.good + failed;
  const rests = recent.filter(({ model, state }) => model === one.model && state === "resting").length;
  return {
    model: one.model,
    attempts: one.requests + one.passedOver,
    good: one.good,
    failed,
    successRate: judged === 0 ? null : one.good / judged,
    firstByteMsMedian: one.firstByteMsMedian,
    firstByteMsP95: one.firstByteMsP95,
    tokensPerSecond: one.streamMs === 0 ? null : (1_000 * one.streamTokens) / one.streamMs,
    rests,
    charged: one.costs.reduce((sum, { cost }) => sum + cost, 0n),
    atPrice: one.costs.reduce((sum, cost) => sum + atPrice(cost), 0n),
  };
}

/** What was charged tells it exactly, to a rounding, wherever it was multiplied with anything. */
function atPrice({ multiplier, cost, atPrice: listed }: UpstreamTraffic["costs"][number]): Nanos {
  return multiplier === 0 ? listed : (cost * BigInt(MULTIPLIER_ONE)) / BigInt(multiplier);
}

function toState({ bootId, credentialId, ...one }: UpstreamState & { bootId: Id<"boot"> }): StateReport {
  const { state, why, sinceMs, untilMs, model } = one;
  return { state, why, sinceMs, untilMs, model, credential: shortOf(credentialId), instance: bootId };
}

function toEvent({ bootId, credentialId, ...one }: UpstreamEvent & { bootId: Id<"boot"> }): EventReport {
  const { state, why, atMs, untilMs, model } = one;
  return { state, why, atMs, untilMs, model, credential: shortOf(credentialId), instance: bootId };
}

function shortOf(id: Id<"crd"> | null): string | null {
  return id === null ? null : shortId(id);
}
