import { describe, expect, test } from "bun:test";
import type { Prompt, Tool, ToolChoice } from "../../domain/chat.ts";
import { BLANK, COMPATIBLE, OPENAI, text, written } from "./chat-codec.case.ts";
import { writeChatPrompt } from "./write-prompt.ts";

const fn = (name: string, rest: Partial<Extract<Tool, { kind: "function" }>> = {}): Tool => ({
  kind: "function",
  name,
  description: null,
  schema: null,
  strict: null,
  namespace: null,
  cache: null,
  ...rest,
});
const HOSTED: Tool = { kind: "hosted", type: "web_search", name: null };

describe("a written request", () => {
  test("says what is known and nothing else", () => {
    expect(written({})).toEqual({ model: "up-1", messages: [{ role: "user", content: "Hello" }] });
  });

  test("has all that the dialect can say", () => {
    const prompt: Partial<Prompt> = {
      stream: true,
      outputTokensMax: 100,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      stops: ["a", "b"],
      format: { kind: "json" },
      reasoning: { effort: "high", budgetTokens: null, shows: null },
      verbosity: "low",
      user: "u",
      seed: 0,
      frequencyPenalty: 0,
      presencePenalty: 1,
      serviceTier: "flex",
      cacheKey: "k",
    };
    const everywhere = {
      messages: [{ role: "user", content: "Hello" }],
      temperature: 0,
      top_p: 0.5,
      stop: ["a", "b"],
      seed: 0,
      frequency_penalty: 0,
      presence_penalty: 1,
      response_format: { type: "json_object" },
      reasoning_effort: "high",
      user: "u",
      stream: true,
      stream_options: { include_usage: true },
    };
    expect(written(prompt)).toEqual({ ...everywhere, model: "up-1", max_tokens: 100 });
    expect(written(prompt, OPENAI)).toEqual({
      ...everywhere,
      model: "gpt-5.2",
      max_completion_tokens: 100,
      verbosity: "low",
      service_tier: "flex",
      prompt_cache_key: "k",
    });
  });

  test("[P28] asks for the usage whenever it asks for a stream, whatever the client wants", () => {
    expect(written({ stream: true, wantsUsage: false })["stream_options"]).toEqual({ include_usage: true });
    expect(written({ stream: false, wantsUsage: true })).not.toHaveProperty("stream_options");
  });

  test("[P51] has the limit under the name that the model knows, and the gateway’s own before the client’s", () => {
    expect(written({ outputTokensMax: 5 }, { ...COMPATIBLE, model: "o3" })["max_completion_tokens"]).toBe(5);
    const held = written({ outputTokensMax: 5 }, { ...COMPATIBLE, outputTokensMax: 3 });
    expect(held["max_tokens"]).toBe(3);
    expect(held).not.toHaveProperty("max_completion_tokens");
  });

  test("[P62] shortens a user that OpenAI would refuse, always to the same", () => {
    const user = `user_${"a".repeat(200)}`;
    const short = written({ user })["user"];
    expect(short).toMatch(/^[0-9a-f]{64}$/);
    expect(written({ user })["user"]).toBe(short as string);
    expect(written({ user: `${user}b` })["user"]).not.toBe(short as string);
  });

  test("[P62] leaves out a tier of another dialect", () => {
    expect(written({ serviceTier: "standard_only" }, OPENAI)).not.toHaveProperty("service_tier");
  });

  test("has a format with a name that is allowed", () => {
    const schema = { type: "object" };
    const format = { kind: "schema", name: "my format!", description: null, schema, strict: true } as const;
    expect(written({ format })["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "my_format_", schema, strict: true },
    });
    expect(written({ format: { ...format, name: null, strict: null } })["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "answer", schema },
    });
    expect(written({ format: { kind: "text" } })).not.toHaveProperty("response_format");
  });

  test("does not speak of effort where nobody did", () => {
    expect(written({ reasoning: null })).not.toHaveProperty("reasoning_effort");
    const shown = { effort: null, budgetTokens: null, shows: true };
    expect(written({ reasoning: shown })).not.toHaveProperty("reasoning_effort");
  });
});

describe("written tools", () => {
  test("always have the schema of an object", () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const tools = [
      fn("bare"),
      fn("loose", { schema: {} }),
      fn("full", { schema, description: "Looks.", strict: true }),
      fn("lax", { schema, strict: false }),
    ];
    const empty = { type: "object", properties: {} };
    expect(written({ tools })["tools"]).toEqual([
      { type: "function", function: { name: "bare", parameters: empty } },
      { type: "function", function: { name: "loose", parameters: empty } },
      {
        type: "function",
        function: { name: "full", description: "Looks.", parameters: schema, strict: true },
      },
      { type: "function", function: { name: "lax", parameters: schema } },
    ]);
  });

  test("[P55] have no cache marks, least of all inside a schema", () => {
    const body = written(
      { tools: [fn("f", { cache: { ttl: "1h" } })] },
      { ...COMPATIBLE, model: "claude-x" },
    );
    expect(JSON.stringify(body)).not.toContain("cache_control");
  });

  test("[P60] are those that the client runs; what its provider would run is left out", () => {
    expect(written({ tools: [HOSTED, fn("f")] })["tools"]).toHaveLength(1);
    const body = written({ tools: [HOSTED], toolChoice: { kind: "auto" }, parallelTools: true });
    for (const field of ["tools", "tool_choice", "parallel_tool_calls"])
      expect(body).not.toHaveProperty(field);
  });

  test.each<[ToolChoice, unknown]>([
    [{ kind: "auto" }, "auto"],
    [{ kind: "none" }, "none"],
    [{ kind: "required" }, "required"],
    [
      { kind: "named", name: "f" },
      { type: "function", function: { name: "f" } },
    ],
  ])("[P58] are chosen among: %j", (toolChoice, tool_choice) => {
    expect(written({ tools: [fn("f")], toolChoice })["tool_choice"]).toEqual(tool_choice as never);
  });

  test("[P58] of which some are allowed are told to OpenAI, and to others they are all there is", () => {
    const toolChoice: ToolChoice = { kind: "allowed", mode: "required", names: ["g", "web_search"] };
    const tools = [fn("f"), fn("g"), HOSTED];
    const allowed = [{ type: "function", function: { name: "g" } }];
    const told = written({ tools, toolChoice }, OPENAI);
    expect(told["tools"]).toHaveLength(2);
    expect(told["tool_choice"]).toEqual({
      type: "allowed_tools",
      allowed_tools: { mode: "required", tools: allowed },
    });
    const narrowed = written({ tools, toolChoice });
    expect(narrowed["tools"]).toMatchObject(allowed);
    expect(narrowed["tools"]).toHaveLength(1);
    expect(narrowed["tool_choice"]).toBe("required");
  });

  test("[P58] may be forbidden to run at once; that they may is not told to models that refuse to hear it", () => {
    const tools = [fn("f")];
    expect(written({ tools, parallelTools: false })["parallel_tool_calls"]).toBe(false);
    expect(written({ tools, parallelTools: true })["parallel_tool_calls"]).toBe(true);
    expect(written({ tools, parallelTools: true }, { ...OPENAI, model: "o3" })).not.toHaveProperty(
      "parallel_tool_calls",
    );
    expect(written({ tools })).not.toHaveProperty("parallel_tool_calls");
  });

  test("with a grammar have it where this dialect has it", () => {
    const format = { type: "grammar", syntax: "lark", definition: "start: X" };
    const tools: Tool[] = [{ kind: "custom", name: "patch", description: null, format, cache: null }];
    expect(written({ tools, toolChoice: { kind: "named", name: "patch" } })).toMatchObject({
      tools: [
        {
          type: "custom",
          custom: {
            name: "patch",
            format: { type: "grammar", grammar: { syntax: "lark", definition: "start: X" } },
          },
        },
      ],
      tool_choice: { type: "custom", custom: { name: "patch" } },
    });
  });
});

describe("what cannot be written is a problem:", () => {
  const file = { kind: "file", id: "file-1" } as const;
  const problemOf = (prompt: Partial<Prompt>) => {
    const result = writeChatPrompt({ ...BLANK, ...prompt }, COMPATIBLE);
    return "problem" in result ? result.problem : null;
  };
  const turn = (part: Prompt["turns"][number]["parts"][number]) =>
    problemOf({ turns: [{ role: "user", parts: [part], at: "input[4]" }] });

  test("[P59] a file that another provider keeps, also inside a result", () => {
    const image = { kind: "image", source: file, detail: null, cache: null } as const;
    expect(turn(image)?.param).toBe("input[4]");
    expect(turn(image)?.problem).toStartWith("“input[4]” ");
    expect(turn({ kind: "tool-result", id: "a", parts: [image], isError: false, cache: null })?.param).toBe(
      "input[4]",
    );
    expect(turn({ kind: "document", source: file, name: null, cache: null })?.param).toBe("input[4]");
  });

  test("[P59] a document by its address", () => {
    const source = { kind: "url", url: "https://x.test/a.pdf" } as const;
    expect(turn({ kind: "document", source, name: null, cache: null })?.param).toBe("input[4]");
  });

  test("[P58] the choice of a tool that is not there", () => {
    const named = { tools: [HOSTED, fn("f")], toolChoice: { kind: "named", name: "web_search" } } as const;
    expect(problemOf({ ...named, tools: [...named.tools] })?.param).toBe("tool_choice");
  });

  test("[P52] nothing but blanks", () => {
    expect(turn(text(" \n"))).toEqual({ param: "input[4]", problem: "“input[4]” has no content" });
  });
});
