import { describe, expect, test } from "bun:test";
import type { RequestView, TapOptions } from "../protocol.ts";
import { played } from "../tap.case.ts";
import { completions } from "./completions.ts";

function read(body: object): RequestView {
  const result = completions.readRequest(Buffer.from(JSON.stringify(body)));
  if ("refusal" in result) throw new Error(JSON.stringify(result.refusal.params));
  return result.request;
}

function problemWith(body: object): unknown {
  const result = completions.readRequest(Buffer.from(JSON.stringify(body)));
  return "refusal" in result ? result.refusal.params["param"] : null;
}

const EDITS = { upstreamModel: "m", outputTokens: null, kind: "openai" as const };
const optionsFor = (body: object, extra: Partial<TapOptions> = {}): TapOptions => {
  return { request: read(body), renameTo: null, eventBytesMax: 1_000_000, ...extra };
};

describe("a request", () => {
  test("without a limit has the API's own, here and upstream", () => {
    const request = read({ model: "m", prompt: "Once" });
    expect(request.outputTokensAsked).toBe(16);
    expect(Buffer.from(completions.writeRequest(request, EDITS)).toString()).toBe(
      '{"max_tokens":16,"model":"m","prompt":"Once"}',
    );
  });

  test("[P64] with a limit passes as it is, down to its spaces", () => {
    const bytes = Buffer.from('{ "prompt" : "a\\u0041", "model":"m" ,"max_tokens":5, "temperature":1.0 }');
    const result = completions.readRequest(bytes);
    if ("refusal" in result) throw new Error("refused");
    expect(completions.writeRequest(result.request, EDITS)).toBe(bytes);
  });

  test("is lowered by the name that this API has, whoever the upstream is", () => {
    const written = completions.writeRequest(read({ model: "m", prompt: "x", max_tokens: 500 }), {
      ...EDITS,
      outputTokens: 70,
    });
    expect(JSON.parse(Buffer.from(written).toString())).toEqual({ model: "m", prompt: "x", max_tokens: 70 });
  });

  test("has a choice for each prompt and each of the best", () => {
    const counts = [
      { prompt: "x" },
      { prompt: [1, 2, 3] },
      { prompt: ["a", "b"] },
      { prompt: [[1], [2], [3]], n: 2 },
      { prompt: "x", n: 2, best_of: 5 },
    ].map(body => read({ model: "m", ...body }).choices);
    expect(counts).toEqual([1, 1, 2, 6, 5]);
  });

  test("that is malformed names the field", () => {
    const good = { model: "m", prompt: "x" };
    expect(problemWith(good)).toBeNull();
    expect(problemWith({ prompt: "x" })).toBe("model");
    expect(problemWith({ model: "m" })).toBe("prompt");
    expect(problemWith({ model: "m", prompt: [] })).toBe("prompt");
    expect(problemWith({ model: "m", prompt: ["a", {}] })).toBe("prompt[1]");
    expect(problemWith({ ...good, max_tokens: -1 })).toBe("max_tokens");
    expect(problemWith({ ...good, best_of: 1.5 })).toBe("best_of");
    expect(problemWith({ ...good, stream: "yes" })).toBe("stream");
    expect(problemWith({ ...good, echo: "yes" })).toBe("echo");
  });
});

const event = (text: string, finish: string | null = null, extra: object = {}) => {
  const choices = [{ text, index: 0, logprobs: null, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "cmpl-7", object: "text_completion", created: 5, model: "m", choices, ...extra })}\n\n`;
};
const USAGE = `data: ${JSON.stringify({ id: "cmpl-7", object: "text_completion", choices: [], usage: { prompt_tokens: 4, completion_tokens: 2 } })}\n\n`;

describe("a stream", () => {
  test("[P28] passes without the usage that only we asked for, and is counted by its text", () => {
    const tap = completions.tap(optionsFor({ model: "m", prompt: "x", stream: true }));
    const parts = [event("Héllo"), event(" you", "stop"), USAGE, "data: [DONE]\n\n"].map(part =>
      Buffer.from(part),
    );
    expect(played(tap, parts).text).toBe(`${event("Héllo")}${event(" you", "stop")}data: [DONE]\n\n`);
    expect(tap.reported()).toMatchObject({ usage: { input: 4, output: 2 }, isFinal: true, bad: false });
    expect(tap.content.bytes).toBe(Buffer.byteLength("Héllo you"));
    expect(tap.ended).toBe(true);
  });

  test("that has used up what is held ends in its own shape", () => {
    const options = { include_usage: true };
    const tap = completions.tap(
      optionsFor({ model: "m", prompt: "x", stream: true, stream_options: options }),
    );
    tap.feed(Buffer.from(event("Hel")));
    const [first, second, done, nothing] = Buffer.from(tap.lengthEnd({ input: 3, output: 1 }))
      .toString()
      .split("\n\n");
    expect(JSON.parse(first?.slice(6) ?? "")).toEqual({
      id: "cmpl-7",
      object: "text_completion",
      created: 5,
      model: "m",
      choices: [{ text: "", index: 0, logprobs: null, finish_reason: "length" }],
    });
    expect(JSON.parse(second?.slice(6) ?? "")).toMatchObject({ choices: [], usage: { total_tokens: 4 } });
    expect([done, nothing]).toEqual(["data: [DONE]", ""]);
  });

  test("[P41] that failed ends with the error, and with no false [DONE]", () => {
    const tap = completions.tap(optionsFor({ model: "m", prompt: "x", stream: true }));
    expect(tap.feed(Buffer.from('data: {"error":{"message":"secret"}}\n\n'))).toBeNull();
    expect(tap.failed).toBe(true);
    expect(Buffer.from(tap.failureEnd({ error: { message: "ours" } })).toString()).toBe(
      'data: {"error":{"message":"ours"}}\n\n',
    );
  });

  test("does not count the prompt that it was asked to repeat", () => {
    const tap = completions.tap(
      optionsFor({ model: "m", prompt: "x".repeat(100), echo: true, stream: true }),
    );
    tap.feed(Buffer.from(event("x".repeat(100))));
    expect(tap.content.bytes).toBe(0);
    tap.feed(Buffer.from(event("y".repeat(50))));
    expect(tap.content.bytes).toBe(48);
  });
});

describe("a whole answer", () => {
  test("[P32] without usage is counted by its text", () => {
    const body = { object: "text_completion", choices: [{ text: "Hello", index: 0, finish_reason: "stop" }] };
    const whole = completions.readWhole(Buffer.from(JSON.stringify(body)));
    expect([whole?.usage, whole?.bad, whole?.said().bytes]).toEqual([null, false, 5]);
  });

  test("[P48] that is an error is no answer", () => {
    expect(completions.readWhole(Buffer.from('{"error":{"message":"no"}}'))).toBeNull();
    expect(completions.readWhole(Buffer.from("<html>"))).toBeNull();
  });
});
