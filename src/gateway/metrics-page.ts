import { shortId, type Upstream } from "../domain/catalogue.ts";
import { type Reading, readingText } from "../domain/metrics.ts";
import type { UpstreamHealth } from "../upstream/health.ts";
import { arrive } from "./call.ts";
import { addressIsIn } from "./client-address.ts";
import type { Gate } from "./gate.ts";
import { commonHeaders } from "./headers.ts";
import type { Metrics } from "./metrics.ts";

const MICROS_PER_SECOND = 1e6;
const LOOK_MS = 500;
/** Whoever passes a request on says so in one of these. */
const FORWARDED = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];

/** What is told beside what was counted. */
export type MetricsSource = {
  metrics: Metrics;
  /** Addresses that may read it. */
  from: readonly string[];
  version: string;
  startedAtMs: number;
  journalBytes: () => number;
};

/**
 * The numbers are the operator's, so only the addresses that the settings name may read them. A proxy that nobody declared would make the
 * whole world look like this machine, so what came through one is not answered.
 */
export function mayReadMetrics(
  request: Request,
  about: { address: string; peer: string; from: readonly string[] },
) {
  const isForwarded = FORWARDED.some(name => request.headers.has(name));
  if (isForwarded && about.address === about.peer) return false;
  return addressIsIn(about.address, about.from);
}

export function metricsPage(request: Request, gate: Gate, source: MetricsSource): Response {
  const text = source.metrics.text() + gateText(gate) + upstreamText(gate) + processText(source);
  const headers = {
    ...commonHeaders(arrive(request, "chat", gate)),
    "content-type": "text/plain; version=0.0.4; charset=utf-8",
    "cache-control": "no-store",
  };
  return new Response(text, { headers });
}

function gateText(gate: Gate): string {
  return (
    gauge("requests_in_flight", "Admitted requests that are running.", [{ value: gate.running.count() }]) +
    gauge("draining", "1 where it takes no new work because it is about to stop.", [
      { value: gate.isDraining() ? 1 : 0 },
    ])
  );
}

function upstreamText({ catalogue, health }: Gate): string {
  const { upstreams } = catalogue();
  const running = upstreams.map(({ id, name }) => ({
    labels: { upstream: name },
    value: health.running(id),
  }));
  const resting = upstreams.flatMap(({ id, name, models }) =>
    [...models.keys()].flatMap((model): Reading[] => {
      const state = health.standing(id, model)?.state ?? "open";
      return state === "open" ? [] : [{ labels: { upstream: name, model, state }, value: 1 }];
    }),
  );
  const credentials = upstreams.flatMap(upstream => restingCredentials(upstream, health));
  return (
    gauge(
      "upstream_credential_resting",
      "1 for each credential, by its short id, that is left alone; without a model, for all of them.",
      credentials,
    ) +
    gauge("upstream_requests_in_flight", "Requests that an upstream is at work on.", running) +
    gauge("upstream_resting", "1 for each upstream and model that is left alone because it failed.", resting)
  );
}

function restingCredentials({ id, name, models, credentials }: Upstream, health: UpstreamHealth): Reading[] {
  return credentials.flatMap(credential =>
    [null, ...models.keys()].flatMap((model): Reading[] => {
      const state = health.credentialStanding({ upstream: id, model, credential: credential.id })?.state;
      if (state === undefined || state === "open") return [];
      const labels = { upstream: name, credential: shortId(credential.id), model: model ?? "", state };
      return [{ labels, value: 1 }];
    }),
  );
}

function processText({ version, startedAtMs, journalBytes }: MetricsSource): string {
  const { user, system } = process.cpuUsage();
  const build = { labels: { version, bun: Bun.version }, value: 1 };
  return (
    gauge("journal_bytes", "Settlements on the local disk that wait for the database.", [
      { value: journalBytes() },
    ]) +
    gauge("process_resident_memory_bytes", "Memory of this process.", [
      { value: process.memoryUsage.rss() },
    ]) +
    readingText(
      { name: "wicketgate_process_cpu_seconds_total", help: "Time on a processor.", type: "counter" },
      [{ value: (user + system) / MICROS_PER_SECOND }],
    ) +
    gauge("process_start_time_seconds", "When this process began, since 1970.", [
      { value: startedAtMs / 1_000 },
    ]) +
    gauge("build_info", "Which version runs.", [build])
  );
}

function gauge(name: string, help: string, readings: readonly Reading[]): string {
  return readingText({ name: `wicketgate_${name}`, help, type: "gauge" }, readings);
}

/** A timer that is late shows how long the event loop was kept from everything else. */
export function watchLag(metrics: Metrics): { stop: () => void } {
  let dueTick = performance.now() + LOOK_MS;
  const timer = setInterval(() => {
    const nowTick = performance.now();
    metrics.lagged(Math.max(0, nowTick - dueTick));
    dueTick = nowTick + LOOK_MS;
  }, LOOK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
