import { dataDirOf, type Gateway, startGateway, wicketgate } from "./gateway.ts";
import { makeWrk } from "./load.ts";
import { describeMachine } from "./machine.ts";
import { pace } from "./pace.ts";
import { startPostgresServer } from "./postgres.ts";
import { closeOnSignal, openSite, type Site } from "./site.ts";
import { median, percentile } from "./statistics.ts";
import { type Sorted, sorted, watchSteadiness } from "./steady.ts";
import { startMock, type Target } from "./targets.ts";
import { ensureTools } from "./tools.ts";

/**
 * `npm run bench:latency`: what the gateway adds to a request at a steady pace, on both databases, with an upstream
 * that takes its time, and how many admissions a second one hot account sustains on PostgreSQL.
 */

const PER_SECOND = 500;
const UPSTREAM_MS = 50;
const ROUNDS = 5;
const SECONDS_PER_ROUND = 4;
const HOT_SECONDS = 6;
const HOT_CONNECTIONS = 128;

type Limits = { p50Ms: number; p99Ms: number };
const LIMITS: Record<"sqlite" | "postgres", Limits> = {
  sqlite: { p50Ms: 1, p99Ms: 5 },
  postgres: { p50Ms: 3, p99Ms: 10 },
};
const HOT_PER_SECOND_MIN = 2_000;

/** Of fewer requests that met a steady machine, nothing is concluded. */
const STEADY_SHARE_MIN = 0.5;

type Name = "direct" | "sqlite" | "postgres";
type Times = Record<Name, Sorted>;

async function measure(site: Site): Promise<boolean> {
  const tools = await ensureTools(site.processes, say);
  const machine = await describeMachine(site, { tools, dataDir: dataDirOf(site) });
  const postgres = await startPostgresServer();
  try {
    const upstream = await startMock(site, UPSTREAM_MS);
    const place = { name: "postgres", databaseUrl: postgres.urls[0] };
    const gateways = {
      sqlite: await startGateway(site, { upstream }),
      postgres: await startGateway(site, { upstream, place }),
    };
    const times = await pacedRounds(site, upstream, gateways);
    for (const { server } of Object.values(gateways)) await site.processes.stop(server.pid);

    const hotPlace = { name: "hot", databaseUrl: postgres.urls[1] };
    const hot = await startGateway(site, { upstream: await startMock(site), place: hotPlace });
    const hotPerSecond = await hotAccount(site, hot, tools.wrk);
    await site.processes.stop(hot.server.pid);

    const { p50Ms, p99Ms } = machine.fdatasync;
    say(`fdatasync of 4 KiB where the database is: ${p50Ms.toFixed(2)} ms (p99 ${p99Ms.toFixed(2)} ms)`);
    say(
      `${PER_SECOND} requests a second, an upstream that answers after ${UPSTREAM_MS} ms, ${ROUNDS} rounds`,
    );
    const verdicts = [verdict("sqlite", times), verdict("postgres", times), hotVerdict(hotPerSecond)];
    await wicketgate(site, ["verify"]);
    for (const used of [place, hotPlace]) await wicketgate(site, ["verify"], used);
    say("wicketgate verify: the ledgers are clean");
    return verdicts.every(Boolean);
  } finally {
    await postgres.stop();
  }
}

/** They take turns, so that whatever else the machine does falls on all. */
async function pacedRounds(
  site: Site,
  upstream: Target,
  gateways: Record<"sqlite" | "postgres", Gateway>,
): Promise<Times> {
  const none = (): Sorted => ({ steady: [], all: [] });
  const times: Times = { direct: none(), sqlite: none(), postgres: none() };
  const steadiness = watchSteadiness(site);
  const load = { perSecond: PER_SECOND, seconds: SECONDS_PER_ROUND };
  const run = async (name: Name, target: Target, key: string) => {
    await steadiness.slowTimes();
    const timed = await pace({ ...load, target, key });
    const { steady, all } = sorted(timed, await steadiness.slowTimes());
    times[name].steady.push(...steady);
    times[name].all.push(...all);
  };
  for (const gateway of Object.values(gateways)) await pace({ ...load, target: gateway, key: gateway.key });
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS}`);
    await run("direct", upstream, "none");
    for (const name of ["sqlite", "postgres"] as const) await run(name, gateways[name], gateways[name].key);
  }
  await steadiness.stop();
  return times;
}

/** Judged by the requests that met a steady machine; what all took is said beside it. */
function verdict(name: "sqlite" | "postgres", times: Times): boolean {
  const { steady, all } = added(name, times);
  const share = times[name].steady.length / times[name].all.length;
  const limits = LIMITS[name];
  const isKnown = share >= STEADY_SHARE_MIN;
  const holds = isKnown && steady.p50Ms <= limits.p50Ms && steady.p99Ms <= limits.p99Ms;
  const [p50, p99] = [steady.p50Ms.toFixed(2), steady.p99Ms.toFixed(2)];
  const figures = `median ${p50} ms (at most ${limits.p50Ms}), p99 ${p99} ms (at most ${limits.p99Ms})`;
  const word = holds ? "holds:         " : isKnown ? "does not hold: " : "is not known:  ";
  say(`${word}added on ${name}: ${figures}`);
  say(
    `               of the ${(share * 100).toFixed(0)} % of requests that met the machine at its own pace; ` +
      `of all: median ${all.p50Ms.toFixed(2)} ms, p99 ${all.p99Ms.toFixed(2)} ms`,
  );
  return holds;
}

function added(name: Name, times: Times) {
  const over = (which: keyof Sorted) => {
    const [own, direct] = [times[name][which], times.direct[which]];
    return {
      p50Ms: median(own) - median(direct),
      p99Ms: percentile(own, 99) - percentile(direct, 99),
    };
  };
  return { steady: over("steady"), all: over("all") };
}

async function hotAccount(site: Site, target: Gateway, wrk: string): Promise<number> {
  const load = { target, mode: "non-streaming", connections: HOT_CONNECTIONS } as const;
  const run = makeWrk(site, { wrk, key: target.key });
  await run({ ...load, seconds: 2 });
  const { requests, seconds } = await run({ ...load, seconds: HOT_SECONDS });
  return requests / seconds;
}

function hotVerdict(perSecond: number): boolean {
  const holds = perSecond >= HOT_PER_SECOND_MIN;
  const figure = `${perSecond.toFixed(0)} admissions a second (at least ${HOT_PER_SECOND_MIN})`;
  say(`${holds ? "holds:         " : "does not hold: "}one hot account on postgres: ${figure}`);
  return holds;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const site = openSite();
closeOnSignal(site);
try {
  process.exitCode = (await measure(site)) || !Bun.argv.includes("--check") ? 0 : 1;
} finally {
  await site.close();
}
