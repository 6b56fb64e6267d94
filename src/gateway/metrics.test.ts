import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../domain/usage.ts";
import type { Admission, AdmissionRequest, Settlement, Store } from "../store/store.ts";
import { Metrics } from "./metrics.ts";
import { mayReadMetrics } from "./metrics-page.ts";
import { measuredStore } from "./metrics-store.ts";

const END: Omit<Settlement, "id"> = {
  state: "settled",
  status: 200,
  reason: null,
  upstream: "second",
  usage: { ...NO_USAGE, input: 3, output: 4, reasoning: 2 },
  cost: 2_500_000_000n,
  bound: 0n,
  source: "reported",
  firstByteMs: 40,
  durationMs: 2_000,
};

describe("a settlement", () => {
  test("counts the upstream that answered, and those that were passed over, without their sentences", () => {
    const metrics = new Metrics();
    const attempts = JSON.stringify([{ upstream: "first", why: "connect to 10.0.0.1 refused", ms: 3 }]);
    metrics.ended({ operation: "chat", model: "m" }, { ...END, attempts });
    const text = metrics.text();
    expect(text).toContain(
      'wicketgate_upstream_requests_total{upstream="first",model="m",outcome="passed_over"} 1',
    );
    expect(text).toContain('wicketgate_upstream_requests_total{upstream="second",model="m",outcome="ok"} 1');
    expect(text).toContain('wicketgate_cost_usd_total{model="m"} 2.5');
    expect(text).not.toContain("10.0.0.1");
    // Reasoning is a part of the output, and not told twice.
    expect(text.match(/^wicketgate_tokens_total\{.*$/gm)).toEqual([
      'wicketgate_tokens_total{model="m",kind="input"} 3',
      'wicketgate_tokens_total{model="m",kind="output"} 4',
    ]);
  });
});

describe("the store that counts", () => {
  const request = (id: string, model: string) =>
    ({ id, dialect: "chat", ask: { model } }) as unknown as AdmissionRequest;
  const world = (decided: Promise<Admission>) => {
    const settled: Settlement[] = [];
    const store = {
      admit: () => ({ decided, durable: () => null }),
      settle: (settlement: Settlement) => void settled.push(settlement),
    } as unknown as Store;
    const metrics = new Metrics();
    return { metrics, settled, ...measuredStore(store, metrics) };
  };

  test("passes everything on, and counts a request once however often it is settled", async () => {
    const { store, open, metrics, settled } = world(Promise.resolve({ admitted: true } as Admission));
    await store.admit(request("req_1", "m")).decided;
    expect(open.has("req_1")).toBe(true);
    store.settle({ id: "req_1", ...END });
    store.settle({ id: "req_1", ...END });
    expect(settled.length).toBe(2);
    expect(open.has("req_1")).toBe(false);
    expect(metrics.text()).toContain('{operation="chat",model="m",status="200"} 1\n');
  });

  test("never makes a label of the model of a request that was not admitted", async () => {
    const refused = world(Promise.resolve({ admitted: false } as Admission));
    await refused.store.admit(request("req_1", "made-up")).decided;
    const failed = world(Promise.reject(new Error("away")));
    await failed.store.admit(request("req_1", "made-up")).decided.catch(() => null);
    for (const { metrics, open } of [refused, failed]) {
      expect(open.has("req_1")).toBe(false);
      expect(metrics.text()).not.toContain("made-up");
    }
    expect(failed.metrics.text()).toContain('wicketgate_store_admission_seconds_count{outcome="failed"} 1');
  });
});

describe("who may read it", () => {
  const from = ["127.0.0.0/8", "::1", "10.1.0.0/16"];
  const may = (address: string, peer = address, headers: Record<string, string> = {}) =>
    mayReadMetrics(new Request("http://gate.example/metrics", { headers }), { address, peer, from });

  test.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "10.1.2.3"])("%s may", address => {
    expect(may(address)).toBe(true);
  });

  test.each(["", "203.0.113.9", "10.2.0.1", "::ffff:203.0.113.9", "::2", "localhost"])(
    "“%s” may not",
    address => {
      expect(may(address)).toBe(false);
    },
  );

  test("whoever came through a proxy goes by where they came from, and not by the proxy", () => {
    expect(may("127.0.0.1", "127.0.0.1", { "x-real-ip": "127.0.0.1" })).toBe(false);
    expect(may("203.0.113.9", "127.0.0.1", { "x-forwarded-for": "203.0.113.9" })).toBe(false);
    expect(may("10.1.0.7", "127.0.0.1", { "x-forwarded-for": "10.1.0.7" })).toBe(true);
  });
});
