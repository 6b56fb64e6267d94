import { dataDirOf, type Gateway, startGateway, wicketgate } from "./gateway.ts";
import { makeWrk } from "./load.ts";
import { describeMachine } from "./machine.ts";
import { pace } from "./pace.ts";
import { startPostgresServer } from "./postgres.ts";
import { closeOnSignal, openSite, type Site } from "./site.ts";
import { median, percentile } from "./statistics.ts";
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

type Times = Record<"direct" | "sqlite" | "postgres", number[]>;

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
    const times = await pacedRounds(upstream, gateways);
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
  upstream: Target,
  gateways: Record<"sqlite" | "postgres", Gateway>,
): Promise<Times> {
  const times: Times = { direct: [], sqlite: [], postgres: [] };
  const load = { perSecond: PER_SECOND, seconds: SECONDS_PER_ROUND };
  for (const gateway of Object.values(gateways)) await pace({ ...load, target: gateway, key: gateway.key });
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS}`);
    times.direct.push(...(await pace({ ...load, target: upstream, key: "none" })));
    for (const name of ["sqlite", "postgres"] as const) {
      const gateway = gateways[name];
      times[name].push(...(await pace({ ...load, target: gateway, key: gateway.key })));
    }
  }
  return times;
}

function verdict(name: "sqlite" | "postgres", times: Times): boolean {
  const added = (p: number) => percentile(times[name], p) - percentile(times.direct, p);
  const [p50Ms, p99Ms] = [median(times[name]) - median(times.direct), added(99)];
  const limits = LIMITS[name];
  const holds = p50Ms <= limits.p50Ms && p99Ms <= limits.p99Ms;
  const figures = `median ${p50Ms.toFixed(2)} ms (at most ${limits.p50Ms}), p99 ${p99Ms.toFixed(2)} ms (at most ${limits.p99Ms})`;
  say(`${holds ? "holds:         " : "does not hold: "}added on ${name}: ${figures}`);
  return holds;
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
