import { describe, expect, test } from "bun:test";
import type { Part, Turn } from "../../domain/chat.ts";
import { PROMPT } from "../prompt.case.ts";
import { CLAUDE, call, NEW_CLAUDE, result, text, thought, turns, written } from "./codec.case.ts";

const MARK = { ttl: null };
const CONTROL = { cache_control: { type: "ephemeral" } };
const block = (said: string) => ({ type: "text", text: said });

const write = (said: Turn[], target = CLAUDE) => written({ ...PROMPT, turns: said }, target);
const messages = (said: Turn[], target = CLAUDE) => write(said, target).messages;

describe("instructions", () => {
  test("[P54] in front, of system and developer alike, have their own field", () => {
    const said = turns(["system", text("a", MARK)], ["developer", text("b")], ["user", text("c")]);
    expect(write(said)).toMatchObject({
      system: [{ ...block("a"), ...CONTROL }, block("b")],
      messages: [{ role: "user", content: [block("c")] }],
    });
  });

  test("[P53] later on stay where they are, for a model that takes them", () => {
    const said = turns(
      ["user", text("a")],
      ["system", text("b")],
      ["assistant", text("c")],
      ["user", text("d")],
      ["developer", text("e")],
      ["system", text("f")],
    );
    const body = write(said, NEW_CLAUDE);
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([
      { role: "user", content: [block("a")] },
      { role: "system", content: [block("b")] },
      { role: "assistant", content: [block("c")] },
      { role: "user", content: [block("d")] },
      { role: "system", content: [block("e"), block("f")] },
    ]);
  });

  test("[P53] always follow the user and never precede him, as the model wants them", () => {
    const said = turns(
      ["user", text("a")],
      ["assistant", text("b")],
      ["system", text("c")],
      ["user", text("d")],
    );
    expect(messages(said, NEW_CLAUDE).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "system",
    ]);
    const unanswered = turns(["user", text("a")], ["assistant", text("b")], ["system", text("c")]);
    expect(messages(unanswered, NEW_CLAUDE).at(-1)).toEqual({
      role: "user",
      content: [block("<system>\nc\n</system>")],
    });
  });

  test("[P53] are said by the user, in their place, to a model that takes none there", () => {
    const said = turns(["user", text("a")], ["system", text("b")], ["user", text("c")]);
    expect(messages(said)).toEqual([
      { role: "user", content: [block("a"), block("<system>\nb\n</system>"), block("c")] },
    ]);
  });
});

describe("[P54] the order of turns", () => {
  test("has consecutive ones of one role in one message", () => {
    const said = turns(
      ["user", text("a")],
      ["user", text("b")],
      ["assistant", text("c")],
      ["assistant", call("toolu_1")],
      ["user", result("toolu_1", "d")],
    );
    expect(messages(said).map(({ role, content }) => [role, content.length])).toEqual([
      ["user", 2],
      ["assistant", 2],
      ["user", 1],
    ]);
  });

  test("begins with the user, whoever began", () => {
    expect(messages(turns(["assistant", text("a")], ["user", text("b")]))).toEqual([
      { role: "user", content: [block("(continue)")] },
      { role: "assistant", content: [block("a")] },
      { role: "user", content: [block("b")] },
    ]);
    expect(messages(turns(["system", text("a")]))).toEqual([
      { role: "user", content: [block("(continue)")] },
    ]);
  });

  test("may end with an answer that was begun, but not with white space", () => {
    const said = turns(["user", text("a")], ["assistant", text("The answer is \n")]);
    expect(messages(said).at(-1)).toEqual({ role: "assistant", content: [block("The answer is")] });
    const more = turns(["user", text("a")], ["assistant", text("b ")], ["user", text("c")]);
    expect(messages(more)[1]?.content).toEqual([block("b ")]);
  });

  test("has nothing of turns that say nothing", () => {
    const said = turns(
      ["user", text("a")],
      ["assistant", { kind: "foreign", type: "web_search_call" }, text(" ")],
      ["user", text("b")],
    );
    expect(messages(said)).toEqual([{ role: "user", content: [block("a"), block("b")] }]);
  });

  test("has results of tools before all else that the user says", () => {
    const said = turns(
      ["user", text("a")],
      ["assistant", call("toolu_1"), call("toolu_2")],
      ["user", text("b"), result("toolu_1", "c")],
      ["user", result("toolu_2", "d")],
    );
    expect(messages(said)[2]?.content.map(({ type }) => type)).toEqual([
      "tool_result",
      "tool_result",
      "text",
    ]);
  });
});

describe("[P52] empty texts", () => {
  const empty = (said = "") => text(said, MARK);

  test("are removed, and their mark goes to what stands before", () => {
    const said = turns(
      ["system", text("s"), empty()],
      ["user", text("a"), empty(" \n\t"), text("b"), text("")],
    );
    expect(write(said)).toMatchObject({
      system: [{ ...block("s"), ...CONTROL }],
      messages: [{ role: "user", content: [{ ...block("a"), ...CONTROL }, block("b")] }],
    });
  });

  test("at the beginning of a message mark the end of the one before", () => {
    const said = turns(["user", text("a")], ["assistant", text("b")], ["user", empty(), text("c")]);
    expect(messages(said)).toEqual([
      { role: "user", content: [block("a")] },
      { role: "assistant", content: [{ ...block("b"), ...CONTROL }] },
      { role: "user", content: [block("c")] },
    ]);
  });

  test("mark no thought", () => {
    const said = turns(["user", text("a")], ["assistant", thought("t", "S"), empty()], ["user", text("c")]);
    expect(JSON.stringify(messages(said))).not.toContain("cache_control");
  });

  test("are removed from results of tools, which may have nothing to say", () => {
    const said = turns(["assistant", call("toolu_1")], ["user", result("toolu_1", "")]);
    expect(messages(said).at(-1)?.content).toEqual([{ type: "tool_result", tool_use_id: "toolu_1" }]);
  });
});

describe("[P55] cache marks", () => {
  const marked = (body: { system?: object[]; messages: { content: object[] }[] }) =>
    [...(body.system ?? []), ...body.messages.flatMap(({ content }) => content)].map(
      one => "cache_control" in one,
    );

  test("are four at the most, and the oldest messages lose theirs first", () => {
    const said = turns(
      ["system", text("s", MARK)],
      ...["a", "b", "c", "d", "e"].map((word): ["user", Part] => ["user", text(word, MARK)]),
    );
    expect(marked(write(said))).toEqual([true, false, false, true, true, true]);
    const body = written({ ...PROMPT, turns: said, cache: MARK }, CLAUDE);
    expect(marked(body)).toEqual([true, false, false, false, true, true]);
    expect(body["cache_control"]).toEqual({ type: "ephemeral" });
  });

  test("of tools count, too", () => {
    const said = turns(
      ["system", text("s", MARK)],
      ...["a", "b", "c"].map((w): ["user", Part] => ["user", text(w, MARK)]),
    );
    const tool = {
      kind: "function",
      name: "look",
      description: null,
      schema: null,
      strict: null,
      namespace: null,
      cache: MARK,
    } as const;
    const body = written({ ...PROMPT, turns: said, tools: [tool] }, CLAUDE);
    expect(body.tools?.[0]).toHaveProperty("cache_control");
    expect(marked(body)).toEqual([true, false, true, true]);
  });

  test("stay on calls, results and images, and never inside an input", () => {
    const image = {
      kind: "image",
      source: { kind: "url", url: "https://a.example/b.png" },
      detail: null,
      cache: { ttl: "1h" },
    } as const;
    const said = turns(
      ["user", image],
      ["assistant", { ...call("toolu_1", '{"cache_control":1}'), cache: { ttl: "5m" } }],
      ["user", { ...result("toolu_1", "ok"), cache: { ttl: "odd" } }],
    );
    expect(messages(said).flatMap(({ content }) => content)).toEqual([
      {
        type: "image",
        source: { type: "url", url: "https://a.example/b.png" },
        cache_control: { type: "ephemeral", ttl: "1h" },
      },
      {
        type: "tool_use",
        id: "toolu_1",
        name: "look",
        input: { cache_control: 1 },
        cache_control: { type: "ephemeral", ttl: "5m" },
      },
      { type: "tool_result", tool_use_id: "toolu_1", content: [block("ok")], ...CONTROL },
    ]);
  });
});

describe("thoughts", () => {
  test("[P20] go back to their own maker only, and never as words", () => {
    const foreign = { origin: "responses", kind: "ciphertext", value: "gAAA", id: "rs_1" } as const;
    const said = turns(
      ["user", text("a")],
      [
        "assistant",
        { kind: "reasoning", text: "secret", seal: null },
        { kind: "reasoning", text: "other", seal: foreign },
        thought("own", "SIG"),
        {
          kind: "reasoning",
          text: "",
          seal: { origin: "messages", kind: "ciphertext", value: "RED", id: null },
        },
        text("b"),
      ],
      ["user", text("c")],
    );
    expect(messages(said)[1]?.content).toEqual([
      { type: "thinking", thinking: "own", signature: "SIG" },
      { type: "redacted_thinking", data: "RED" },
      block("b"),
    ]);
  });

  test("[P19] are kept with nothing to read in them", () => {
    const said = turns(
      ["user", text("a")],
      ["assistant", thought("", "SIG"), text("b")],
      ["user", text("c")],
    );
    expect(messages(said)[1]?.content[0]).toEqual({ type: "thinking", thinking: "", signature: "SIG" });
  });

  test("[P21] stand first where the model thinks first, and else in the order in which it had them", () => {
    const said = turns(
      ["user", text("a")],
      ["assistant", text("b"), thought("t", "S"), call("toolu_1")],
      ["user", result("toolu_1", "c")],
    );
    const types = (target: typeof CLAUDE) => messages(said, target)[1]?.content.map(({ type }) => type);
    expect(types(CLAUDE)).toEqual(["thinking", "text", "tool_use"]);
    expect(types(NEW_CLAUDE)).toEqual(["text", "thinking", "tool_use"]);
  });
});

describe("calls and results", () => {
  test("[P9] [P10] have ids of this dialect, equal on both sides and different for different calls", () => {
    const ids = ["functions.Bash:0", "functions.Bash_0", "call_1", "toolu_1"];
    const said = turns(
      ["user", text("a")],
      ["assistant", ...ids.map(id => call(id))],
      ["user", ...ids.map(id => result(id, "ok"))],
    );
    const [, calls, results] = messages(said);
    const made = calls?.content.map(({ id }) => String(id)) ?? [];
    expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(made);
    expect(new Set(made).size).toBe(4);
    for (const id of made) expect(id).toMatch(/^toolu_[A-Za-z0-9_-]+$/);
    expect(made[3]).toBe("toolu_1");
  });

  test.each([
    ['{"a":1}', { a: 1 }],
    ["", {}],
    ["null", {}],
    ['{"a":', { input: '{"a":' }],
    ["[1]", { input: "[1]" }],
    ["*** Begin Patch", { input: "*** Begin Patch" }],
  ])("have an object for an input: %p", (input, expected) => {
    const said = turns(
      ["user", text("a")],
      ["assistant", call("toolu_1", input)],
      ["user", result("toolu_1", "b")],
    );
    expect(messages(said)[1]?.content[0]?.["input"]).toEqual(expected);
  });

  test("[P11] [P12] keep images and that they failed", () => {
    const image = {
      kind: "image",
      source: { kind: "data", mediaType: "image/png", data: "iVBO" },
      detail: null,
      cache: null,
    } as const;
    const failed = { ...result("toolu_1", "see"), parts: [text("see"), image], isError: true };
    const said = turns(["assistant", call("toolu_1")], ["user", failed]);
    expect(messages(said).at(-1)?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: [
          block("see"),
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
        ],
        is_error: true,
      },
    ]);
  });

  test("[P61] refusals in an earlier answer are words of it", () => {
    const said = turns(
      ["user", text("a")],
      ["assistant", { kind: "refusal", text: "No." }],
      ["user", text("b")],
    );
    expect(messages(said)[1]?.content).toEqual([block("No.")]);
  });
});

test("[P59] documents are written as PDF, text and by address", () => {
  const document = (source: object, name: string | null = null) =>
    ({ kind: "document", source, name, cache: null }) as Part;
  const said = turns([
    "user",
    document({ kind: "data", mediaType: "application/pdf", data: "JVBE" }, "a.pdf"),
    document({ kind: "data", mediaType: "text/csv", data: Buffer.from("ä,b").toString("base64") }, "b.csv"),
    document({ kind: "text", text: "words" }),
    document({ kind: "url", url: "https://a.example/b.pdf" }),
    text("What is this?"),
  ]);
  expect(messages(said)[0]?.content).toEqual([
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
      title: "a.pdf",
    },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "ä,b" }, title: "b.csv" },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "words" } },
    { type: "document", source: { type: "url", url: "https://a.example/b.pdf" } },
    block("What is this?"),
  ]);
});
