import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../domain/usage.ts";
import { readChatRequest } from "../protocols/openai-chat/read-request.ts";
import type { Admitted, Settlement } from "../store/store.ts";
import { UpstreamHealth } from "../upstream/health.ts";
import type { Call } from "./call.ts";
import type { Countable, Tokens } from "./count-tokens.ts";
import { NO_CONTENT } from "./endings.ts";
import { Flight, type FlightEnd } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { Metrics } from "./metrics.ts";
import type { Way } from "./resolve.ts";
import { RetryBudget } from "./retry-budget.ts";
import { runningRequests } from "./running.ts";

/** Only what a flight touches; the rest of the gate is tested with the whole. */
function flown(countTokens: (what: Countable) => Promise<Tokens>) {
  const settled: Settlement[] = [];
  const checkpoints: unknown[] = [];
  const store = {
    settle: (settlement: Settlement) => void settled.push(settlement),
    checkpoint: (note: unknown) => void checkpoints.push(note),
  };
  const running = runningRequests();
  const kept: Request[] = [];
  const keepOpen = (request: Request) => void kept.push(request);
  const health = new UpstreamHealth();
  const retries = new RetryBudget();
  const metrics = new Metrics();
  const gate = {
    store,
    running,
    health,
    retries,
    metrics,
    countTokens,
    keepOpen,
    nowMs: () => 0,
    log: () => {},
  } as unknown as Gate;
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello there" }] });
  const read = readChatRequest(Buffer.from(body));
  if ("refusal" in read) throw new Error("the request is good");
  const picos = { inputPicos: 0n, cacheReadPicos: 0n, cacheWrite5mPicos: 0n, cacheWrite1hPicos: 0n };
  const price = { id: "prc_1", ...picos, outputPicos: 0n, requestPicos: 0n, tiers: [] };
  const quote = { basePicos: 0n, outputPicos: 0n };
  const http = new Request("http://gate.example/v1/chat/completions");
  const flight = new Flight(
    {
      call: {
        id: "req_1",
        http,
        operation: "chat",
        dialect: "chat",
        startedAtMs: 0,
        startedTick: performance.now(),
        isAdmitted: false,
      } as Call,
      way: { request: read.request, upstream: { name: "up", cost: 10_000 }, price, quote } as unknown as Way,
      admitted: { outputTokens: 50, multiplier: 10_000n } as unknown as Admitted,
    },
    gate,
  );
  const guess = { input: Math.ceil(body.length / 4), output: 3 };
  return { flight, settled, checkpoints, running, kept, guess, metrics };
}

const UNREPORTED: FlightEnd = {
  status: 200,
  reason: null,
  usage: { reported: null, bad: false },
  content: { bytes: 12, sample: Buffer.from("Hello, world") },
};
const never = () => Promise.reject(new Error("nobody counts here"));

describe("a flight whose usage was reported", () => {
  test("is settled at once, and nothing is counted", () => {
    const { flight, settled, running } = flown(never);
    const reported = { ...NO_USAGE, input: 7, output: 8 };
    flight.settle({ ...UNREPORTED, usage: { reported, bad: false } });
    expect(settled).toMatchObject([{ usage: reported, source: "reported" }]);
    expect(running.count()).toBe(0);
  });

  test("is admitted from its beginning, and counted once however often it ends", () => {
    const { flight, metrics } = flown(never);
    expect(flight.call.isAdmitted).toBe(true);
    expect(metrics.text()).not.toContain('model="m"');
    const usage = { reported: { ...NO_USAGE, input: 7, output: 8 }, bad: false };
    flight.settle({ ...UNREPORTED, usage });
    flight.settle({ ...UNREPORTED, usage });
    flight.void({ status: 502, reason: "upstream_failed" });
    expect(metrics.text().match(/^wicketgate_requests_total\{.*$/gm)).toEqual([
      'wicketgate_requests_total{operation="chat",model="m",status="200"} 1',
    ]);
  });
});

describe("a flight without a reported usage", () => {
  test("runs until it is counted, and is then settled once", async () => {
    const counting = Promise.withResolvers<Tokens>();
    const { flight, settled, checkpoints, running, kept } = flown(() => counting.promise);
    let ticks = 0;
    flight.onTick = () => void ticks++;
    flight.settle(UNREPORTED);
    const idle = running.idle().then(() => settled.length);

    // Nothing that comes meanwhile ends it a second time, or touches a connection that is gone.
    flight.settle({ ...UNREPORTED, status: 499 });
    flight.void({ status: 502, reason: "upstream_failed" });
    flight.stop({ kind: "left" });
    flight.stay();
    running.tick(1_000);
    flight.checkpoint(12, 50);
    expect({ ticks, settled, checkpoints, kept, stopped: flight.stopped }).toEqual({
      ticks: 0,
      settled: [],
      checkpoints: [],
      kept: [],
      stopped: null,
    });
    expect(running.count()).toBe(1);

    const endedTick = performance.now();
    await Bun.sleep(30);
    counting.resolve({ input: 6, output: 4 });
    expect(await idle).toBe(1);
    expect(settled).toMatchObject([
      { state: "settled", status: 200, source: "estimated", usage: { input: 6, output: 4 } },
    ]);
    expect(settled[0]?.durationMs).toBeLessThan(performance.now() - endedTick);
    expect(running.count()).toBe(0);
  });

  test("is asked for with all that is needed to count it, and to guess", async () => {
    const asked: Countable[] = [];
    const { flight, guess } = flown(what => {
      asked.push(what);
      return Promise.resolve(what.guess);
    });
    flight.settle(UNREPORTED);
    const request = flight.way.request.bytes;
    expect(asked).toEqual([{ dialect: "chat", request, dataTokens: 0, content: UNREPORTED.content, guess }]);
  });

  test("pays for no more output than was granted", async () => {
    const { flight, settled, running } = flown(() => Promise.resolve({ input: 6, output: 51 }));
    flight.settle(UNREPORTED);
    await running.idle();
    expect(settled).toMatchObject([{ usage: { input: 6, output: 50 } }]);
  });

  test("is settled at the guess where nobody can count", async () => {
    const broken = () => {
      throw new Error("broken");
    };
    for (const count of [never, broken]) {
      const { flight, settled, running, guess } = flown(count);
      flight.settle(UNREPORTED);
      await running.idle();
      expect(settled).toMatchObject([{ usage: guess, source: "estimated" }]);
    }
  });

  test("is marked where its report could not be believed", async () => {
    const { flight, settled, running } = flown(({ guess }) => Promise.resolve(guess));
    flight.settle({ ...UNREPORTED, usage: { reported: null, bad: true }, content: NO_CONTENT });
    await running.idle();
    expect(settled).toMatchObject([{ usage: { output: 0 }, source: "clamped" }]);
  });
});
