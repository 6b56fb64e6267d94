import { describe, expect, test } from "bun:test";
import { freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import { type FlakyUpstream, flakyUpstream } from "./failover-flaky.ts";
import { type Failover, logLines, startFailover, wellAs } from "./failover-rig.ts";
import { eventually, seeded } from "./harness.ts";
import { measured, querier, SECRET } from "./harness-cluster.ts";
import { mockUpstream } from "./harness-upstream.ts";

/** Of two upstreams one has a bad day, and hardly any client notices. */

const IS_FULL = process.env["WICKETGATE_PROVE"] === "full";
const SEED = Number(process.env["WICKETGATE_PROVE_SEED"] ?? 5);
const REQUESTS = IS_FULL ? 5_000 : 600;
const AT_ONCE = 16;
/** Slowly enough for it to be given several rests, and several chances. */
const GAP_MS = 50;
/** Each is judged by itself. */
const MODELS = Array.from({ length: 8 }, (_, at) => `mock-${at}`);
/** Few are lost: those that were cut when their client had seen the beginning. */
const SHARE_MIN = IS_FULL ? 0.97 : 0.95;
const RETRIES_MAX = 0.2;
const COST = "0.000081";

type Seen = { requestId: string; isGood: boolean };

async function askAll({ ask }: Failover): Promise<Seen[]> {
  const seen: Seen[] = [];
  let at = 0;
  const client = async () => {
    while (at < REQUESTS) {
      const model = MODELS[at % MODELS.length] ?? "";
      const stream = Math.floor(at / MODELS.length) % 2 === 0;
      at += 1;
      const { status, text, requestId } = await ask(model, { stream });
      const isWhole = text.trimEnd().endsWith(stream ? "data: [DONE]" : "}");
      const isGood = status === 200 && isWhole && /This is (flaky|steady)\./.test(text);
      seen.push({ requestId, isGood });
      await Bun.sleep(GAP_MS);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return seen;
}

async function resolvedRows(rig: Failover) {
  const rows = await eventually(async () => {
    const found = await rig.rows();
    return found.every(({ state }) => state !== "open") && found;
  }, 20_000);
  if (rows === null) throw new Error("some rows stay open");
  return rows;
}

/** What clients saw, and what was charged for it. */
async function play(rig: Failover, flaky: FlakyUpstream): Promise<void> {
  const seen = await askAll(rig);
  const rows = new Map((await resolvedRows(rig)).map(row => [row.id, row]));
  expect(seen).toHaveLength(REQUESTS);
  expect(rows.size).toBe(REQUESTS);

  const good = seen.filter(({ isGood }) => isGood);
  for (const { requestId } of good) {
    expect(rows.get(requestId)).toMatchObject({
      ...{ state: "settled", status: 200, reason: null, source: "reported", cost: COST },
    });
  }
  const share = good.length / REQUESTS;
  expect(share).toBeGreaterThanOrEqual(SHARE_MIN);

  const attempts = [...rows.values()].flatMap(row => row.attempts.map(attempt => ({ ...attempt, row })));
  for (const { upstream, why, row } of attempts) {
    expect(upstream).toBe("flaky");
    expect(row.upstream).toBe("steady");
    expect(why).not.toBe("");
  }
  // The one that is well never failed, so nothing was repeated for its sake.
  expect(attempts.length).toBeGreaterThan(0);
  expect(attempts.length / REQUESTS).toBeLessThanOrEqual(RETRIES_MAX);
  expect(logLines(rig.gateway, "upstream.passed_over")).toHaveLength(attempts.length);

  const counts = flaky.counts();
  for (const fault of ["connect", "5xx", "cut", "garbage", "well"]) {
    expect(counts[fault] ?? 0).toBeGreaterThan(0);
  }
  measured(
    `${good.length} of ${REQUESTS} answered (${(100 * share).toFixed(2)} %), ${attempts.length} asked twice ` +
      `(${((100 * attempts.length) / REQUESTS).toFixed(1)} %); the flaky one played ${JSON.stringify(counts)}`,
  );
}

describe("one of two upstreams fails two times of five", () => {
  for (const database of ["SQLite", "PostgreSQL"]) {
    test(
      `and nearly all are answered, each charged once, on ${database}`,
      async () => {
        const url = database === "PostgreSQL" ? await freshDatabase() : null;
        const flaky = await flakyUpstream("flaky", seeded(SEED));
        const steady = await mockUpstream(wellAs("steady"));
        const rig = await startFailover({
          places: [
            { name: "flaky", baseUrl: flaky.baseUrl },
            { name: "steady", baseUrl: steady.baseUrl },
          ],
          models: MODELS,
          env: url === null ? {} : { DATABASE_URL: url, WICKETGATE_SECRET: SECRET },
        });
        try {
          await play(rig, flaky);
          if (url !== null) {
            const doubled = await querier(url)(
              "select usage_id from ledger where kind = 'charge' group by usage_id having count(*) > 1",
            );
            expect(doubled).toEqual([]);
          }
        } finally {
          await rig.stop();
          await Promise.all([flaky.close(), steady.close()]);
        }
      },
      IS_FULL ? 300_000 : 60_000,
    );
  }
});
