import { describe, expect, test } from "bun:test";
import type { StopReason } from "../../domain/chat.ts";
import { readStop, writeStop } from "./stop.ts";

const PAIRS: [string, StopReason][] = [
  ["end_turn", "end"],
  ["max_tokens", "length"],
  ["stop_sequence", "stop-sequence"],
  ["pause_turn", "pause"],
  ["refusal", "refusal"],
  ["model_context_window_exceeded", "context-full"],
];
const NOTHING = { calls: false, refusal: false };
const stop = (reason: StopReason, sequence: string | null = null) => ({ reason, raw: null, sequence });

describe("reading why an answer stopped", () => {
  test.each(PAIRS)("[P15] %s is %s", (raw, reason) => {
    expect(readStop({ raw, sequence: null, calledTools: false })).toEqual({ reason, raw, sequence: null });
  });

  test("[P15] keeps the sequence that was met", () => {
    const read = readStop({ raw: "stop_sequence", sequence: "END", calledTools: false });
    expect(read).toEqual({ reason: "stop-sequence", raw: "stop_sequence", sequence: "END" });
  });

  test.each(["compaction", "", "constructor", "END_TURN", null])("[P15] %p is not an end", raw => {
    expect(readStop({ raw, sequence: null, calledTools: false }).reason).toBe("unknown");
  });

  test.each(["end_turn", "", "stop_sequence", "tool_use", "something", null])(
    "[P13] a call makes %p a stop for tools",
    raw => {
      expect(readStop({ raw, sequence: null, calledTools: true }).reason).toBe("tool-calls");
    },
  );

  test.each(["max_tokens", "refusal", "model_context_window_exceeded", "pause_turn"])(
    "[P16] a call does not hide that %s cut the answer short",
    raw => {
      const expected = readStop({ raw, sequence: null, calledTools: false });
      expect(readStop({ raw, sequence: null, calledTools: true })).toEqual(expected);
    },
  );
});

describe("writing why an answer stopped", () => {
  test.each(PAIRS)("[P15] %s for %s", (raw, reason) => {
    expect(writeStop(stop(reason), NOTHING).stop_reason).toBe(raw);
  });

  test("[P15] names the sequence that was met, and none otherwise", () => {
    expect(writeStop(stop("stop-sequence", "END"), NOTHING).stop_sequence).toBe("END");
    expect(writeStop(stop("end", "END"), NOTHING).stop_sequence).toBeNull();
  });

  test("[P15] a filter refuses, and the unknown is never a clean end", () => {
    expect(writeStop(stop("filter"), NOTHING).stop_reason).toBe("refusal");
    expect(writeStop(stop("unknown"), NOTHING).stop_reason).toBe("max_tokens");
  });

  test.each<StopReason>(["end", "stop-sequence", "tool-calls", "unknown"])(
    "[P13] a tool_use block makes %s tool_use",
    reason => {
      expect(writeStop(stop(reason), { calls: true, refusal: false }).stop_reason).toBe("tool_use");
    },
  );

  test("[P16] a length that cut off a call is told as such", () => {
    expect(writeStop(stop("length"), { calls: true, refusal: false }).stop_reason).toBe("max_tokens");
  });

  test("[P61] words of refusal make the reason a refusal, with its details", () => {
    const refused = writeStop(stop("end"), { calls: false, refusal: true });
    expect(refused).toMatchObject({ stop_reason: "refusal", stop_details: { type: "refusal" } });
    expect(writeStop(stop("end"), NOTHING).stop_details).toBeNull();
  });

  test("a stop for tools of which none is there is an end", () => {
    expect(writeStop(stop("tool-calls"), NOTHING).stop_reason).toBe("end_turn");
  });
});
