import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { playDemo } from "./dialects-upstream.ts";
import { askedFor, type Failover, startFailover, wellAs } from "./failover-rig.ts";
import { eventually } from "./harness.ts";
import { type MockUpstream, mockUpstream } from "./harness-upstream.ts";

/** The other upstream may speak another dialect. */

let rig: Failover;
let native: MockUpstream;
let foreign: MockUpstream;
beforeAll(async () => {
  native = await mockUpstream();
  foreign = await mockUpstream();
  rig = await startFailover({
    places: [
      { name: "native", baseUrl: native.baseUrl, speaks: "chat" },
      { name: "foreign", baseUrl: foreign.baseUrl, kind: "anthropic", speaks: "messages", priority: 1 },
    ],
    models: ["demo", "demo-many", "demo-back"],
  });
});
afterAll(() => rig.stop().finally(() => Promise.all([native.close(), foreign.close()])));
beforeEach(() => {
  native.script(exchange => exchange.reply(500, "{}"));
  foreign.script(exchange => playDemo(exchange, []));
});

async function rowOf(requestId: string) {
  const found = await eventually(async () => {
    const row = (await rig.rows()).find(({ id }) => id === requestId);
    return row !== undefined && row.state !== "open" && row;
  });
  if (found === null) throw new Error(`${requestId} has no row`);
  return found;
}

describe("where the upstream that speaks chat fails, one that speaks messages answers", () => {
  for (const stream of [false, true]) {
    test(`in chat${stream ? ", as a stream" : ""}, and is charged by what it reports`, async () => {
      const more = stream ? { stream, stream_options: { include_usage: true } } : {};
      const { status, text, requestId } = await rig.ask("demo", { max_tokens: 50, ...more });
      expect(status).toBe(200);
      expect(text).toContain(stream ? '"object":"chat.completion.chunk"' : '"object":"chat.completion"');
      if (stream) expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
      expect(text).not.toContain("message_start");
      const row = await rowOf(requestId);
      expect(row).toMatchObject({
        ...{ state: "settled", status: 200, reason: null, upstream: "foreign", source: "reported" },
        attempts: [{ upstream: "native", why: "status 500" }],
      });
      const told = /"prompt_tokens":(\d+),"completion_tokens":(\d+)/.exec(text);
      expect(told).not.toBeNull();
      expect([row.input_tokens, row.output_tokens]).toEqual([Number(told?.[1]), Number(told?.[2])]);
      expect(Number(row.cost)).toBeCloseTo((row.input_tokens + 10 * row.output_tokens) / 1e6, 9);
    });
  }
});

test("where the other one cannot be asked this in its dialect, the client is not blamed, nor is the other", async () => {
  const { status, error, requestId } = await rig.ask("demo-many", { n: 2 });
  expect([status, error?.reason]).toEqual([502, "upstream_failed"]);
  expect([askedFor(native, "demo-many"), askedFor(foreign, "demo-many")]).toEqual([1, 0]);
  expect(await rowOf(requestId)).toMatchObject({ state: "voided", reason: "upstream_failed", cost: "0.00" });
});

test("nothing is translated where the one that speaks the dialect of the client is well", async () => {
  native.script(wellAs("native"));
  expect((await rig.ask("demo-back")).text).toContain("This is native.");
  expect(askedFor(foreign, "demo-back")).toBe(0);
});
