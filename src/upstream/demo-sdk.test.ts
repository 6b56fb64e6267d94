import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import { demoFetch } from "./demo-sdk.case.ts";

/** What the official SDKs make of the demo's bytes. */

const openai = new OpenAI({
  apiKey: "none",
  baseURL: "http://demo.invalid/v1",
  fetch: demoFetch,
  maxRetries: 0,
});
const anthropic = new Anthropic({
  apiKey: "none",
  baseURL: "http://demo.invalid",
  fetch: demoFetch,
  maxRetries: 0,
});

const schema = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    error => error,
  );

describe("Anthropic's, messages", () => {
  const tools = [
    { name: "get_weather", input_schema: schema },
    { name: "clock", input_schema: { type: "object" as const } },
  ];
  const ask = (content: string, extra: object = {}) => ({
    model: "demo",
    max_tokens: 4_000,
    messages: [{ role: "user" as const, content }],
    ...extra,
  });
  const cached = [{ type: "text" as const, text: "Be brief", cache_control: { type: "ephemeral" as const } }];

  test.each([
    ["text", ask("Hello")],
    ["thinking", ask("Hello", { thinking: { type: "enabled", budget_tokens: 2_000 } })],
    ["calls", ask("get_weather and clock", { tools })],
    ["thinking before calls", ask("get_weather clock", { tools, thinking: { type: "adaptive" } })],
    ["a refusal", ask("Hello", { model: "demo-refuse" })],
    ["a stop sequence", ask("Hello", { stop_sequences: ["demo"] })],
    ["cached input", ask("Hello", { system: cached })],
  ])("a stream makes the whole answer: %s", async (_, asked) => {
    const whole = await anthropic.messages.create(asked);
    const streamed = await anthropic.messages.stream(asked).finalMessage();
    expect(streamed.content).toEqual<unknown>(whole.content);
    expect(streamed.stop_reason).toBe(whole.stop_reason);
    expect(streamed.stop_sequence).toBe(whole.stop_sequence);
    expect(streamed.usage).toMatchObject(whole.usage);
  });

  test("a loop with a tool, and thoughts, comes to its end", async () => {
    const asked = ask("get_weather", { tools, thinking: { type: "enabled", budget_tokens: 2_000 } });
    const first = await anthropic.messages.stream(asked).finalMessage();
    const call = first.content.find(block => block.type === "tool_use");
    expect(call).toMatchObject({ name: "get_weather", input: { city: "demo" } });
    const second = await anthropic.messages.create({
      ...asked,
      messages: [
        ...asked.messages,
        { role: "assistant", content: first.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "Sunny" }] },
      ],
    });
    expect(second.stop_reason).toBe("end_turn");
    expect(JSON.stringify(second.content)).toContain("Sunny");
  });

  test("a stream that breaks is an error, and so is a refusal", async () => {
    const broken = anthropic.messages.stream(ask("Hello", { model: "demo-cut-3" }));
    expect(await failureOf(broken.finalMessage())).toBeInstanceOf(Error);
    const refused = await failureOf(anthropic.messages.create(ask("Hello", { max_tokens: 0 })));
    expect(refused).toBeInstanceOf(Anthropic.BadRequestError);
    expect(String(refused)).toContain("max_tokens: ");
    const busy = await failureOf(anthropic.messages.create(ask("Hello", { model: "demo-fail-429" })));
    expect(busy).toBeInstanceOf(Anthropic.RateLimitError);
  });

  test("tokens are counted", async () => {
    const { input_tokens } = await anthropic.messages.countTokens({
      model: "demo",
      messages: [{ role: "user", content: "Hello" }],
    });
    expect(input_tokens).toBe(5);
  });
});

describe("OpenAI's, responses", () => {
  const tools: OpenAI.Responses.Tool[] = [
    { type: "function", name: "get_weather", parameters: schema, strict: true },
    { type: "custom", name: "apply_changes" },
  ];
  const ask = (input: string, extra: object = {}) => ({ model: "demo", input, ...extra });
  const thinking = {
    reasoning: { effort: "low" as const, summary: "auto" as const },
    include: ["reasoning.encrypted_content" as const],
  };

  test.each([
    ["text", ask("Hello")],
    ["thinking", ask("Hello", thinking)],
    ["calls", ask("get_weather", { tools })],
    ["a refusal", ask("Hello", { model: "demo-refuse" })],
    ["cut short", ask("Hello", { max_output_tokens: 16 })],
  ])("a stream makes the whole answer: %s", async (_, asked) => {
    const whole = await openai.responses.create(asked);
    const streamed = await openai.responses.stream(asked).finalResponse();
    expect(streamed.output_text).toBe(whole.output_text);
    expect(streamed.status).toBe<unknown>(whole.status);
    expect(streamed.output.map(item => item.type)).toEqual(whole.output.map(item => item.type));
    expect(streamed.usage).toEqual<unknown>(whole.usage);
  });

  test("a loop with tools of both kinds, and thoughts, comes to its end", async () => {
    const asked = ask("get_weather apply_changes", { tools, ...thinking });
    const first = await openai.responses.create(asked);
    const outputs = first.output.flatMap((item): OpenAI.Responses.ResponseInputItem[] => {
      if (item.type === "function_call") {
        return [{ type: "function_call_output", call_id: item.call_id, output: "Sunny" }];
      }
      if (item.type !== "custom_tool_call") return [];
      return [{ type: "custom_tool_call_output", call_id: item.call_id, output: "Applied" }];
    });
    expect(outputs).toHaveLength(2);
    const made = first.output.filter(
      item => item.type === "reasoning" || item.type === "function_call" || item.type === "custom_tool_call",
    );
    expect(made).toHaveLength(3);
    const second = await openai.responses.create({
      ...asked,
      input: [{ role: "user", content: "get_weather apply_changes" }, ...made, ...outputs],
    });
    expect(second.output_text).toContain('The tool returned: "Sunny". The tool returned: "Applied".');
  });

  test("a stream that breaks is an error, and so is a refusal", async () => {
    const broken = openai.responses.stream(ask("Hello", { model: "demo-cut-3" }));
    expect(await failureOf(broken.finalResponse())).toBeInstanceOf(Error);
    const refused = await failureOf(
      openai.responses.create(ask("Hello", { previous_response_id: "resp_1" })),
    );
    expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
    expect(refused).toMatchObject({ param: "previous_response_id", code: "previous_response_not_found" });
  });
});

describe("OpenAI's, the other paths", () => {
  const hello = [{ role: "user" as const, content: "Hello" }];

  test("chat: thoughts and a refusal", async () => {
    const ask = { model: "demo", messages: hello, reasoning_effort: "low" as const };
    const whole = await openai.chat.completions.create(ask);
    expect(whole.choices[0]?.message).toHaveProperty("reasoning_content");
    const refused = await openai.chat.completions
      .stream({ ...ask, model: "demo-refuse" })
      .finalChatCompletion();
    expect(refused.choices[0]?.message).toMatchObject({ content: null, refusal: expect.any(String) });
  });

  test("chat: a stream that breaks is an error", async () => {
    const broken = openai.chat.completions.stream({ model: "demo-cut-3", messages: hello });
    expect(await failureOf(broken.finalChatCompletion())).toBeInstanceOf(Error);
  });

  test("completions, whole and streamed", async () => {
    const ask = { model: "demo", prompt: "Hello" };
    const whole = await openai.completions.create(ask);
    expect(whole.choices[0]).toMatchObject({ finish_reason: "stop", index: 0 });
    let text = "";
    for await (const chunk of await openai.completions.create({ ...ask, stream: true })) {
      text += chunk.choices[0]?.text ?? "";
    }
    expect(text).toBe(whole.choices[0]?.text ?? "");
  });

  test("embeddings: its own decoding gives the same numbers", async () => {
    const ask = { model: "demo", input: ["a wicket gate", "a castle"], dimensions: 32 };
    const decoded = await openai.embeddings.create(ask);
    const plain = await openai.embeddings.create({ ...ask, encoding_format: "float" });
    expect(decoded.data.map(one => one.embedding)).toEqual(plain.data.map(one => one.embedding));
    expect(decoded.usage).toEqual({ prompt_tokens: 5, total_tokens: 5 });
  });

  test("images", async () => {
    const { data, usage } = await openai.images.generate({ model: "demo", prompt: "A gate", n: 2 });
    expect(data?.map(image => image.b64_json?.slice(0, 10))).toEqual(["iVBORw0KGg", "iVBORw0KGg"]);
    expect(usage).toMatchObject({ input_tokens: 2, output_tokens: 128, total_tokens: 130 });
  });

  test("speech, and what is made of it", async () => {
    const spoken = await openai.audio.speech.create({ model: "demo", voice: "alloy", input: "Hello there." });
    expect(spoken.headers.get("content-type")).toBe("audio/wav");
    const sound = Buffer.from(await spoken.arrayBuffer());
    const file = await toFile(sound, "hello.wav");
    const heard = await openai.audio.transcriptions.create({ model: "demo", file });
    expect(heard.text).toContain(`${sound.length} bytes named "hello.wav"`);
    expect(heard.usage).toMatchObject({ type: "tokens", input_tokens: 2 });
    const verbose = await openai.audio.transcriptions.create({
      model: "demo",
      file,
      response_format: "verbose_json",
    });
    expect(verbose).toMatchObject({ duration: 0.15, usage: { type: "duration", seconds: 1 } });
  });
});
