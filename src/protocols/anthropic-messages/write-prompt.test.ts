import { describe, expect, test } from "bun:test";
import type { Prompt, Tool } from "../../domain/chat.ts";
import { PROMPT } from "../prompt.case.ts";
import { CLAUDE, call, NEW_CLAUDE, promptOf, result, text, turns, written } from "./codec.case.ts";
import { writeMessagesPrompt } from "./write-prompt.ts";

const ask = (fields: Partial<Prompt>, target = CLAUDE) => written({ ...PROMPT, ...fields }, target);
const tool = (name: string, rest: object = {}): Tool => ({
  kind: "function",
  name,
  description: null,
  schema: { type: "object", properties: { cache_control: { type: "string" } } },
  strict: null,
  namespace: null,
  cache: null,
  ...rest,
});
const LOOK = {
  name: "look",
  input_schema: { type: "object", properties: { cache_control: { type: "string" } } },
};

describe("the body", () => {
  test("says nothing that was not asked", () => {
    expect(ask({})).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 4_096,
      messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    });
  });

  test("[P51] always has a limit: what was granted, what was asked, or the default", () => {
    expect(ask({ outputTokensMax: 50 }).max_tokens).toBe(50);
    expect(ask({ outputTokensMax: 50 }, { ...CLAUDE, outputTokensMax: 30 }).max_tokens).toBe(30);
    expect(ask({}, { ...CLAUDE, outputTokensMax: 30 }).max_tokens).toBe(30);
  });

  test("[P62] has what the dialect has a field for, and leaves the rest out", () => {
    const body = ask({
      stream: true,
      stops: ["END", " \n", ""],
      user: "u-1",
      serviceTier: "auto",
      seed: 7,
      frequencyPenalty: 1,
      presencePenalty: 1,
      verbosity: "low",
      cacheKey: "k",
      cache: { ttl: "1h" },
    });
    expect(body).toEqual({
      ...ask({}),
      stream: true,
      stop_sequences: ["END"],
      metadata: { user_id: "u-1" },
      service_tier: "auto",
      cache_control: { type: "ephemeral", ttl: "1h" },
    });
  });

  test("a key for the cache becomes a mark on the whole, unless the client set marks of its own", () => {
    expect(ask({ cacheKey: "k" })).toEqual({ ...ask({}), cache_control: { type: "ephemeral" } });
    const text = { kind: "text" as const, text: "Hi", citations: [], cache: { ttl: null } };
    const marked = ask({ cacheKey: "k", turns: [{ role: "user", parts: [text], at: "messages[0]" }] });
    expect(marked).not.toHaveProperty("cache_control");
  });

  test("[P62] leaves out a tier that means something else here, and a user too long to name", () => {
    expect(ask({ serviceTier: "flex", stops: ["\n"], user: "u".repeat(300) })).toEqual(ask({}));
  });
});

test("a prompt of this dialect, read and written again, says the same", () => {
  const cache_control = { type: "ephemeral", ttl: "1h" };
  const body = {
    model: "claude-opus-5-5",
    max_tokens: 32_000,
    stream: true,
    system: [
      { type: "text", text: "You are an agent." },
      { type: "text", text: "Be brief.", cache_control },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "Look.", cache_control }] },
      { role: "system", content: [{ type: "text", text: "Quickly." }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "", signature: "EqQB" },
          { type: "redacted_thinking", data: "EmwK" },
          { type: "text", text: "I will." },
          { type: "tool_use", id: "toolu_01", name: "look", input: { path: "a", deep: [1, { b: null }] } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_01",
            content: [
              { type: "text", text: "a picture" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
            ],
            is_error: true,
            cache_control: { type: "ephemeral" },
          },
        ],
      },
    ],
    tools: [{ ...LOOK, description: "Looks." }],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    thinking: { type: "adaptive", display: "omitted" },
    output_config: { effort: "xhigh" },
    stop_sequences: ["END"],
    metadata: { user_id: "u-1" },
    service_tier: "auto",
    cache_control: { type: "ephemeral" },
  };
  expect(written(promptOf(body), NEW_CLAUDE)).toEqual(body as never);
});

describe("sampling", () => {
  const wishes = { temperature: 1.7, topP: 0.5, topK: 40 };

  test("is held within the bounds of the dialect", () => {
    expect(ask({ temperature: 1.7 })).toMatchObject({ temperature: 1 });
    expect(ask({ temperature: 0 })).toMatchObject({ temperature: 0 });
  });

  test("is by temperature or by share where the model takes one of them", () => {
    expect(ask(wishes)).toMatchObject({ temperature: 1, top_k: 40 });
    expect(ask(wishes)).not.toHaveProperty("top_p");
    expect(ask({ topP: 0.5 })).toMatchObject({ top_p: 0.5 });
    expect(ask(wishes, { ...CLAUDE, model: "kimi-k2" })).toMatchObject({ temperature: 1, top_p: 0.5 });
  });

  test("is left to models that take none of it", () => {
    expect(ask(wishes, NEW_CLAUDE)).toEqual(ask({}, NEW_CLAUDE));
  });

  test("is left out where the model thinks", () => {
    const reasoning = { effort: "low", budgetTokens: null, shows: null };
    const body = ask({ ...wishes, reasoning });
    expect(body.thinking).toEqual({ type: "enabled", budget_tokens: 2_048 });
    for (const field of ["temperature", "top_p", "top_k"]) expect(body).not.toHaveProperty(field);
    expect(ask({ topP: 0.99, reasoning })).toMatchObject({ top_p: 0.99 });
  });
});

describe("tools", () => {
  test("[P55] keep their marks beside their schema, never in it", () => {
    const tools = [tool("look", { cache: { ttl: null }, description: "Looks.", strict: true })];
    expect(ask({ tools }).tools).toEqual([
      { ...LOOK, description: "Looks.", cache_control: { type: "ephemeral" } },
    ]);
  });

  test("always have a schema of an object", () => {
    const tools = [tool("a", { schema: null }), tool("b", { schema: { properties: {} } })];
    expect(ask({ tools }).tools?.map(written => written["input_schema"])).toEqual([
      { type: "object" },
      { type: "object", properties: {} },
    ]);
  });

  test("that only another provider has are left out", () => {
    const hosted: Tool = { kind: "hosted", type: "web_search", name: null };
    expect(ask({ tools: [hosted, tool("look")] }).tools).toEqual([LOOK]);
    expect(ask({ tools: [hosted], toolChoice: { kind: "auto" } })).toEqual(ask({}));
  });

  test.each([
    [{ kind: "auto" } as const, { type: "auto" }],
    [{ kind: "required" } as const, { type: "any" }],
    [{ kind: "none" } as const, { type: "none" }],
    [{ kind: "named", name: "look" } as const, { type: "tool", name: "look" }],
    [{ kind: "allowed", mode: "required", names: ["look"] } as const, { type: "any" }],
    [{ kind: "allowed", mode: "auto", names: ["look"] } as const, { type: "auto" }],
  ])("[P58] are chosen: %j", (given, tool_choice) => {
    const toolChoice = given.kind === "allowed" ? { ...given, names: [...given.names] } : given;
    const tools = [tool("look"), tool("go")];
    const body = ask({ tools, toolChoice });
    expect(body.tool_choice).toEqual(tool_choice);
    expect(body.tools?.map(({ name }) => name)).toEqual(given.kind === "allowed" ? ["look"] : ["look", "go"]);
    const alone = given.kind === "none" ? {} : { disable_parallel_tool_use: true };
    expect(ask({ tools, toolChoice, parallelTools: false }).tool_choice).toEqual({
      ...tool_choice,
      ...alone,
    });
    expect(ask({ tools, toolChoice, parallelTools: true }).tool_choice).toEqual(tool_choice);
  });

  test("[P58] are called one at a time without any other choice", () => {
    const tool_choice = { type: "auto", disable_parallel_tool_use: true };
    expect(ask({ tools: [tool("look")], parallelTools: false }).tool_choice).toEqual(tool_choice);
    expect(ask({ parallelTools: false })).toEqual(ask({}));
  });

  test("that were called once are named where none is offered any more", () => {
    const said = turns(["user", text("a")], ["assistant", call("c1")], ["user", result("c1", "ok")]);
    expect(ask({ turns: said })).toMatchObject({
      tools: [{ name: "look", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    });
  });
});

describe("the format", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 1 } },
    required: ["n"],
    additionalProperties: false,
  };
  const format = { kind: "schema", name: "answer", description: null, schema, strict: true } as const;

  test("of a schema has its own field, without what is refused there", () => {
    const body = ask({ format });
    expect(body.output_config).toEqual({
      format: {
        type: "json_schema",
        schema: { ...schema, properties: { n: { type: "integer", description: "(minimum: 1)" } } },
      },
    });
    expect(body.system).toBeUndefined();
  });

  test("of a schema is told to a model that is older than the field", () => {
    const body = ask({ format }, { ...CLAUDE, model: "claude-3-5-haiku-latest" });
    expect(body.output_config).toBeUndefined();
    expect(String(body.system?.[0]?.["text"])).toContain(JSON.stringify(schema));
  });

  test("[P17] of JSON without a schema is told in words, behind the instructions, and needs no tool", () => {
    const said = turns(["system", text("Be brief.")], ["user", text("a")]);
    const body = ask({ format: { kind: "json" }, turns: said });
    expect(body.system).toHaveLength(2);
    expect(body.system?.[0]).toEqual({ type: "text", text: "Be brief." });
    expect(String(body.system?.[1]?.["text"])).toContain("JSON");
    expect(body.tools).toBeUndefined();
    expect(ask({ format: { kind: "text" } })).toEqual(ask({}));
  });
});

describe("what cannot be said is refused, and its place named:", () => {
  const refused = (part: object, role: "user" | "assistant" | "system" = "user") => {
    const said = turns(["user", text("a")]);
    said.push({ role, parts: [part as never], at: "messages[7]" });
    const wrote = writeMessagesPrompt({ ...PROMPT, turns: said }, CLAUDE);
    return "problem" in wrote ? wrote.problem : null;
  };
  const image = (source: object) => ({ kind: "image", source, detail: null, cache: null });
  const document = (source: object) => ({ kind: "document", source, name: null, cache: null });
  const cases: [string, object, RegExp][] = [
    ["audio", { kind: "audio", data: "UklG", format: "wav" }, /audio/],
    ["[P59] an image kept elsewhere", image({ kind: "file", id: "file-1" }), /file/],
    ["[P59] a document kept elsewhere", document({ kind: "file", id: "file-1" }), /file/],
    [
      "[P59] an image of an unknown type",
      image({ kind: "data", mediaType: "image/tiff", data: "SUkq" }),
      /image\/tiff/,
    ],
    [
      "[P59] a document of an unknown type",
      document({ kind: "data", mediaType: "application/msword", data: "0M8R" }),
      /application\/msword/,
    ],
  ];
  test.each(cases)("%s", (_, part, words) => {
    const problem = refused(part);
    expect(problem?.param).toBe("messages[7]");
    expect(problem?.problem).toStartWith("“messages[7]” has ");
    expect(problem?.problem).toMatch(words);
    expect(problem?.problem).not.toEndWith(".");
  });

  test("an image among instructions or answers", () => {
    const url = image({ kind: "url", url: "https://a.example/b.png" });
    expect(refused(url)).toBeNull();
    expect(refused(url, "system")?.param).toBe("messages[7]");
    expect(refused(url, "assistant")?.param).toBe("messages[7]");
  });
});
