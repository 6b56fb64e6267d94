import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, isStepCount, type LanguageModel, Output, streamText, tool } from "ai";
import { z } from "zod";
import { type Dialects, startDialects, type Variant } from "./dialects-gateway.ts";
import { DIALECTS, IMAGE_DATA } from "./dialects-talk.ts";
import { eventually, usageRows } from "./harness.ts";

/** Vercel's AI SDK, which speaks all the dialects, on upstreams of all of them. */

// It warns of names that it does not know, which all of these are.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

let rig: Dialects;
beforeAll(async () => {
  rig = await startDialects();
});
afterAll(() => rig.stop());

const settings = () => ({ baseURL: rig.gateway.base, apiKey: rig.key() });
const PROVIDERS = {
  "OpenAI, responses": (model: string): LanguageModel => createOpenAI(settings())(model),
  "OpenAI, chat": (model: string): LanguageModel => createOpenAI(settings()).chat(model),
  "compatible, chat": (model: string): LanguageModel =>
    createOpenAICompatible({
      ...settings(),
      name: "wicketgate",
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(model),
  Anthropic: (model: string): LanguageModel => createAnthropic(settings())(model),
} as const;
type ProviderName = keyof typeof PROVIDERS;

/** It would refer to kept items in its second step otherwise, and nothing is kept. */
const providerOptions = {
  openai: { store: false, forceReasoning: true, reasoningEffort: "medium", reasoningSummary: "auto" },
  anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } },
  wicketgate: { reasoningEffort: "medium" },
} as const;
const plainOptions = { openai: { store: false } };

const tools = {
  get_weather: tool({
    description: "Tells the weather.",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `Sunny in ${city}`,
  }),
  clock: tool({ inputSchema: z.object({}), execute: async () => "Half past nine" }),
};

for (const name of Object.keys(PROVIDERS) as ProviderName[]) {
  for (const upstream of DIALECTS) {
    const model = (variant?: Variant) => PROVIDERS[name](rig.model(upstream, variant));
    const common = { maxRetries: 0, providerOptions: plainOptions };

    describe(`${name}, on a ${upstream} upstream`, () => {
      test("makes a text, whole and streamed", async () => {
        const asked = { ...common, model: model(), system: "Be kind.", prompt: "Hello, dear gateway" };
        const whole = await generateText(asked);
        expect(whole.text).toContain("Hello, dear gateway");
        expect(whole.finishReason).toBe("stop");
        const streamed = streamText(asked);
        expect(await streamed.text).toBe(whole.text);
        expect(await streamed.finishReason).toBe("stop");
        expect((await streamed.usage).outputTokens).toBe(whole.usage.outputTokens);
        expect(whole.usage.inputTokens).toBeGreaterThan(0);
      });

      test("runs tools in several steps, and several at once", async () => {
        const asked = {
          ...common,
          model: model(),
          tools,
          stopWhen: isStepCount(3),
          prompt: "get_weather, clock",
        };
        const whole = await generateText(asked);
        expect(whole.steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([
          ["get_weather", "clock"],
          [],
        ]);
        for (const result of ["Sunny in demo", "Half past nine"]) expect(whole.text).toContain(result);
        const streamed = streamText(asked);
        expect(await streamed.text).toBe(whole.text);
        expect((await streamed.steps).map(({ finishReason }) => finishReason)).toEqual([
          "tool-calls",
          "stop",
        ]);
      });

      test("shows an image", async () => {
        const image = { type: "file" as const, data: IMAGE_DATA, mediaType: "image/png" };
        const content = [{ type: "text" as const, text: "What is this?" }, image];
        const { text } = await generateText({
          ...common,
          model: model(),
          messages: [{ role: "user", content }],
        });
        expect(text).toContain("1 image");
      });

      test("makes an object of a schema", async () => {
        const schema = z.object({ city: z.string(), days: z.number() });
        const asked = { ...common, model: model(), prompt: "Hello" };
        const made = await generateObject({ ...asked, schema });
        expect(typeof made.object.city).toBe("string");
        const { output } = await generateText({ ...asked, output: Output.object({ schema }) });
        expect(output).toEqual(made.object);
        const streamed = streamText({ ...asked, output: Output.object({ schema }) });
        expect(await streamed.output).toEqual(made.object);
      });

      test("reasons, and gives it back with the result of a tool", async () => {
        const asked = {
          maxRetries: 0,
          providerOptions,
          model: model("think"),
          tools,
          stopWhen: isStepCount(3),
        };
        const streamed = streamText({ ...asked, prompt: "get_weather please" });
        expect(await streamed.text).toContain("Sunny in demo");
        const steps = await streamed.steps;
        expect(steps).toHaveLength(2);
        // Its chat provider for OpenAI does not know that a model can be heard thinking.
        const isDeaf = name === "OpenAI, chat";
        expect(steps[0]?.reasoningText ?? "").toBe(
          isDeaf ? "" : "The user has asked something. I should call get_weather.",
        );
        const whole = await generateText({ ...asked, prompt: "get_weather please" });
        expect(whole.text).toBe(await streamed.text);
      });
    });
  }
}

describe("leaving", () => {
  for (const name of Object.keys(PROVIDERS) as ProviderName[]) {
    test(`${name}, in mid-stream, ends the request`, async () => {
      const before = rig.upstream.mock.aborts();
      const upstream = name === "Anthropic" ? "chat" : "messages";
      const leave = new AbortController();
      const { textStream } = streamText({
        model: PROVIDERS[name](rig.model(upstream, "slow")),
        prompt: "Hello",
        abortSignal: leave.signal,
        onError: () => {},
      });
      let pieces = 0;
      for await (const _ of textStream) if (++pieces === 3) leave.abort();
      expect(pieces).toBeLessThan(20);
      expect(await eventually(() => rig.upstream.mock.aborts() === before + 1)).toBe(true);
    });
  }

  test("costs what was delivered, once", async () => {
    const left = await eventually(async () => {
      const rows = await usageRows(rig.dir);
      const found = rows.filter(({ reason }) => reason === "client_left");
      return found.length === 4 && rows.every(({ state }) => state !== "open") && found;
    });
    for (const row of left ?? [])
      expect(row).toMatchObject({ state: "settled", status: 499, source: "estimated" });
    expect(left).toHaveLength(4);
  });
});

describe("[P40] the responses provider, which refers to kept items unless it is told that nothing is stored,", () => {
  for (const upstream of ["chat", "messages"] as const) {
    const refused = /“input\[\d\]” refers to an item that is not kept here/;
    const model = (variant?: Variant) => createOpenAI(settings())(rig.model(upstream, variant));

    test(`is refused by name where it refers to what was said, on a ${upstream} upstream`, async () => {
      const question = { role: "user" as const, content: "Hello" };
      const first = await generateText({ model: model(), maxRetries: 0, messages: [question] });
      const messages = [question, ...first.response.messages, question];
      await expect(generateText({ model: model(), maxRetries: 0, messages })).rejects.toThrow(refused);
      const again = { model: model(), maxRetries: 0, messages, providerOptions: plainOptions };
      expect((await generateText(again)).text).toContain("Hello");
    });

    test(`is refused by name where it refers to what was thought, on a ${upstream} upstream`, async () => {
      const asked = { model: model("think"), tools, stopWhen: isStepCount(3), maxRetries: 0 };
      await expect(generateText({ ...asked, prompt: "get_weather please" })).rejects.toThrow(refused);
    });
  }
});
