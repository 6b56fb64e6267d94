import { describe, expect, test } from "bun:test";
import type { TapOptions } from "../protocol.ts";
import { eventsIn, played, singly, viewFor } from "../tap.case.ts";
import { chatTap } from "./tap.ts";

const OPTIONS: TapOptions = { request: viewFor("chat"), renameTo: null, eventBytesMax: 1_000_000 };
const USAGE = { prompt_tokens: 12, completion_tokens: 7 };

function chunk(extra: object = {}): string {
  return JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "up-1", choices: [], ...extra });
}
const says = (content: string, extra: object = {}) =>
  `data: ${chunk({ choices: [{ index: 0, delta: { content } }], ...extra })}\n\n`;

describe("an upstream that closes before its answer ended has failed,", () => {
  test.each([
    ["with nothing said", ""],
    ["after half of the answer", says("a")],
    [
      "after a choice that says it has not ended",
      `data: ${chunk({ choices: [{ finish_reason: null }] })}\n\n`,
    ],
    ["after usage that is not of the whole", says("a", { usage: USAGE })],
    ["after a comment", ": [DONE]\n\n"],
  ])("%s", (_, text) => {
    const tap = chatTap(OPTIONS);
    expect(played(tap, [Buffer.from(text)])).toEqual({ text, rest: null });
    expect(tap).toMatchObject({ ended: false, failed: true });
    expect(tap.reported().isFinal).toBe(false);
  });

  test("[P41] [P42] and what follows half of an event is an event of its own, without [DONE]", () => {
    for (const half of [says("b").slice(0, -10), says("b").trimEnd(), "data: {", "da", "<html>"]) {
      const tap = chatTap(OPTIONS);
      const passed = [tap.feed(Buffer.from(says("a"))), tap.feed(Buffer.from(half)), tap.rest()];
      expect(tap.failed).toBe(true);
      const text = Buffer.concat([
        ...passed.flatMap(bytes => bytes ?? []),
        tap.failureEnd(REFUSAL),
      ]).toString();
      const events = eventsIn(text).map(({ data }) => JSON.parse(data) as object);
      expect(events[0]).toHaveProperty("choices");
      expect(events.at(-1)).toEqual(REFUSAL);
      expect(events.length).toBe(half === says("b").trimEnd() ? 3 : 2);
      expect(text).not.toContain("[DONE]");
      expect(tap.content.bytes).toBe(events.length - 1);
    }
  });
});

const REFUSAL = { error: { message: "It failed.", type: "server_error", code: null } };

test("[P42] a stream that we end ourselves in the middle of an event passes nothing more", () => {
  const ends = [
    (tap: ReturnType<typeof chatTap>) => tap.failureEnd(REFUSAL),
    (tap: ReturnType<typeof chatTap>) => tap.lengthEnd({ input: 1, output: 1 }),
  ];
  for (const end of ends) {
    const tap = chatTap(OPTIONS);
    tap.feed(Buffer.from(`${says("a")}data: {"cho`));
    const [first] = eventsIn(Buffer.from(end(tap)).toString());
    expect(JSON.parse(first?.data ?? "")).toBeObject();
    expect(tap.feed(Buffer.from('ices":[]}\n\n'))).toBeNull();
    expect(tap.rest()).toBeNull();
  }
});

describe("the end at the length", () => {
  const choice = (index: number, extra: object) =>
    `data: ${chunk({ created: 5, choices: [{ index, ...extra }] })}\n\n`;

  test("is for the choices that have not ended, under the stream's id, with usage for who asked", () => {
    for (const wantsUsage of [false, true]) {
      for (const renameTo of [null, "mine"]) {
        const tap = chatTap({ ...OPTIONS, renameTo, request: viewFor("chat", { choices: 3, wantsUsage }) });
        const text = choice(0, { delta: { content: "a" } }) + choice(1, { finish_reason: "stop" });
        for (const part of singly(Buffer.from(text))) tap.feed(part);
        const end = eventsIn(Buffer.from(tap.lengthEnd({ input: 3, output: 4 })).toString()).map(
          ({ data }) => data,
        );
        expect(end.at(-1)).toBe("[DONE]");
        const chunks = end.slice(0, -1).map(data => JSON.parse(data) as { choices: { index: number }[] });
        expect(chunks[0]).toMatchObject({ id: "c1", created: 5, model: "mine" });
        expect(chunks.flatMap(({ choices }) => choices.map(({ index }) => index))).toEqual([0, 2]);
        const counted = { usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }, choices: [] };
        if (wantsUsage) expect(chunks.at(-1)).toMatchObject(counted);
        else expect(JSON.stringify(chunks)).not.toContain("usage");
      }
    }
  });
});
