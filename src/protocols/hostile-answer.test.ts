import { describe, expect, test } from "bun:test";
import type { Dialect } from "../domain/usage.ts";
import { HEAD } from "./prompt.case.ts";
import { PROTOCOLS } from "./protocols.ts";
import { framed, played, viewFor } from "./tap.case.ts";
import { noToolBook } from "./tool-book.ts";
import { translatingTap } from "./translate-stream.ts";
import { translateWhole } from "./translate-whole.ts";

/** Answers that are wrong in ways that each dialect has to bear. */

const DIALECTS: readonly Dialect[] = ["chat", "messages", "responses"];

function wholeCall(dialect: Dialect, args: string): Buffer {
  const text: Record<Dialect, string> = {
    chat: `{"choices":[{"finish_reason":"stop","message":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":${args}}}]}}]}`,
    messages: `{"type":"message","stop_reason":"tool_use","content":[{"type":"tool_use","id":"c","name":"f","input":${args}}]}`,
    responses: `{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":${args}}]}`,
  };
  return Buffer.from(text[dialect]);
}

describe("arguments of 100,000 levels", () => {
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  for (const from of DIALECTS) {
    for (const to of DIALECTS) {
      test(`are no trouble between ${from} and ${to}, whether an object or a text`, () => {
        const startedAtMs = performance.now();
        for (const args of [deep, JSON.stringify(deep)]) {
          const through = { from: PROTOCOLS[from], to: PROTOCOLS[to], head: HEAD, book: noToolBook };
          const whole = translateWhole(wholeCall(from, args), through);
          expect(Buffer.from(whole?.bytes ?? []).toString()).toContain('"name":"f"');
        }
        expect(performance.now() - startedAtMs).toBeLessThan(4_000);
      });
    }
  }
});

describe.each([...DIALECTS])("in %s", dialect => {
  test.each(["{}", '{"ok":true}', '{"choices":5,"content":"x","output":null}', '{"usage":{}}'])(
    "[P48] %s is no answer",
    text => {
      expect(PROTOCOLS[dialect].readWhole(Buffer.from(text))).toBeNull();
    },
  );

  test("[P43] nothing passes after the last word", () => {
    const last: Record<Dialect, string> = {
      chat: "data: [DONE]\n\n",
      messages: framed("messages", { type: "message_stop" }),
      responses: framed("responses", { type: "response.completed", response: { usage: null } }),
    };
    const more = framed(dialect, { type: "ping", note: "more" });
    const pieces = [[last[dialect] + more], [last[dialect], more]];
    for (const texts of pieces) {
      const tap = PROTOCOLS[dialect].tap({
        request: viewFor(dialect),
        renameTo: null,
        eventBytesMax: 10_000,
      });
      expect(
        played(
          tap,
          texts.map(text => Buffer.from(text)),
        ),
      ).toEqual({ text: last[dialect], rest: null });
    }
  });
});

test("[P32] usage of messages that never counts the output is none, in a stream of either kind", () => {
  const stream = [
    framed("messages", { type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } }),
    framed("messages", {
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { output_tokens: null },
    }),
    framed("messages", { type: "message_stop" }),
  ];
  const tap = PROTOCOLS.messages.tap({ request: viewFor("messages"), renameTo: null, eventBytesMax: 10_000 });
  played(
    tap,
    stream.map(text => Buffer.from(text)),
  );
  expect(tap.reported()).toEqual({ usage: null, isFinal: false, bad: false });
  const reader = PROTOCOLS.messages.streamReader();
  const events = stream.flatMap(text => reader.read({ event: null, data: text.split("data: ")[1] ?? "" }));
  expect(events.at(-1)).toMatchObject({ kind: "end", usage: null });
});

describe("a translated stream without end", () => {
  const EVENT_BYTES_MAX = 10_000;
  const tapBetween = (from: Dialect, to: Dialect) =>
    translatingTap({
      from: PROTOCOLS[from],
      to: PROTOCOLS[to],
      head: HEAD,
      book: noToolBook,
      eventBytesMax: EVENT_BYTES_MAX,
    });
  const chunk = (index: number, name: string) =>
    framed("chat", {
      choices: [{ index: 0, delta: { tool_calls: [{ index, function: { name, arguments: "x" } }] } }],
    });

  test("of which nothing can be told is overlong before long, and one that says something is not", () => {
    const [silent, talking] = [tapBetween("chat", "messages"), tapBetween("chat", "messages")];
    const word = Buffer.from(framed("chat", { choices: [{ index: 0, delta: { content: "a" } }] }));
    const piece = Buffer.from(chunk(3, ""));
    for (let bytes = 0; bytes < 5 * EVENT_BYTES_MAX; bytes += piece.length) {
      silent.feed(piece);
      talking.feed(piece);
      if (bytes % (100 * piece.length) === 0) talking.feed(word);
    }
    expect([silent.isOverlong, talking.isOverlong]).toEqual([true, false]);
  });

  test.each(["messages", "responses"] as const)("of parts has failed at the 20,001st, for %s", to => {
    const tap = tapBetween("chat", to);
    for (let index = 0; index < 20_000; index++) tap.feed(Buffer.from(chunk(index, "f")));
    expect(tap.failed).toBe(false);
    tap.feed(Buffer.from(chunk(20_000, "f")));
    expect(tap.failed).toBe(true);
  });
});
