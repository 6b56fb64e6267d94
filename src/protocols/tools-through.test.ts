import { describe, expect, test } from "bun:test";
import type { Dialect } from "../domain/usage.ts";
import { HEAD } from "./prompt.case.ts";
import type { Json, ReplyHead } from "./protocol.ts";
import { PROTOCOLS } from "./protocols.ts";
import { SseReader } from "./sse-reader.ts";
import { writtenStream } from "./stream.case.ts";
import type { ToolBook } from "./tool-book.ts";
import { translatePrompt } from "./translate-prompt.ts";
import { translatingTap } from "./translate-stream.ts";
import { translateWhole } from "./translate-whole.ts";
import { unfoldReply } from "./unfold.ts";

/** The tools of a coding agent that speaks responses, at upstreams that have functions only. */

const PATCH = "*** Begin Patch\n*** Add File: a.txt\n+“é”\n*** End Patch";
const LONG = `mcp__a_server__${"with_a_long_name_".repeat(5)}`;
const BODY: Json = {
  model: "asked-model",
  input: [
    { role: "user", content: "Do it" },
    { type: "custom_tool_call", call_id: "call_1", name: "apply_patch", input: PATCH },
    { type: "custom_tool_call_output", call_id: "call_1", output: "Done" },
    { type: "function_call", call_id: "call_2", name: "read", namespace: "files", arguments: '{"a":1}' },
    { type: "function_call_output", call_id: "call_2", output: "Read" },
    { role: "user", content: "Once more" },
  ],
  tools: [
    {
      type: "custom",
      name: "apply_patch",
      description: "Changes files.",
      format: { type: "grammar", syntax: "lark", definition: "start: patch" },
    },
    {
      type: "namespace",
      name: "files",
      description: "Files.",
      tools: [
        { type: "function", name: "read", parameters: { type: "object", properties: {} }, strict: false },
      ],
    },
    { type: "function", name: "read", parameters: { type: "object", properties: {} }, strict: false },
    { type: "function", name: LONG, parameters: { type: "object", properties: {} }, strict: false },
    { type: "web_search" },
  ],
  tool_choice: { type: "custom", name: "apply_patch" },
};

type Sent = { text: string; book: ToolBook; head: ReplyHead };

function sentTo(upstream: Dialect): Sent {
  const read = PROTOCOLS.responses.readPrompt(BODY);
  if ("problem" in read) throw new Error(read.problem.problem);
  const target = { model: "up-model", kind: "openai-compatible", outputTokensMax: null } as const;
  const sent = translatePrompt({ prompt: read.prompt, to: PROTOCOLS[upstream], target });
  if ("problem" in sent) throw new Error(sent.problem.problem);
  const text = Buffer.from(sent.bytes).toString();
  return { text, book: sent.book, head: { ...HEAD, prompt: read.prompt } };
}

function nameOf(text: string, prefix: string): string {
  return new RegExp(`"name":"(${prefix}[^"]*)"`).exec(text)?.[1] ?? "";
}

for (const upstream of ["chat", "messages"] as const) {
  const from = PROTOCOLS[upstream];
  const { text, book, head } = sentTo(upstream);
  const through = { from, to: PROTOCOLS.responses, head, book };
  const long = nameOf(text, "mcp__");
  const call = (id: string, name: string, input: string) =>
    ({ kind: "tool-call", id, name, input, tool: "function", namespace: null, cache: null }) as const;
  const reply = {
    id: "up",
    model: "up-model",
    createdSeconds: null,
    parts: [
      call("call_3", "apply_patch", JSON.stringify({ input: PATCH })),
      call("call_4", "files__read", '{"a":2}'),
      call("call_5", "read", '{"a":3}'),
      call("call_6", long, "{}"),
    ],
    stop: { reason: "tool-calls", raw: null, sequence: null },
    usage: null,
  } as const;
  const upstreamReply = { ...reply, parts: [...reply.parts] };
  const restored = [
    { type: "custom_tool_call", call_id: "call_3", name: "apply_patch", input: PATCH },
    { type: "function_call", call_id: "call_4", name: "read", namespace: "files", arguments: '{"a":2}' },
    { type: "function_call", call_id: "call_5", name: "read", arguments: '{"a":3}' },
    { type: "function_call", call_id: "call_6", name: LONG, arguments: "{}" },
  ];

  describe(`at an upstream of ${upstream}`, () => {
    test("[P58] all tools are functions with names that it takes, in each place", () => {
      expect(text).not.toContain('"custom"');
      expect(text).not.toContain('"namespace"');
      expect(text).not.toContain(LONG);
      expect(long).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(text).toContain("The input must match this Lark grammar:\\nstart: patch");
      expect(text.match(/"name":"files__read"/g)).toHaveLength(2);
      // Offered, chosen, and called in the past.
      expect(text.match(/"name":"apply_patch"/g)).toHaveLength(3);
    });

    test("[P58] a whole answer calls them as the client knows them", () => {
      const whole = translateWhole(
        Buffer.from(JSON.stringify(from.writeReply(upstreamReply, HEAD))),
        through,
      );
      const body = JSON.parse(Buffer.from(whole?.bytes ?? []).toString());
      expect(body.output).toMatchObject(restored);
      expect(body.output[2]).not.toHaveProperty("namespace");
    });

    test("[P58] and so does a stream", () => {
      const tap = translatingTap({ ...through, eventBytesMax: 1_000_000 });
      const bytes = Buffer.from(writtenStream(from, unfoldReply(upstreamReply), HEAD));
      const out = [tap.feed(bytes.subarray(0, 1_000)), tap.feed(bytes.subarray(1_000)), tap.rest()];
      const stream = Buffer.concat(out.filter(piece => piece !== null));
      const events = new SseReader(1_000_000).feed(stream).map(({ data }) => JSON.parse(data));
      expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { output: restored } });
      const inputs = events.filter(({ type }) => type === "response.custom_tool_call_input.delta");
      expect(inputs.map(({ delta }) => delta).join("")).toBe(PATCH);
    });
  });
}

test("what the upstream has anyway is not rewritten for it", () => {
  expect(sentTo("responses").book.isBlank).toBe(false);
  const { text } = sentTo("responses");
  expect(text).toContain('"type":"custom"');
  expect(text).toContain('"type":"namespace"');
  expect(text).not.toContain(LONG);
});
