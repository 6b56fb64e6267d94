import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import type { Dialect } from "../domain/usage.ts";
import { messagesTap } from "./anthropic-messages/tap.ts";
import { chatTap } from "./openai-chat/tap.ts";
import { responsesTap } from "./openai-responses/tap.ts";
import type { Tap, TapOptions } from "./protocol.ts";
import {
  framed,
  NO_RECORDINGS,
  played,
  recordedStream,
  recordings,
  seeded,
  shattered,
  singly,
  split,
  viewFor,
} from "./tap.case.ts";

/** Whatever the dialect, the client gets the bytes that the upstream wrote. */

const TAPS: Record<Dialect, (options: TapOptions) => Tap> = {
  chat: chatTap,
  messages: messagesTap,
  responses: responsesTap,
};
const DIALECTS = ["chat", "messages", "responses"] as const;
const LINE_ENDS = ["\n", "\r\n", "\r"];

function tapFor(dialect: Dialect, renameTo: string | null = null): Tap {
  const request = viewFor(dialect, { wantsUsage: true });
  return TAPS[dialect]({ request, renameTo, eventBytesMax: 10_000_000 });
}

const hash = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

type Choose = <T>(options: readonly T[]) => T;

const TEXTS = [
  "",
  "Hello ",
  "héllo 😀 你好",
  "a\u2028b\u2029c",
  'she said "no" \\ \n\n\r\n\r\r data: [DONE]\n\n',
  '"usage":{"prompt_tokens":1},"error":{"message":"no"},"model":"x","finish_reason":"stop"',
  "event: error response.completed message_stop content_block_start _item. _part. error",
  "x".repeat(70_000),
];

function deltaOf(dialect: Dialect, text: string): object {
  switch (dialect) {
    case "chat":
      return {
        id: "c1",
        model: "up",
        choices: [{ index: 0, delta: { content: text }, finish_reason: null }],
      };
    case "messages":
      return { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
    case "responses":
      return {
        type: "response.output_text.delta",
        item_id: "i",
        output_index: 0,
        content_index: 0,
        delta: text,
      };
    default:
      return dialect satisfies never;
  }
}

const MESSAGE_START = {
  type: "message_start",
  message: { id: "m", usage: { input_tokens: 5, output_tokens: 1 } },
};
const OTHERS: Record<Dialect, readonly object[]> = {
  chat: [{ choices: [], usage: null, error: null }, { choices: [{ index: 0, finish_reason: "stop" }] }],
  messages: [
    MESSAGE_START,
    { type: "ping" },
    { type: "content_block_stop", index: 0 },
    { type: "of the future" },
  ],
  responses: [
    { type: "response.created", response: { id: "r", error: null, model: "up" }, sequence_number: 0 },
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "i" } },
    { type: "response.output_item.added", output_index: 1, item: { type: "function_call", id: "j" } },
    { type: "response.output_text.done", text: "all of it", sequence_number: 9 },
  ],
};
const ENDS: Record<Dialect, string> = {
  chat: "[DONE]",
  messages: '{"type":"message_stop"}',
  responses: '{"type":"response.completed","response":{"usage":null}}',
};

/** One event in some form that the specification allows. */
function oddlyFramed(data: string, choose: Choose): string {
  const end = choose(LINE_ENDS);
  const before = choose([
    "",
    "",
    `: a comment {"error":${end}`,
    `id: 7${end}retry: 5${end}`,
    `event: some${end}`,
  ]);
  const colon = choose(["data: ", "data:"]);
  const lines = choose([true, false]) ? [data] : data.split(/(?<=[[{,]"?)(?=")/);
  // What belongs together stands in one line, or it would be other JSON.
  const isSplit = lines.length > 1 && isSame(lines.join("\n"), data);
  const written = (isSplit ? lines : [data]).map(line => colon + line).join(end);
  return `${before}${written}${end}${choose(["", `id: 9${end}`])}${end}`;
}

function isSame(one: string, other: string): boolean {
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
  } catch {
    return false;
  }
}

function oddStream(dialect: Dialect, random: () => number): string {
  const choose: Choose = options =>
    options[Math.floor(random() * options.length)] as (typeof options)[number];
  const events = Array.from({ length: Math.floor(random() * 12) }, () => {
    if (random() < 0.1) return choose([": keep-alive\n\n", ":\r\n\r\n", "\n", "\r\n"]);
    const data = random() < 0.3 ? choose(OTHERS[dialect]) : deltaOf(dialect, choose(TEXTS));
    return oddlyFramed(JSON.stringify(data), choose);
  });
  return choose(["", "\ufeff"]) + events.join("") + oddlyFramed(ENDS[dialect], choose);
}

describe.each([...DIALECTS])("%s:", dialect => {
  test("[P44] [P45] [P64] streams in any form of lines pass byte for byte, however they are cut", () => {
    for (let seed = 0; seed < 150; seed++) {
      const random = seeded(seed * 7919 + dialect.length);
      const stream = oddStream(dialect, random);
      const tap = tapFor(dialect);
      const { text, rest } = played(tap, shattered(Buffer.from(stream), random));
      expect({ seed, hash: hash(text + (rest ?? "")) }).toEqual({ seed, hash: hash(stream) });
      expect({ seed, ended: tap.ended, failed: tap.failed }).toEqual({ seed, ended: true, failed: false });
    }
  }, 30_000);

  test.each(LINE_ENDS)("an event passes as soon as its blank line is there, in lines with %j", end => {
    const event = `data: ${JSON.stringify(deltaOf(dialect, "a"))}${end}${end}`;
    const tap = tapFor(dialect);
    let passed = "";
    for (let round = 1; round <= 3; round++) {
      for (const byte of singly(Buffer.from(event))) passed += Buffer.from(tap.feed(byte) ?? []).toString();
      expect(passed).toBe(event.repeat(round));
    }
  });

  test("a stream that closes before its end has failed, wherever that is", () => {
    const [delta, end] = [`data: ${JSON.stringify(deltaOf(dialect, "a"))}\n\n`, `data: ${ENDS[dialect]}\n\n`];
    for (let cut = 0; cut < delta.length + end.length; cut++) {
      const tap = tapFor(dialect);
      const sent = (delta + end).slice(0, cut);
      const { text, rest } = played(tap, [Buffer.from(sent)]);
      // Without the blank line nothing that counts is lost.
      const isWhole = cut >= delta.length + end.length - 2;
      expect({ cut, failed: tap.failed }).toEqual({ cut, failed: !isWhole });
      if (!isWhole) expect(["", delta.trim()]).toContain((text + (rest ?? "")).trim());
    }
  });
});

describe.each([...DIALECTS])("%s: whatever the upstream writes,", dialect => {
  const everything = (whole: Buffer, cuts: readonly number[]) => {
    for (const renameTo of [null, "mine"]) {
      for (const end of ["rest", "length", "failure"]) {
        const tap = tapFor(dialect, renameTo);
        for (const part of split(whole, cuts)) tap.feed(part);
        if (end === "rest") tap.rest();
        else if (end === "length") expect(tap.lengthEnd({ input: 1, output: 1 }).length).toBeGreaterThan(0);
        else expect(tap.failureEnd({ error: { message: "no" } }).length).toBeGreaterThan(0);
        expect(tap.reported().usage?.output ?? 0).toBeGreaterThanOrEqual(0);
      }
    }
  };

  test("nothing throws", () => {
    const names = fc.constantFrom(
      ...["type", "response", "message", "model", "usage", "error", "index", "output_index", "item", "part"],
      ...["delta", "choices", "finish_reason", "content_block", "input", "sequence_number", "text", "id"],
    );
    const types = fc.constantFrom(
      ...[
        "message_start",
        "content_block_start",
        "content_block_stop",
        "message_delta",
        "error",
        "function_call",
      ],
      ...[
        "response.created",
        "response.completed",
        "response.output_item.added",
        "response.output_item.done",
      ],
      ...[
        "response.content_part.added",
        "response.content_part.done",
        "response.output_text.delta",
        "message",
      ],
      ...["response.reasoning_summary_part.added", "output_text", "constructor", "__proto__"],
    );
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: "small" },
        ...[fc.constant(null), types, fc.integer(), fc.double()],
        fc.dictionary(names, tie("value"), { maxKeys: 6 }),
        fc.array(tie("value"), { maxLength: 3 }),
      ),
    }));
    const event = fc
      .tuple(types, fc.dictionary(names, value, { maxKeys: 6 }))
      .map(([type, rest]) => ({ ...rest, type }));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 3 }), (events, cuts) => {
        everything(Buffer.from(events.map(body => framed(dialect, body)).join("")), cuts);
      }),
      { numRuns: 300 },
    );
  });

  test("what is nested deeply is neither written again nor takes long", () => {
    const deep = `${"[".repeat(150_000)}${"]".repeat(150_000)}`;
    const bodies = [
      `"type":"response.created","response":{"id":"r","x":${deep}}`,
      `"type":"response.output_item.added","output_index":0,"item":{"type":"message","x":${deep}}`,
      `"type":"content_block_start","index":0,"content_block":{"type":"tool_use","input":{"x":${deep}}}`,
      `"choices":[],"usage":{"x":${deep}}`,
    ];
    everything(Buffer.from(bodies.map(body => `data: {${body}}\n\n`).join("")), []);
  }, 15_000);
});

describe("recorded streams", () => {
  const isGood = (text: string) => !text.includes('"type":"error"');
  const all = DIALECTS.flatMap(dialect =>
    recordings(dialect, ".chunks.txt")
      .filter(({ text }) => isGood(text))
      .map(recording => ({ dialect, ...recording })),
  );
  if (all.length === 0) test.skip(NO_RECORDINGS, () => {});
  else
    test("[P64] pass byte for byte, 1,000 times under random cuts, and report the same usage each time", () => {
      const known = new Map<string, string>();
      for (let seed = 0; seed < 1_000; seed++) {
        const random = seeded(seed);
        const { dialect, name, text } = all[seed % all.length] ?? { dialect: "chat", name: "", text: "" };
        const sent = Buffer.from(recordedStream(dialect, text, LINE_ENDS[Math.floor(random() * 3)]));
        const tap = tapFor(dialect);
        const seen = played(tap, shattered(sent, random));
        expect({ name, seed, hash: hash(seen.text) }).toEqual({ name, seed, hash: hash(sent) });
        expect({ name, seed, ended: tap.ended, failed: tap.failed }).toEqual({
          name,
          seed,
          ended: true,
          failed: false,
        });
        const measured = JSON.stringify([tap.reported(), tap.content.bytes]);
        expect({ name, seed, measured }).toEqual({ name, seed, measured: known.get(name) ?? measured });
        known.set(name, measured);
        expect(tap.reported()).toMatchObject({ isFinal: true, bad: false });
      }
      expect(known.size).toBe(all.length);
    }, 60_000);
});
