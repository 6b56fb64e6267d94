import { describe, expect, test } from "bun:test";
import type { RequestEdits, RequestView } from "../protocol.ts";
import { JSON_DEPTH_MAX, MODEL_CHARACTERS_MAX } from "../read-body.ts";
import { readChatRequest, writeChatRequest } from "./read-request.ts";

const MESSAGES = '"messages":[{"role":"user","content":"hi"}]';
const GOOD = { model: "m", messages: [{ role: "user", content: "hi" }] };
const SAME: RequestEdits = { upstreamModel: "m", outputTokens: null, kind: "openai-compatible" };

function read(body: string | Buffer | object): RequestView {
  const bytes = Buffer.isBuffer(body) ? body : typeof body === "string" ? body : JSON.stringify(body);
  const result = readChatRequest(Buffer.from(bytes));
  if ("refusal" in result) throw new Error(JSON.stringify(result.refusal));
  return result.request;
}

function refused(body: string | Buffer | object) {
  const bytes = Buffer.isBuffer(body) ? body : typeof body === "string" ? body : JSON.stringify(body);
  const result = readChatRequest(Buffer.from(bytes));
  if ("request" in result) throw new Error("it was not refused");
  const { reason, params } = result.refusal;
  return { reason, param: params["param"], problem: String(params["problem"]), model: result.model };
}

function written(body: string, edits: Partial<RequestEdits> = {}): string {
  return Buffer.from(writeChatRequest(read(body), { ...SAME, ...edits })).toString();
}

describe("a problem names its field:", () => {
  const long = "m".repeat(MODEL_CHARACTERS_MAX + 1);
  const cases: readonly [string, object][] = [
    ["model", { messages: GOOD.messages }],
    ["model", { ...GOOD, model: null }],
    ["model", { ...GOOD, model: "" }],
    ["model", { ...GOOD, model: 5 }],
    ["model", { ...GOOD, model: ["m"] }],
    ["model", { ...GOOD, model: long }],
    ["messages", { model: "m" }],
    ["messages", { ...GOOD, messages: null }],
    ["messages", { ...GOOD, messages: "hi" }],
    ["messages", { ...GOOD, messages: {} }],
    ["messages", { ...GOOD, messages: [] }],
    ["messages[1]", { ...GOOD, messages: [...GOOD.messages, "hi"] }],
    ["messages[0]", { ...GOOD, messages: [null] }],
    ["messages[0]", { ...GOOD, messages: [[]] }],
    ["stream", { ...GOOD, stream: "true" }],
    ["stream", { ...GOOD, stream: 1 }],
    ["stream_options", { ...GOOD, stream_options: [] }],
    ["stream_options", { ...GOOD, stream_options: true }],
    ["n", { ...GOOD, n: 0 }],
    ["n", { ...GOOD, n: 129 }],
    ["n", { ...GOOD, n: 1.5 }],
    ["n", { ...GOOD, n: "2" }],
    ["max_tokens", { ...GOOD, max_tokens: 5, max_completion_tokens: 6 }],
  ];
  test.each(cases)("%s in %j", (param, body) => {
    const seen = refused(body);
    expect(seen).toMatchObject({ reason: "request_invalid", param });
    expect(seen.problem).toContain(`“${param}”`);
    expect(seen.problem.length).toBeLessThan(120);
  });

  for (const limit of ["max_tokens", "max_completion_tokens"]) {
    for (const value of [0, -1, 1.5, 100_000_001, 1e30, "100", true, {}]) {
      test(`${limit} ${JSON.stringify(value)}`, () => {
        expect(refused({ ...GOOD, [limit]: value }).param).toBe(limit);
      });
    }
  }

  for (const field of ["model", "messages", "stream", "stream_options", "max_tokens", "n"]) {
    test(`${field} given twice`, () => {
      const twice = `"${field}":null,"${field}":null`;
      expect(refused(`{${twice}}`)).toMatchObject({ param: field, problem: `“${field}” is given twice` });
    });
  }

  test("model given twice, once in disguise", () => {
    expect(refused(`{"model":"cheap",${MESSAGES},"mod\\u0065l":"dear"}`).param).toBe("model");
  });

  test("the model is known all the same, cut to length, for the record", () => {
    expect(refused({ ...GOOD, n: 0 }).model).toBe("m");
    expect(refused({ ...GOOD, model: long }).model).toHaveLength(MODEL_CHARACTERS_MAX);
  });
});

describe("a body that is no request:", () => {
  const deep = (levels: number) =>
    `{"model":"m",${MESSAGES},"x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  const cases: readonly [string, string | Buffer, string][] = [
    ["empty", "", "empty"],
    ["white space", "  ", "not valid JSON"],
    ["cut short", `{"model":"m",${MESSAGES}`, "not valid JSON"],
    ["a list", "[]", "JSON object"],
    ["a text", '"model"', "JSON object"],
    ["null", "null", "JSON object"],
    ["invalid UTF-8", Buffer.from(`{"model":"m\xff",${MESSAGES}}`, "latin1"), "UTF-8"],
    ["a cut character", Buffer.concat([Buffer.from('{"model":"m'), Buffer.of(0xe2, 0x82)]), "UTF-8"],
    ["too deep", deep(JSON_DEPTH_MAX + 1), "nested deeper"],
    ["a million levels", "[".repeat(1_000_000), "nested deeper"],
  ];
  test.each(cases)("%s", (_, body, problem) => {
    expect(refused(body)).toMatchObject({ reason: "request_invalid", param: "", model: "" });
    expect(refused(body).problem).toContain(problem);
  });

  test("the deepest that is allowed is read", () => expect(read(deep(JSON_DEPTH_MAX)).model).toBe("m"));
  test("a bad body does not spoil the next", () => expect(read(GOOD).model).toBe("m"));
});

describe("what is read:", () => {
  test("a plain request", () => {
    const nothing = { stream: false, wantsUsage: false, limitField: null };
    expect(read(GOOD).dialect).toBe("chat");
    expect(read(GOOD)).toMatchObject({ model: "m", ...nothing, outputTokensAsked: null, choices: 1 });
    const nulls = { stream: null, stream_options: null, max_tokens: null, n: null };
    expect(read({ ...GOOD, ...nulls })).toMatchObject({ ...nothing, outputTokensAsked: null, choices: 1 });
  });

  test("the limit under either name, or both where they agree", () => {
    expect(read({ ...GOOD, max_tokens: 5 })).toMatchObject({
      limitField: "max_tokens",
      outputTokensAsked: 5,
    });
    for (const both of [{ max_completion_tokens: 5 }, { max_tokens: 5, max_completion_tokens: 5 }]) {
      const request = read({ ...GOOD, ...both });
      expect(request).toMatchObject({ limitField: "max_completion_tokens", outputTokensAsked: 5 });
    }
  });

  test("a byte order mark is no harm", () => expect(read(`\ufeff${JSON.stringify(GOOD)}`).model).toBe("m"));

  test("__proto__ is a field like any other, and gives nothing", () => {
    const hidden = '"__proto__":{"stream":true,"model":"x","n":50,"max_tokens":1}';
    expect(refused(`{${hidden},${MESSAGES}}`).param).toBe("model");
    const body = `{${hidden},"model":"m",${MESSAGES},"stream_options":{"__proto__":{"include_usage":true}}}`;
    expect(read(body)).toMatchObject({ model: "m", stream: false, choices: 1, wantsUsage: false });
    expect(written(body)).toBe(body);
    expect(({} as Record<string, unknown>)["stream"]).toBeUndefined();
  });

  test("images, sound and files are measured apart from the text", () => {
    const measured = (...content: unknown[]) => {
      const { dataBytes, dataParts } = read({ model: "m", messages: [{ role: "user", content }] });
      return [dataBytes, dataParts];
    };
    const url = `data:image/png;base64,${"A".repeat(100)}`;
    expect(measured({ type: "text", text: "hi" })).toEqual([0, 0]);
    expect(measured({ type: "image_url", image_url: { url } })).toEqual([url.length, 1]);
    expect(measured({ type: "image_url", image_url: url })).toEqual([url.length, 1]);
    expect(measured({ type: "image_url", image_url: { url: "https://a.example/b.png" } })).toEqual([1, 1]);
    expect(measured({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } })).toEqual([4, 1]);
    expect(measured({ type: "file", file: { file_data: "AAAAAA", filename: "a.pdf" } })).toEqual([6, 1]);
    expect(measured({ type: "file", file: { file_id: "file-1" } })).toEqual([1, 1]);
    expect(measured({ type: "video_url", video_url: { url } })).toEqual([url.length, 1]);
    const odd = [{ image_url: null }, { image_url: 5 }, { input_audio: "x" }];
    expect(measured(...odd.map(part => ({ type: "file", ...part })))).toEqual([0, 0]);
    const both = [{ image_url: url }, { input_audio: { data: "AA" } }];
    expect(measured(...both.map(part => ({ type: "file", ...part })))).toEqual([url.length + 2, 2]);
    expect(read({ ...GOOD, messages: [{ role: "user", content: url }] }).dataParts).toBe(0);
  });
});

describe("what is sent on", () => {
  test("is the very same bytes where nothing is to be changed", () => {
    for (const body of [GOOD, { ...GOOD, stream: true, stream_options: { include_usage: true } }]) {
      const request = read(body);
      expect(writeChatRequest(request, SAME)).toBe(request.bytes);
    }
  });

  const odd = `{ "temperature" : 1.0, "model":"m" ,${MESSAGES}, "seed":1e2,"u":"\\u00e9\\/", "u":2 }\n`;

  test("carries another model's name, and nothing else is touched", () => {
    const other = written(odd, { upstreamModel: 'gpt "5"' });
    expect(other).toBe(odd.replace('"m"', '"gpt \\"5\\""'));
    const inner = `{"metadata":{"model":"m"},"model":"m",${MESSAGES}}`;
    expect(written(inner, { upstreamModel: "x" })).toBe(inner.replace(',"model":"m"', ',"model":"x"'));
  });

  test("asks for usage in a stream, and keeps the other options", () => {
    const body = (options: string) => `{"model":"m",${MESSAGES},"stream":true${options}}`;
    const ask = '"stream_options":{"include_usage":true}';
    expect(written(body(""))).toBe(body("").replace("{", `{${ask},`));
    for (const none of ["null", "{}", '{"include_usage":false}', '{ "include_usage" : null }']) {
      expect(written(body(`,"stream_options":${none}`))).toBe(body(`,${ask}`));
    }
    const sent = written(body(',"stream_options":{"include_obfuscation":false,"include_usage":false}'));
    expect(JSON.parse(sent)).toMatchObject({
      stream_options: { include_obfuscation: false, include_usage: true },
    });
    const proto = written(body(',"stream_options":{"__proto__":{"a":1}}'));
    expect(proto).toContain('"stream_options":{"__proto__":{"a":1},"include_usage":true}');
  });

  test("carries a lowered limit under the name the client used", () => {
    for (const limitField of ["max_tokens", "max_completion_tokens"] as const) {
      const body = `{"model":"m","${limitField}" : 5000,${MESSAGES}}`;
      for (const kind of ["openai", "openai-compatible"] as const)
        expect(written(body, { outputTokens: 70, kind })).toBe(body.replace("5000", "70"));
    }
  });

  test("carries our limit where the client named none", () => {
    const body = `{"model":"m",${MESSAGES}}`;
    const limited = (kind: RequestEdits["kind"]) => written(body, { outputTokens: 70, kind });
    expect(limited("openai")).toBe(body.replace("{", '{"max_completion_tokens":70,'));
    expect(limited("openai-compatible")).toBe(body.replace("{", '{"max_tokens":70,'));
    expect(limited("demo")).toBe(body.replace("{", '{"max_tokens":70,'));
  });

  test("lowers both names where both are given, and leaves one that is null", () => {
    const both = `{"model":"m","max_tokens":500,"max_completion_tokens":500,${MESSAGES}}`;
    expect(written(both, { outputTokens: 70 })).toBe(both.replaceAll("500", "70"));
    const one = `{"model":"m","max_tokens":null,${MESSAGES}}`;
    expect(written(one, { outputTokens: 70 })).toBe(one.replace("null", "70"));
    expect(written(one, { outputTokens: 70, kind: "openai" })).toBe(
      one.replace("{", '{"max_completion_tokens":70,'),
    );
  });

  test("carries all three at once", () => {
    const body = `{"max_tokens":500,"stream":true,"model":"m",${MESSAGES}}`;
    expect(JSON.parse(written(body, { upstreamModel: "x", outputTokens: 70 }))).toEqual({
      ...(JSON.parse(body) as object),
      model: "x",
      max_tokens: 70,
      stream_options: { include_usage: true },
    });
  });
});
