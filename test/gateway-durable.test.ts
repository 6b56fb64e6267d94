import { expect, test } from "bun:test";
import { refusal } from "../src/domain/errors.ts";
import { deriveKeyString } from "../src/domain/key-string.ts";
import type { Gate } from "../src/gateway/gate.ts";
import { serve } from "../src/gateway/pipeline.ts";
import { RetryBudget } from "../src/gateway/retry-budget.ts";
import { runningRequests } from "../src/gateway/running.ts";
import { type Admission, type Settlement, StoreFailure } from "../src/store/store.ts";
import { UpstreamFailure } from "../src/upstream/answer.ts";
import { demoExchange } from "../src/upstream/demo.ts";
import { UpstreamHealth } from "../src/upstream/health.ts";
import { expectRefused } from "./case-refusal.ts";
import { answerOf, chatBody } from "./harness-client.ts";

/**
 * What no outside observer can tell apart, because a killed process leaves the system's own buffers whole: the first
 * byte waits until the hold is on the disk, and a store that breaks lets nobody in.
 */

type Fake = {
  gate: Gate;
  settled: Settlement[];
  decide: (admission: Admission) => void;
  breakDown: () => void;
  durable: PromiseWithResolvers<void>;
  sent: () => number;
};

const ADMITTED: Admission = {
  admitted: true,
  keyId: "key_1",
  multiplier: 10_000,
  outputTokens: 1_000,
  heldTokens: 1_000,
  loweredBy: null,
  rates: [],
  expiresAtMs: null,
};

function fakeGate(): Fake {
  const decided = Promise.withResolvers<Admission>();
  const durable = Promise.withResolvers<void>();
  const settled: Settlement[] = [];
  let sent = 0;
  const never = () => Promise.reject(new Error("not asked for here"));
  const none = 0n;
  const price = {
    id: "prc_1" as const,
    inputPicos: 1_000n,
    cacheReadPicos: none,
    cacheWrite5mPicos: none,
    cacheWrite1hPicos: none,
    outputPicos: 1_000n,
    requestPicos: none,
    tiers: [],
  };
  const model = { id: "mdl_1" as const, name: "demo", contextTokens: null, outputTokensMax: 1_000, price };
  const upstream = {
    id: "ups_1" as const,
    name: "demo",
    kind: "demo" as const,
    baseUrl: null,
    speaks: ["chat" as const],
    credentials: [],
    concurrencyMax: null,
    probeMinutes: null,
    resetAtMs: null,
    isPaused: false,
    cost: 10_000,
    priority: 0,
    weight: 1,
    models: new Map([["demo", "demo"]]),
  };
  let ids = 0;
  const gate: Gate = {
    nowMs: Date.now,
    store: {
      admit: () => ({
        askedTick: performance.now(),
        decided: decided.promise,
        durable: () => durable.promise,
      }),
      settle: settlement => void settled.push(settlement),
      checkpoint: () => {},
      extend: never,
      run: never,
      report: never,
      recover: never,
      flushed: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    echoesCredential: () => false,
    countTokens: ({ guess }) => Promise.resolve(guess),
    send: ({ body, upstreamModel, path }) => {
      sent += 1;
      if (!(body instanceof Uint8Array)) throw new Error("no upload is sent here");
      return demoExchange({ body, model: upstreamModel, path }, { nowMs: Date.now });
    },
    health: new UpstreamHealth(),
    retries: new RetryBudget(),
    running: runningRequests(),
    log: () => {},
    newId: prefix => `${prefix}_0000000000000000000000000${++ids}`,
    random: () => 0,
    lookupKey: new Uint8Array(32),
    catalogue: () => ({
      revision: 1,
      groups: new Map(),
      models: new Map([["demo", { ...model, createdAtMs: 0 }]]),
      upstreams: [upstream],
    }),
    publicUrl: () => "http://gate.example",
    clientAddress: () => "127.0.0.1",
    keepOpen: () => {},
    isDraining: () => false,
    isLeaving: () => false,
    metrics: { decided: () => {}, ended: () => {}, refused: () => {}, page: () => null },
    console: never,
    limits: {
      bodyBytesMax: 1_000_000,
      answerBytesMax: 1_000_000,
      eventBytesMax: 1_000_000,
      streamMsMax: 60_000,
      requestsInFlightMax: 10,
    },
  };
  const breakDown = () =>
    decided.resolve({
      admitted: false,
      refusal: refusal("store_unavailable"),
      recorded: false,
      failure: "the disk is gone",
    });
  return { gate, settled, decide: decided.resolve, breakDown, durable, sent: () => sent };
}

const request = (stream: boolean) =>
  new Request("http://gate.example/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${deriveKeyString(new Uint8Array(128).fill(9))}` },
    body: JSON.stringify(chatBody("demo", { stream })),
  });

for (const stream of [true, false]) {
  const kind = stream ? "a stream" : "an answer";
  test(`not a byte of ${kind} goes out before its hold is durable, while the upstream is at work`, async () => {
    const { gate, decide, durable, sent } = fakeGate();
    decide(ADMITTED);
    let answered = false;
    const response = serve(request(stream), "chat", gate);
    response.then(() => {
      answered = true;
    });
    await Bun.sleep(100);
    expect(sent()).toBe(1);
    expect(answered).toBe(false);
    durable.resolve();
    expect((await response).status).toBe(200);
  });

  test(`${kind} whose hold cannot be made durable is not given, and not charged`, async () => {
    const { gate, decide, durable, settled } = fakeGate();
    decide(ADMITTED);
    durable.reject(new StoreFailure("the disk is full"));
    const seen = await answerOf(await serve(request(stream), "chat", gate));
    expectRefused(seen, "store_unavailable");
    expect(seen.text).not.toContain("disk");
    expect(settled).toHaveLength(1);
    expect(settled[0]).toMatchObject({ state: "voided", cost: 0n });
  });

  test(`a store that breaks lets nobody in, and no upstream is asked (${kind})`, async () => {
    const { gate, breakDown, sent } = fakeGate();
    breakDown();
    const seen = await answerOf(await serve(request(stream), "chat", gate));
    expectRefused(seen, "store_unavailable");
    expect(seen.text).not.toContain("disk");
    expect(sent()).toBe(0);
  });
}

test("a client that leaves while its hold is on the way to the disk leaves no hold open", async () => {
  const { gate, decide, durable, settled } = fakeGate();
  decide(ADMITTED);
  const leaving = new AbortController();
  const response = serve(new Request(request(true), { signal: leaving.signal }), "chat", gate);
  // The upstream has answered by now, and what is waited for is the disk.
  await Bun.sleep(50);
  leaving.abort();
  durable.resolve();
  // Nobody pulls the stream of a connection that is gone, so nobody does here.
  await response;
  await Bun.sleep(20);
  expect(settled).toHaveLength(1);
  expect(settled[0]).toMatchObject({ state: "settled", status: 499, reason: "client_left" });
});

test("whoever waits for a slow upstream hears at once that the hold was lost, and the upstream is let go", async () => {
  const { gate, decide, durable, settled } = fakeGate();
  const answer = Promise.withResolvers<never>();
  let aborted = false;
  const abort = () => {
    aborted = true;
    answer.reject(new UpstreamFailure("cut", "aborted"));
  };
  decide(ADMITTED);
  const response = serve(request(false), "chat", {
    ...gate,
    send: () => ({ answer: answer.promise, abort }),
  });
  await Bun.sleep(50);
  durable.reject(new StoreFailure("the disk is full"));
  expectRefused(await answerOf(await response), "store_unavailable");
  expect(aborted).toBe(true);
  expect(settled).toHaveLength(1);
  expect(settled[0]).toMatchObject({ state: "voided", cost: 0n });
});
