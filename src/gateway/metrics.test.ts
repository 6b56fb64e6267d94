import { describe, expect, test } from "bun:test";
import { refusal } from "../domain/errors.ts";
import { NO_USAGE } from "../domain/usage.ts";
import type { Admission, PendingAdmission, Settlement } from "../store/store.ts";
import { noteDecision } from "./admit.ts";
import type { Call } from "./call.ts";
import type { Gate } from "./gate.ts";
import { Metrics } from "./metrics.ts";
import { mayReadMetrics } from "./metrics-page.ts";
import { refuse } from "./refuse.ts";

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
    metrics.ended("chat", "m", { ...END, attempts });
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

describe("a decision", () => {
  const noted = (admission: Admission) => {
    const metrics = new Metrics();
    const logged: unknown[] = [];
    const gate = { metrics, log: (...line: unknown[]) => void logged.push(line) } as unknown as Gate;
    const call = { id: "req_1" } as unknown as Call;
    const pending = { askedTick: performance.now() } as PendingAdmission;
    noteDecision(admission, { pending, call }, gate);
    const found = metrics.text().match(/^wicketgate_store_admission_seconds_count.*$/gm);
    return { counts: [...(found ?? [])], logged };
  };
  const counted = (outcome: string) => [`wicketgate_store_admission_seconds_count{outcome="${outcome}"} 1`];
  const refused = { admitted: false, refusal: refusal("store_unavailable"), recorded: false } as const;

  test("is counted with what became of it", () => {
    expect(noted({ admitted: true } as Admission)).toEqual({ counts: counted("admitted"), logged: [] });
    expect(noted(refused)).toEqual({ counts: counted("refused"), logged: [] });
  });

  test("that could not be made is told in the log, too", () => {
    const { counts, logged } = noted({ ...refused, failure: "the disk is gone" });
    expect(counts).toEqual(counted("failed"));
    expect(logged).toEqual([["error", "store.unavailable", { request: "req_1", why: "the disk is gone" }]]);
  });
});

describe("a refusal", () => {
  const refusedWith = (isAdmitted: boolean) => {
    const metrics = new Metrics();
    const gate = { metrics } as unknown as Gate;
    const http = new Request("http://gate.example/v1/chat/completions");
    const call = { id: "req_1", http, operation: "chat", dialect: "chat", isAdmitted } as unknown as Call;
    refuse(call, refusal("upstream_failed", { model: "made-up" }), gate);
    return metrics.text();
  };

  test("is counted before admission by its reason alone, and after it at the request's end", () => {
    const text = refusedWith(false);
    expect(text).toContain('wicketgate_refusals_total{reason="upstream_failed"} 1\n');
    // Nobody has said yet that there is such a model.
    expect(text).not.toContain("made-up");
    expect(refusedWith(true)).not.toContain("upstream_failed");
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
