import { afterAll, beforeAll, expect, test } from "bun:test";
import { askedFor, logLines, MODELS, type Pair, startPair, wellAs } from "./failover-rig.ts";

/** An upstream that takes requests and says nothing, and comes back. */

const FIRST_BYTE_MS = 1_000;
/** What a busy machine may add. */
const SLACK_MS = 900;
const [model = ""] = MODELS;
let rig: Pair;
beforeAll(async () => {
  rig = await startPair({
    WICKETGATE_FIRST_BYTE_SECONDS: "1",
    WICKETGATE_FIRST_BYTE_STREAM_SECONDS: "1",
  });
});
afterAll(() => rig.stop());

type Heard = { by: string; ms: number };

async function ask(stream: boolean): Promise<Heard> {
  const beganTick = performance.now();
  const { status, text } = await rig.ask(model, { stream });
  expect(status).toBe(200);
  if (stream) expect(text).toContain("[DONE]");
  return { by: /This is (\w+)\./.exec(text)?.[1] ?? "nobody", ms: performance.now() - beganTick };
}

const askMany = (count: number) => Promise.all(Array.from({ length: count }, (_, at) => ask(at % 2 === 0)));
const asked = () => askedFor(rig.first, model);

/** One of them waits for it, and the others do not. */
async function expectOneTrial(): Promise<void> {
  const before = asked();
  const heard = await askMany(6);
  expect(asked() - before).toBe(1);
  const slow = heard.filter(({ ms }) => ms >= FIRST_BYTE_MS - 50);
  expect(slow).toHaveLength(1);
  for (const { by, ms } of heard) {
    expect(by).toBe("second");
    expect(ms).toBeLessThan(FIRST_BYTE_MS + SLACK_MS);
  }
}

test("requests move to the other within the limit; it rests, is tried by one request at a time, and is taken back", async () => {
  rig.first.script(() => {});

  // Nobody knows yet: each waits for as long as it may, and is answered by the other.
  for (const { by, ms } of await askMany(6)) {
    expect(by).toBe("second");
    expect(ms).toBeGreaterThan(FIRST_BYTE_MS - 50);
    expect(ms).toBeLessThan(FIRST_BYTE_MS + SLACK_MS);
  }
  expect(asked()).toBe(6);

  // It rests for a second, and nobody waits for it.
  for (const { by, ms } of await askMany(20)) {
    expect(by).toBe("second");
    expect(ms).toBeLessThan(SLACK_MS);
  }
  expect(asked()).toBe(6);

  // Tried, in vain: twice as long.
  await Bun.sleep(1_000);
  await expectOneTrial();
  const restedTick = performance.now();
  await Bun.sleep(1_500);
  for (const { by } of await askMany(10)) expect(by).toBe("second");
  expect(asked()).toBe(7);

  // It has come back, and is found to have by the next trial.
  rig.first.script(wellAs("first"));
  await Bun.sleep(Math.max(0, restedTick + 2_050 - performance.now()));
  expect((await ask(true)).by).toBe("first");
  for (const { by, ms } of await askMany(20)) {
    expect(by).toBe("first");
    expect(ms).toBeLessThan(SLACK_MS);
  }

  // Let go each time, and on the record of each request.
  expect(rig.first.aborts()).toBe(7);
  const rows = await rig.rows();
  const moved = rows.filter(({ attempts }) => attempts.length > 0);
  expect(moved).toHaveLength(7);
  for (const { attempts, upstream, cost, state } of moved) {
    expect({ upstream, cost, state }).toEqual({ upstream: "second", cost: "0.000081", state: "settled" });
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toMatchObject({ upstream: "first", why: expect.stringContaining("no answer in") });
    expect(attempts[0]?.ms).toBeGreaterThan(FIRST_BYTE_MS - 50);
  }
  expect(logLines(rig.gateway, "upstream.passed_over")).toHaveLength(7);
}, 30_000);
