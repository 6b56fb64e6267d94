import { describe, expect, test } from "bun:test";
import type { StopReason } from "../../domain/chat.ts";
import { type FinishReason, readStop, writeStop } from "./stop.ts";

const read = (raw: unknown, rest: { hasCalls?: boolean; hasRefusal?: boolean; matched?: unknown } = {}) =>
  readStop({ raw, matched: null, hasCalls: false, hasRefusal: false, ...rest });

describe("why an answer ended", () => {
  test.each([
    ["stop", "end"],
    ["STOP", "end"],
    ["end_turn", "end"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["MAX_TOKENS", "length"],
    ["model_length", "context-full"],
    ["content_filter", "filter"],
    ["refusal", "refusal"],
    ["pause_turn", "pause"],
    ["stop_sequence", "stop-sequence"],
    ["error", "unknown"],
    ["insufficient_system_resource", "unknown"],
    ["", "end"],
    [null, "end"],
    [7, "end"],
  ])("[P15] [P16] %j is read as %s", (raw, reason) => {
    expect(read(raw).reason).toBe(reason as StopReason);
  });

  test("is kept as it was said", () => {
    expect(read("insufficient_system_resource").raw).toBe("insufficient_system_resource");
    expect(read("").raw).toBeNull();
  });

  test.each(["stop", "tool_calls", "function_call", "eos", "", null, "nonsense"])(
    "[P13] with calls and %j is for the calls",
    raw => {
      expect(read(raw, { hasCalls: true }).reason).toBe("tool-calls");
    },
  );

  test.each([
    ["length", "length"],
    ["content_filter", "filter"],
    ["model_length", "context-full"],
    ["pause_turn", "pause"],
    ["refusal", "refusal"],
  ])("[P13] [P16] with calls and %j is still %s", (raw, reason) => {
    expect(read(raw, { hasCalls: true }).reason).toBe(reason as StopReason);
  });

  test("is no call where there was none", () => {
    expect(read("tool_calls").reason).toBe("end");
  });

  test("[P61] is a refusal where something was refused", () => {
    expect(read("stop", { hasRefusal: true }).reason).toBe("refusal");
    expect(read("length", { hasRefusal: true }).reason).toBe("length");
  });

  test("[P15] is the stop sequence that was met, if it was one", () => {
    expect(read("stop", { matched: "###" })).toEqual({
      reason: "stop-sequence",
      raw: "stop",
      sequence: "###",
    });
    expect(read("stop", { matched: "stop" }).reason).toBe("end");
    expect(read("stop", { matched: 128_009 }).reason).toBe("end");
    expect(read("length", { matched: "###" }).reason).toBe("length");
  });
});

describe("the written reason", () => {
  const write = (reason: StopReason, rest: { hasCalls?: boolean; hasRefusal?: boolean } = {}): FinishReason =>
    writeStop({ stop: { reason, raw: null, sequence: null }, hasCalls: false, hasRefusal: false, ...rest });

  test("[P15] [P16] is a good end for good ends alone", () => {
    const reasons: Record<StopReason, FinishReason> = {
      end: "stop",
      "stop-sequence": "stop",
      length: "length",
      "tool-calls": "tool_calls",
      refusal: "content_filter",
      filter: "content_filter",
      pause: "length",
      "context-full": "length",
      unknown: "length",
    };
    for (const [reason, finish] of Object.entries(reasons)) expect(write(reason as StopReason)).toBe(finish);
  });

  test("[P14] is tool_calls where calls were made and nothing went wrong", () => {
    expect(write("end", { hasCalls: true })).toBe("tool_calls");
    expect(write("length", { hasCalls: true })).toBe("length");
  });

  test("[P61] of a refusal that can be read is OpenAI’s own", () => {
    expect(write("refusal", { hasRefusal: true })).toBe("stop");
  });
});
