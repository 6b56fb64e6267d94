import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ReplyEvent } from "../domain/chat.ts";
import { foldReply } from "./fold.ts";
import { replies } from "./reply.case.ts";
import { unfoldReply } from "./unfold.ts";

const SEED = { seed: 20_261_115 };
const START: ReplyEvent = { kind: "start", id: "i", model: "m", createdSeconds: 7, usage: null };
const END: ReplyEvent = {
  kind: "end",
  stop: { reason: "tool-calls", raw: "tool_calls", sequence: null },
  usage: null,
};
const call = (index: number, id: string): ReplyEvent => ({
  kind: "part-start",
  index,
  part: { kind: "tool-call", id, name: "f", tool: "function", namespace: null },
});
const delta = (index: number, text: string): ReplyEvent => ({ kind: "part-delta", index, text });
const end = (index: number): ReplyEvent => ({ kind: "part-end", index });

test("an answer unfolded and folded again is the same answer", () => {
  fc.assert(
    fc.property(replies, reply => expect(foldReply(unfoldReply(reply))).toEqual(reply)),
    SEED,
  );
});

test("an unfolded answer begins once, ends once, and closes every part that it opens, one after the other", () => {
  fc.assert(
    fc.property(replies, reply => {
      const events = unfoldReply(reply);
      expect(events.at(0)?.kind).toBe("start");
      expect(events.at(-1)?.kind).toBe("end");
      const bounds = events.filter(({ kind }) => kind === "part-start" || kind === "part-end");
      expect(bounds.map(event => ("index" in event ? event.index : -1))).toEqual(
        reply.parts.flatMap((_, index) => [index, index]),
      );
    }),
    SEED,
  );
});

test("[P18] a seal comes before its part ends", () => {
  const seal = { origin: "messages", kind: "signature", value: "s", id: null } as const;
  const stop = { reason: "end", raw: null, sequence: null } as const;
  const kinds = unfoldReply({
    id: "i",
    model: "m",
    createdSeconds: null,
    parts: [{ kind: "reasoning", text: "", seal }],
    stop,
    usage: null,
  }).map(({ kind }) => kind);
  expect(kinds).toEqual(["start", "part-start", "part-seal", "part-end", "end"]);
});

describe("folding", () => {
  test("[P2] gives each part its own text, however they are mixed, and keeps their order", () => {
    const events = [START, call(1, "b"), call(0, "a"), delta(0, "{"), delta(1, "["), delta(0, "}")];
    const reply = foldReply([...events, delta(1, "]"), end(1), end(0), END]);
    const parts = reply?.parts.map(part => part.kind === "tool-call" && [part.id, part.input]);
    expect(parts).toEqual([
      ["a", "{}"],
      ["b", "[]"],
    ]);
  });

  test("ignores what belongs to no part", () => {
    const reply = foldReply([START, delta(5, "lost"), { kind: "part-end", index: 9 }, END]);
    expect(reply?.parts).toEqual([]);
  });

  test("gives nothing for an answer without beginning or end, or that failed", () => {
    expect(foldReply([])).toBeNull();
    expect(foldReply([START, call(0, "a"), end(0)])).toBeNull();
    expect(foldReply([END])).toBeNull();
    expect(foldReply([START, { kind: "failure", message: "no" }, END])).toBeNull();
  });

  test("[P31] takes the usage of the end, and adds nothing to it", () => {
    const usage = { input: 5, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 3, reasoning: 0 };
    const reply = foldReply([
      { ...START, usage: { ...usage, output: 1 } },
      { ...END, usage },
    ]);
    expect(reply?.usage).toEqual(usage);
  });
});
