import { afterAll, expect, test } from "bun:test";
import { freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import { type Environment, freshDir, type MadeKey, mustRun, removeDir, seeded } from "./harness.ts";
import { type Figures, KillLoop } from "./harness-kill.ts";
import { pacedUpstream } from "./harness-paced.ts";

/** Killed at any moment under load: no hold is left open, no money is lost or charged twice, no row is missing. */

/** How often, where more is to be shown than fits into every run of the tests. */
const asked =
  process.env["WICKETGATE_TEST_KILLS"] ?? (process.env["WICKETGATE_PROVE"] === "full" ? "100" : undefined);
const KILLS = Number(asked ?? 12);
const POSTGRES_KILLS = asked === undefined ? 4 : Math.ceil(KILLS / 5);
const STREAMS = 50;
const HURRIED = 4;
const READY_MS_MAX = 2_000;
const SEED = 20_261_115;
const TEST_MS_MAX = 120_000 + KILLS * 10_000;

const dirs: string[] = [];
const loops: KillLoop[] = [];
afterAll(async () => {
  for (const { gateway, options } of loops) {
    await gateway?.kill();
    await options.paced.upstream.close();
  }
  for (const dir of dirs) removeDir(dir);
});

const names = (kills: number) => Array.from({ length: kills }, (_, round) => `round ${round}`);
const yaml = (baseUrl: string, kills: number) => `
upstreams: [{ name: paced, kind: openai-compatible, base_url: "${baseUrl}", models: [paced] }]
models: [{ name: paced, max_output_tokens: 100000, price: { input: 1, output: 10 } }]
groups: [{ name: default, models: [paced] }]
accounts: [{ email: ann@example.org, balance: 100000 }]
keys:
${names(kills)
  .map(name => `  - { account: ann@example.org, name: "${name}", group: default }`)
  .join("\n")}
`;

async function killed(kills: number, more: Environment): Promise<Figures> {
  const dir = freshDir();
  dirs.push(dir);
  const env = { WICKETGATE_DEMO: "off", ...more };
  const paced = await pacedUpstream();
  const loop = new KillLoop({ dir, env, paced, random: seeded(SEED), streams: STREAMS, hurried: HURRIED });
  loops.push(loop);
  const stdin = yaml(paced.upstream.baseUrl, kills);
  const made = await mustRun(dir, ["apply", "-", "--json"], { env, stdin });
  const { keys } = JSON.parse(made) as { keys: MadeKey[] };
  expect(keys).toHaveLength(kills);
  for (const key of keys) await loop.round(key);
  await loop.gateway?.kill();
  if (asked !== undefined) process.stdout.write(`${told(loop.figures)}\n`);
  return loop.figures;
}

function readiness({ readyMs }: Figures): { middle: number; last: number } {
  const sorted = readyMs.toSorted((a, b) => a - b).map(Math.round);
  return { middle: sorted[Math.floor(sorted.length / 2)] ?? 0, last: sorted.at(-1) ?? 0 };
}

function told(figures: Figures): string {
  const { kills, settled, interrupted, unbilledMs } = figures;
  const { middle, last } = readiness(figures);
  return [
    `${kills} kills, ${interrupted} streams cut, ${settled} settled before`,
    `at most ${Math.round(unbilledMs)} ms of a stream not billed`,
    `ready again in ${middle} ms, at most ${last} ms`,
  ].join("; ");
}

function expectGood(figures: Figures): void {
  const { kills, settled, interrupted, readyMs } = figures;
  expect(readyMs.length).toBeGreaterThan(kills);
  expect(readiness(figures).last).toBeLessThan(READY_MS_MAX);
  // Otherwise nothing was tried: each kill must have met streams on their way, and let others finish before.
  expect(interrupted).toBeGreaterThan(kills * STREAMS * 0.8);
  expect(settled).toBeGreaterThan(kills * 5);
}

test(
  `SIGKILL under ${STREAMS} streams, ${KILLS} times`,
  async () => {
    expectGood(await killed(KILLS, {}));
  },
  TEST_MS_MAX,
);

test(
  `SIGKILL under ${STREAMS} streams on PostgreSQL, ${POSTGRES_KILLS} times`,
  async () => {
    expectGood(await killed(POSTGRES_KILLS, { DATABASE_URL: await freshDatabase() }));
  },
  TEST_MS_MAX,
);
