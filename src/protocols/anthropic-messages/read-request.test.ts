import { describe, expect, test } from "bun:test";
import type { RequestEdits, RequestView } from "../protocol.ts";
import { readCountRequest, readMessagesRequest, writeMessagesRequest } from "./read-request.ts";

const HELLO = [{ role: "user", content: "hi" }];
const GOOD = { model: "m", max_tokens: 100, messages: HELLO };
const SAME: RequestEdits = { upstreamModel: "m", outputTokens: null, kind: "anthropic" };

const bytesOf = (body: string | object) =>
  Buffer.from(typeof body === "string" ? body : JSON.stringify(body));

function read(body: string | object, reader = readMessagesRequest): RequestView {
  const result = reader(bytesOf(body));
  if ("refusal" in result) throw new Error(JSON.stringify(result.refusal));
  return result.request;
}

function refused(body: string | object, reader = readMessagesRequest) {
  const result = reader(bytesOf(body));
  if ("request" in result) throw new Error("it was not refused");
  const { reason, params } = result.refusal;
  return { reason, param: params["param"], problem: String(params["problem"]), model: result.model };
}

const written = (body: string | object, edits: Partial<RequestEdits> = {}) =>
  Buffer.from(writeMessagesRequest(read(body), { ...SAME, ...edits })).toString();

const said = (content: unknown, role = "user") => ({ ...GOOD, messages: [{ role, content }] });
const use = { type: "tool_use", id: "toolu_1", name: "find", input: {} };
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "found" };
const talk = (...turns: [string, unknown][]) => {
  return { ...GOOD, messages: turns.map(([role, content]) => ({ role, content })) };
};

describe("a problem names its field:", () => {
  const cases: readonly [string, object][] = [
    ["model", { ...GOOD, model: undefined }],
    ["model", { ...GOOD, model: 5 }],
    ["messages", { ...GOOD, messages: undefined }],
    ["messages", { ...GOOD, messages: "hi" }],
    ["messages", { ...GOOD, messages: [] }],
    ["messages[1]", { ...GOOD, messages: [...HELLO, "hi"] }],
    ["messages[0].role", said("hi", "tool")],
    ["messages[0].role", { ...GOOD, messages: [{ content: "hi" }] }],
    ["messages[0].content", said(5)],
    ["messages[0].content", said(null)],
    ["messages[0].content", { ...GOOD, messages: [{ role: "user" }] }],
    ["messages[0].content[1]", said([{ type: "text", text: "a" }, "b"])],
    ["messages[0].content[0].type", said([{ text: "a" }])],
    ["messages[0].content[0].type", said([{ type: 5 }])],
    ["messages[0].content[0].type", said([{ type: "image_url" }])],
    ["messages[0].content[0].id", said([{ ...use, id: undefined }], "assistant")],
    ["messages[0].content[0].name", said([{ ...use, name: "" }], "assistant")],
    ["messages[0].content[0].tool_use_id", said([result])],
    ["messages[0].content[0].tool_use_id", said([{ type: "tool_result" }])],
    ["messages[0].content[0].tool_use_id", talk(["user", [result]], ["assistant", [use]])],
    [
      "messages[1].content[0].content[0].type",
      talk(["assistant", [use]], ["user", [{ ...result, content: [{ type: "image_url" }] }]]),
    ],
    ["messages[1].content[0].content", talk(["assistant", [use]], ["user", [{ ...result, content: 5 }]])],
    ["system", { ...GOOD, system: 5 }],
    ["system[0].type", { ...GOOD, system: [{ text: "a" }] }],
    ["stream", { ...GOOD, stream: "yes" }],
    ["max_tokens", { ...GOOD, max_tokens: undefined }],
    ["max_tokens", { ...GOOD, max_tokens: null }],
    ["temperature", { ...GOOD, temperature: 1.5 }],
    ["temperature", { ...GOOD, temperature: "1" }],
    ["top_p", { ...GOOD, top_p: -0.1 }],
    ["top_k", { ...GOOD, top_k: -1 }],
    ["top_k", { ...GOOD, top_k: 1.5 }],
    ["tools", { ...GOOD, tools: {} }],
    ["tools[1]", { ...GOOD, tools: [{ name: "a" }, "b"] }],
    ["tool_choice", { ...GOOD, tool_choice: { type: "tool", name: "b" }, tools: [{ name: "a" }] }],
    ["tool_choice", { ...GOOD, tool_choice: { type: "tool", name: "b" } }],
  ];
  test.each(cases)("%s in %j", (param, body) => {
    const seen = refused(body);
    expect(seen).toMatchObject({ reason: "request_invalid", param });
    expect(seen.problem).toContain(`“${param}”`);
    expect(seen.problem.length).toBeLessThan(140);
  });

  test.each([0, -1, 1.5, 1e9, "5", true])("[P51] max_tokens %p", max_tokens => {
    expect(refused({ ...GOOD, max_tokens }).param).toBe("max_tokens");
  });

  test("a number too large to be one", () => {
    expect(
      refused('{"model":"m","max_tokens":5,"temperature":1e999,"messages":[{"role":"user","content":"a"}]}')
        .param,
    ).toBe("temperature");
  });

  test.each(["model", "messages", "stream", "max_tokens", "thinking"])("%s given twice", field => {
    expect(refused(`{"${field}":null,"${field}":null}`).problem).toBe(`“${field}” is given twice`);
  });

  test("the model is known all the same, for the record", () => {
    expect(refused({ ...GOOD, max_tokens: 0 }).model).toBe("m");
  });
});

describe("what passes:", () => {
  const blocks = [
    ...["text", "image", "document", "search_result", "thinking", "redacted_thinking", "container_upload"],
    ...["server_tool_use", "mcp_tool_use", "web_search_tool_result", "bash_code_execution_tool_result"],
    ...["mcp_tool_result", "advisor_tool_result", "compaction", "tool_addition", "tool_removal", "fallback"],
    ...["mcp_tool_listing", "some_future_tool_use", "tool_reference"],
  ];
  test.each(blocks)("a part of type %s", type => expect(read(said([{ type }])).model).toBe("m"));

  test("[P53] instructions in the middle of the conversation", () => {
    const body = talk(
      ["user", "a"],
      ["assistant", "b"],
      ["system", [{ type: "text", text: "c" }]],
      ["user", "d"],
    );
    expect(written(body)).toBe(JSON.stringify(body));
  });

  test("results of calls that came before, also with an error or nothing in them", () => {
    const results = [
      { ...result, is_error: true },
      { type: "tool_result", tool_use_id: "toolu_1" },
    ];
    expect(read(talk(["user", "a"], ["assistant", [use]], ["user", results])).model).toBe("m");
    const own = { type: "web_search_tool_result", tool_use_id: "srvtoolu_9", content: [] };
    expect(read(talk(["user", "a"], ["assistant", [own]])).model).toBe("m");
  });

  test("a chosen tool that is there, or may be", () => {
    const tool_choice = { type: "tool", name: "b" };
    const toolset = { type: "mcp_toolset", mcp_server_name: "s" };
    for (const extra of [
      { tools: [{ name: "a" }, { name: "b" }] },
      { tools: [toolset] },
      { tools: [], mcp_servers: [{ name: "s" }] },
      { messages: [...HELLO, { role: "system", content: [{ type: "tool_addition", tool: { name: "b" } }] }] },
    ])
      expect(read({ ...GOOD, tool_choice, ...extra }).model).toBe("m");
    for (const type of ["auto", "any", "none"])
      expect(read({ ...GOOD, tool_choice: { type } }).model).toBe("m");
  });

  test("[P55] [P56] [P62] [P64] everything else, byte for byte", () => {
    const body = ` { "max_tokens" : 1e2, "model":"m", "system":[{"type":"text","text":"caf\\u00e9 \\/ é","cache_control":{"type":"ephemeral","ttl":"1h"}}],
      "messages":[{"role":"user","content":[{"type":"text","text":"","cache_control":{"type":"ephemeral"}}]}], "x":1.0,"x":-0,
      "metadata":{"user_id":"u"},"service_tier":"auto","stop_sequences":["a"],"context_management":{"edits":[]},"safeguards":{},
      "thinking":{"type":"adaptive","display":"omitted"},"output_config":{"effort":"max"},"stream":true,
      "tools":[{"name":"a","defer_loading":true,"input_schema":{"type":"object","properties":{"model":{"default":"m"}}}}] }\n`;
    const view = read(body);
    expect(writeMessagesRequest(view, SAME)).toBe(view.bytes);
    expect(written(body, { upstreamModel: "x" })).toBe(
      body.replace('"model":"m", "sys', '"model":"x", "sys'),
    );
  });
});

describe("the view", () => {
  test("of a plain request", () => {
    const view = read(GOOD);
    expect(view).toMatchObject({
      dialect: "messages",
      model: "m",
      stream: false,
      wantsUsage: true,
      choices: 1,
    });
    expect(view).toMatchObject({
      limitField: "max_tokens",
      outputTokensAsked: 100,
      dataBytes: 0,
      dataParts: 0,
    });
    expect(view.body).toEqual(GOOD);
    expect(read({ ...GOOD, stream: true }).stream).toBe(true);
  });

  test("measures images and documents apart from the text, also those of tools", () => {
    const measured = (...content: unknown[]) => {
      const { dataBytes, dataParts } = read(talk(["assistant", [use]], ["user", content]));
      return [dataBytes, dataParts];
    };
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const pdf = {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "BBBBBB" },
    };
    expect(measured({ type: "text", text: "AAAA" })).toEqual([0, 0]);
    expect(measured(image, pdf)).toEqual([10, 2]);
    expect(measured({ type: "image", source: { type: "url", url: "https://a.example/b.png" } })).toEqual([
      1, 1,
    ]);
    expect(measured({ type: "document", source: { type: "file", file_id: "file_1" } })).toEqual([1, 1]);
    expect(measured({ type: "document", source: { type: "text", data: "words" } })).toEqual([0, 0]);
    expect(measured({ type: "document", source: { type: "content", content: [image] } })).toEqual([4, 1]);
    expect(measured({ ...result, content: [image, { type: "text", text: "a" }] })).toEqual([4, 1]);
    expect(measured({ type: "image" }, { type: "image", source: null })).toEqual([0, 0]);
  });
});

describe("a lowered limit", () => {
  const rest = '"messages":[{"role":"user","content":"hi"}]';

  test("is written in the place of the client's own", () => {
    const body = `{"model":"m", "max_tokens" : 5000 ,${rest}}`;
    expect(written(body, { outputTokens: 70 })).toBe(body.replace("5000", "70"));
    expect(written(body, { outputTokens: 70, upstreamModel: "x" })).toBe(
      body.replace("5000", "70").replace('"m"', '"x"'),
    );
  });

  test("lowers what may be thought to its share, and touches nothing else of it", () => {
    const thinking = '{ "type" : "enabled","budget_tokens" : 10000, "display":"omitted" }';
    const body = `{"model":"m","thinking":${thinking},"max_tokens":16000,${rest}}`;
    expect(written(body, { outputTokens: 5000 })).toBe(
      body.replace("16000", "5000").replace("10000", String(Math.floor((5000 * 10000) / 16000))),
    );
  });

  test("leaves what may be thought where it is below the limit all the same, or not limited", () => {
    for (const thinking of ['{"type":"enabled","budget_tokens":2000}', '{"type":"adaptive"}', "null"]) {
      const body = `{"model":"m","thinking":${thinking},"max_tokens":16000,${rest}}`;
      expect(written(body, { outputTokens: 5000 })).toBe(body.replace("16000", "5000"));
    }
  });

  test("ends the thinking where too little would be left of it", () => {
    const body = `{"model":"m","thinking":{"type":"enabled","budget_tokens":2000},"max_tokens":3000,${rest}}`;
    expect(written(body, { outputTokens: 1200 })).toBe(
      body.replace('{"type":"enabled","budget_tokens":2000}', '{"type":"disabled"}').replace("3000", "1200"),
    );
  });

  test("keeps the budget below it whatever was asked", () => {
    for (const [asked, budget, lowered] of [
      [4000, 9000, 3000],
      [4000, 4000, 3999],
      [2000, 1999, 1500],
      [100_000, 99_999, 1026],
    ] as const) {
      const body = `{"model":"m","max_tokens":${asked},"thinking":{"type":"enabled","budget_tokens":${budget}},${rest}}`;
      const sent = JSON.parse(written(body, { outputTokens: lowered })) as {
        thinking: { budget_tokens?: number };
      };
      expect(sent.thinking.budget_tokens ?? 0).toBeLessThan(lowered);
      expect(sent.thinking.budget_tokens ?? 1024).toBeGreaterThanOrEqual(1024);
    }
  });
});

describe("[P57] a request to count", () => {
  test("needs no limit, and has none", () => {
    const view = read({ model: "m", messages: HELLO, system: "s" }, readCountRequest);
    expect(view).toMatchObject({
      dialect: "messages",
      outputTokensAsked: null,
      limitField: null,
      stream: false,
    });
    expect(writeMessagesRequest(view, SAME)).toBe(view.bytes);
    const renamed = Buffer.from(writeMessagesRequest(view, { ...SAME, upstreamModel: "x" })).toString();
    expect(JSON.parse(renamed)).toEqual({ model: "x", messages: HELLO, system: "s" });
  });

  test("has the faults of any other", () => {
    expect(refused({ model: "m", messages: [] }, readCountRequest).param).toBe("messages");
    expect(refused({ ...GOOD, max_tokens: 0 }, readCountRequest).param).toBe("max_tokens");
    expect(refused("{", readCountRequest).problem).toContain("JSON");
  });
});
