import { beforeEach, expect, test } from "bun:test";
import type { Catalogue, Upstream } from "../domain/catalogue.ts";
import { type Answer, failedExchange, UpstreamFailure } from "../upstream/answer.ts";
import { type Place, UpstreamHealth } from "../upstream/health.ts";
import type { Send, Sender } from "../upstream/send.ts";
import { Probes } from "./probes.ts";

const MINUTE_MS = 60_000;

const upstream: Upstream = {
  ...{ id: "ups_1", name: "up", kind: "openai-compatible", baseUrl: "https://api.example.org/v1" },
  ...{ speaks: ["chat"], credentials: [{ id: "crd_1", sealed: new Uint8Array() }], priority: 0, weight: 1 },
  ...{ concurrencyMax: 1, probeMinutes: 5, resetAtMs: null },
  isPaused: false,
  cost: 10_000,
  models: new Map([
    ["m", "known-m"],
    ["n", "known-n"],
  ]),
};
const place: Place = { upstream: "ups_1", model: "m", credential: "crd_1", hasOthers: false };

let nowMs: number;
let sent: Send[];
let answer: () => ReturnType<Sender>;
let health: UpstreamHealth;
let probes: Probes;
let upstreams: Upstream[];
beforeEach(() => {
  nowMs = 1_000_000;
  sent = [];
  upstreams = [upstream];
  answer = () =>
    whole(200, '{"choices":[{"message":{"role":"assistant","content":"ready"},"finish_reason":"stop"}]}');
  health = new UpstreamHealth({ credentialRestMs: MINUTE_MS });
  const catalogue = () => ({ upstreams }) as unknown as Catalogue;
  probes = new Probes({ nowMs: () => nowMs, log: () => {}, catalogue, health });
});

function whole(status: number, text: string): ReturnType<Sender> {
  const told: Answer = {
    status,
    headers: new Map([["content-type", "application/json"]]),
    read: consumer => {
      consumer.onBytes(Buffer.from(text));
      consumer.onEnd();
    },
    ...{ pause: () => {}, resume: () => {}, abort: () => {} },
  };
  return { answer: Promise.resolve(told), abort: () => {} };
}

const send: Sender = one => {
  sent.push(one);
  return answer();
};

async function look(afterMs = 0): Promise<void> {
  nowMs += afterMs;
  probes.look(send);
  await Bun.sleep(5);
}

test("an upstream is asked as often as it is said, one model after the other, and nobody else is", async () => {
  upstreams = [upstream, { ...upstream, id: "ups_2", probeMinutes: null }];
  await look();
  expect(sent).toHaveLength(0);
  await look(5 * MINUTE_MS - 1);
  expect(sent).toHaveLength(0);
  await look(1);
  await look(1_000);
  await look(5 * MINUTE_MS);
  await look(5 * MINUTE_MS);
  expect(sent.map(({ upstreamModel, upstream: { id } }) => [id, upstreamModel])).toEqual([
    ["ups_1", "known-m"],
    ["ups_1", "known-n"],
    ["ups_1", "known-m"],
  ]);
  expect(health.running("ups_1")).toBe(0);
});

test("one that is well again is taken back without a client's request", async () => {
  await look();
  const failure = { why: "status 500", retryAfterMs: null, isCredential: false };
  for (let count = 0; count < 5; count++)
    health.failed(place, { failure, nowMs: nowMs + 5 * MINUTE_MS - 2_000 });
  await look(5 * MINUTE_MS);
  expect(health.standing("ups_1", "m")?.state).toBe("open");
});

test("a key that is refused is found out, and what it says costs nobody a request", async () => {
  answer = () => whole(401, "{}");
  await look();
  await look(5 * MINUTE_MS);
  expect(health.restOf(upstream, "m", nowMs)).toMatchObject({ state: "resting", why: "status 401" });
  answer = () => failedExchange(new UpstreamFailure("connect", "refused"));
  await look(5 * MINUTE_MS);
  expect(health.running("ups_1")).toBe(0);
});

test("one that is busy, or asked to be left alone, is left alone", async () => {
  await look();
  health.begins(place, nowMs);
  await look(5 * MINUTE_MS);
  health.ends(place);
  const failure = { why: "status 503", retryAfterMs: 600_000, isCredential: false };
  for (const model of ["m", "n"]) health.failed({ ...place, model }, { failure, nowMs });
  await look(5 * MINUTE_MS);
  expect(sent).toHaveLength(0);
});
