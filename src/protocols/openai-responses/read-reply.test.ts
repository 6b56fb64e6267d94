import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_RECORDINGS, recordings } from "../tap.case.ts";
import { RESPONSE, USAGE } from "./answer.case.ts";
import { readResponsesReply } from "./read-reply.ts";

const answer = (output: unknown, extra: Record<string, unknown> = {}) =>
  readResponsesReply({ ...RESPONSE, status: "completed", output, usage: USAGE, ...extra });
const message = (...content: unknown[]) => ({ id: "msg_1", type: "message", role: "assistant", content });
const said = (text: string, annotations: unknown[] = []) => ({ type: "output_text", text, annotations });
const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "find", arguments: '{"a":1}' };

describe("a recorded answer", () => {
  const recorded = (name: string) => {
    const found = recordings("responses", ".json").find(recording => recording.name.startsWith(name));
    return found === undefined ? null : readResponsesReply(JSON.parse(found.text));
  };
  const isAbsent = recordings("responses", ".json").length === 0;
  const recordedTest = (name: string, run: () => void) =>
    test.skipIf(isAbsent)(isAbsent ? `${name}: ${NO_RECORDINGS}` : name, run);

  recordedTest("[P22] with encrypted reasoning has it sealed, with the id of its maker", () => {
    const reply = recorded("openai-reasoning-encrypted-content");
    expect(reply?.parts.map(part => part.kind)).toEqual(["reasoning", "text"]);
    const [reasoning, text] = reply?.parts ?? [];
    if (reasoning?.kind !== "reasoning" || text?.kind !== "text") throw new Error("other parts");
    expect(reasoning.text).toStartWith("**Reporting final result**\n\nThe tool returned 570");
    expect(reasoning.seal).toMatchObject({ origin: "responses", kind: "ciphertext" });
    expect(reasoning.seal?.value).toStartWith("gAAAAABpPMlcH0HHEv5");
    expect(reasoning.seal?.id).toStartWith("rs_0f35ed53160b3953");
    expect(text.text).toEndWith("Final result: 570");
    expect(reply).toMatchObject({ model: "gpt-5-mini-2025-08-07", createdSeconds: 1_765_591_383 });
    expect(reply?.stop).toEqual({ reason: "end", raw: "completed", sequence: null });
    expect(reply?.usage).toMatchObject({ input: 865, output: 163, reasoning: 128 });
  });

  recordedTest("in two phases is two texts, and what was cached counts apart", () => {
    const reply = recorded("openai-phase");
    expect(reply?.parts.map(part => part.kind)).toEqual(["text", "text"]);
    expect(reply?.usage).toMatchObject({ input: 7_243 - 3_072, cacheRead: 3_072 });
  });

  recordedTest("that calls a custom tool has its input as it is", () => {
    const reply = recorded("openai-custom-tool");
    expect(reply?.parts).toEqual([
      {
        kind: "tool-call",
        id: "call_custom_sql_001",
        name: "write_sql",
        input: "SELECT * FROM users WHERE age > 25",
        tool: "custom",
        namespace: null,
        cache: null,
      },
    ]);
    expect(reply?.stop.reason).toBe("tool-calls");
  });

  recordedTest("that uses a tool of its own dialect alone has it as foreign, and no empty thought", () => {
    expect(recorded("openai-local-shell-tool")?.parts).toEqual([
      { kind: "foreign", type: "local_shell_call" },
    ]);
    expect(recorded("openai-apply-patch-tool")?.parts).toEqual([
      { kind: "foreign", type: "apply_patch_call" },
    ]);
  });

  recordedTest("[P48] that is an error is none", () => {
    expect(recorded("openai-error")).toBeNull();
  });
});

describe("an answer", () => {
  test("[P36] [P37] has its calls by the id of the call, not of the item", () => {
    expect(answer([call])?.parts).toEqual([
      {
        kind: "tool-call",
        id: "call_1",
        name: "find",
        input: '{"a":1}',
        tool: "function",
        namespace: null,
        cache: null,
      },
    ]);
  });

  test("[P7] gives an empty object to a function without arguments", () => {
    for (const given of ["", " ", null, undefined])
      expect(answer([{ ...call, arguments: given }])?.parts).toMatchObject([{ input: "{}" }]);
  });

  test("keeps the namespace of a call, but for the one that all tools are in", () => {
    expect(answer([{ ...call, namespace: "mcp__github" }])?.parts).toMatchObject([
      { namespace: "mcp__github" },
    ]);
    expect(answer([{ ...call, namespace: "functions" }])?.parts).toMatchObject([{ namespace: null }]);
  });

  test("[P60] has the addresses that it cites", () => {
    const cited = {
      type: "url_citation",
      url: "https://a.example",
      title: "A",
      start_index: 0,
      end_index: 2,
    };
    const file = { type: "file_citation", file_id: "file_1", filename: "a", index: 0 };
    expect(answer([message(said("Hi", [cited, file, null]))])?.parts).toEqual([
      {
        kind: "text",
        text: "Hi",
        citations: [{ url: "https://a.example", title: "A", quote: null }],
        cache: null,
      },
    ]);
  });

  test("has reasoning that is told in full where there is no summary", () => {
    const content = [
      { type: "reasoning_text", text: "One." },
      { type: "reasoning_text", text: "Two." },
    ];
    const parts = answer([{ id: "rs_1", type: "reasoning", summary: [], content }])?.parts;
    expect(parts).toEqual([{ kind: "reasoning", text: "One.\n\nTwo.", seal: null }]);
  });

  test("[P19] keeps reasoning of which there is only the ciphertext", () => {
    const parts = answer([{ id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAA" }])?.parts;
    const seal = { origin: "responses", kind: "ciphertext", value: "gAAA", id: "rs_1" };
    expect(parts).toMatchObject([{ kind: "reasoning", text: "", seal }]);
  });

  test("leaves out what says nothing, and lists what it does not know", () => {
    const output = [message(said(""), { type: "output_audio" }), { type: "reasoning", summary: [] }];
    expect(answer([...output, { type: "program" }, "odd", null])?.parts).toEqual([
      { kind: "foreign", type: "output_audio" },
      { kind: "foreign", type: "program" },
    ]);
  });
});

describe("it ends", () => {
  const stop = (output: unknown[], extra: Record<string, unknown> = {}) => answer(output, extra)?.stop.reason;
  const cut = (reason: unknown) => ({ status: "incomplete", incomplete_details: { reason } });

  test("[P13] [P14] with a call where it makes one", () => {
    expect(stop([message(said("Hi")), call])).toBe("tool-calls");
  });

  test("[P15] [P16] with its length or a filter, whatever it called", () => {
    expect(stop([message(said("Hi")), call], cut("max_output_tokens"))).toBe("length");
    expect(stop([call], cut("content_filter"))).toBe("filter");
  });

  test("[P15] for an unknown reason, which is kept and is no good end", () => {
    expect(answer([message(said("Hi"))], cut("steered"))?.stop).toEqual({
      reason: "unknown",
      raw: "steered",
      sequence: null,
    });
    expect(stop([message(said("Hi"))], { status: "incomplete" })).toBe("unknown");
  });

  test("[P38] [P61] with a refusal where it has one", () => {
    const refused = answer([message({ type: "refusal", refusal: "No." })]);
    expect(refused?.parts).toEqual([{ kind: "refusal", text: "No." }]);
    expect(refused?.stop.reason).toBe("refusal");
  });
});

describe("no answer is", () => {
  test.each([
    ["an error", { error: { message: "no" } }],
    ["a failure", { status: "failed", error: { code: "server_error", message: "no" } }],
    ["one that was cancelled", { status: "cancelled" }],
    ["one that has yet to come", { status: "queued" }],
    ["one without an output", { output: null }],
  ])("%s", (_name, extra) => {
    expect(answer([], extra)).toBeNull();
  });
});

test("nothing that an upstream may write breaks the reader", () => {
  const kinds = fc.constantFrom("message", "reasoning", "function_call", "custom_tool_call", "odd");
  const items = fc.record(
    {
      type: fc.oneof(kinds, fc.jsonValue()),
      id: fc.jsonValue(),
      call_id: fc.jsonValue(),
      name: fc.jsonValue(),
      arguments: fc.jsonValue(),
      input: fc.jsonValue(),
      summary: fc.jsonValue(),
      content: fc.oneof(fc.jsonValue(), fc.array(fc.record({ type: kinds, text: fc.jsonValue() }))),
      encrypted_content: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(items, fc.jsonValue())), fc.jsonValue(), (output, usage) => {
      const reply = answer(output, { usage, created_at: usage, incomplete_details: usage });
      expect(reply).not.toBeNull();
    }),
  );
});
