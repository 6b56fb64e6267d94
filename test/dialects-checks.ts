import { expect } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import type { Dialects, Variant } from "./dialects-gateway.ts";
import type { Feature } from "./dialects-table.ts";
import {
  type Ask,
  IMAGE_DATA,
  IMAGE_DATA_URL,
  IMAGE_URL,
  PDF_DATA,
  type Told,
  type ToolSpec,
  WAYS,
} from "./dialects-talk.ts";

/** One check for each feature, the same for every two dialects, against a gateway with the demo behind it. */

export type Pair = { rig: Dialects; client: Dialect; upstream: Dialect };
type Check = (pair: Pair) => Promise<void>;

const CITY = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
export const WEATHER: ToolSpec = { name: "get_weather", schema: CITY };
export const CLOCK: ToolSpec = { name: "clock", schema: { type: "object", properties: {} } };

/** The dialects' own words for the ways an answer ends. */
const STOPS: Record<Dialect, Record<"end" | "length" | "tools" | "refusal" | "sequence", string>> = {
  chat: { end: "stop", length: "length", tools: "tool_calls", refusal: "stop", sequence: "stop" },
  responses: {
    end: "completed",
    length: "max_output_tokens",
    tools: "completed",
    refusal: "completed",
    sequence: "completed",
  },
  messages: {
    end: "end_turn",
    length: "max_tokens",
    tools: "tool_use",
    refusal: "refusal",
    sequence: "stop_sequence",
  },
};
const IDS: Record<Dialect, RegExp> = { chat: /^chatcmpl-/, responses: /^resp_/, messages: /^msg_/ };

export function sent({ rig, upstream }: Pair, variant?: Variant): string {
  const heard = rig.upstream.last(rig.upstreamModel(upstream, variant));
  expect(heard.dialect).toBe(upstream);
  return JSON.stringify(heard.body);
}

async function hello(pair: Pair, way: (typeof WAYS)[number], more: Partial<Ask> = {}): Promise<Told> {
  const talk = pair.rig.talk(pair.client);
  talk.instruct("Be kind.");
  talk.say("Hello, dear gateway");
  return talk.hear({ model: pair.rig.model(pair.upstream), ...more }, way);
}

const text: Check = async pair => {
  const told = await hello(pair, "whole");
  expect(told.text).toContain('"Hello, dear gateway"');
  expect(told.model).toBe(pair.rig.model(pair.upstream));
  expect(told.id).toMatch(IDS[pair.client]);
  expect(told.stop).toBe(STOPS[pair.client].end);
  expect(sent(pair)).toContain("Be kind.");
};

const streaming: Check = async pair => {
  const [whole, streamed] = [await hello(pair, "whole"), await hello(pair, "stream")];
  expect(JSON.parse(sent(pair))).toMatchObject({ stream: true });
  expect(streamed.id).toMatch(IDS[pair.client]);
  expect({ ...streamed, id: "", requestId: "" }).toEqual({ ...whole, id: "", requestId: "" });
};

const tools: Check = async pair => {
  const ask = { model: pair.rig.model(pair.upstream), tools: [WEATHER, CLOCK] };
  for (const way of WAYS) {
    const talk = pair.rig.talk(pair.client);
    talk.say("get_weather please");
    const first = await talk.hear(ask, way);
    expect(first.calls).toEqual([{ id: expect.any(String), name: "get_weather", input: { city: "demo" } }]);
    expect(first.stop).toBe(STOPS[pair.client].tools);
    talk.answer([{ id: first.calls[0]?.id ?? "", text: "no such city", failed: true }]);
    const second = await talk.hear(ask, way);
    expect(second.calls).toEqual([]);
    expect(second.stop).toBe(STOPS[pair.client].end);
    expect(second.text).toContain("no such city");
    // That it failed has arrived, in the field for it or in words.
    const failed =
      pair.client === "messages" && pair.upstream === "messages" ? '"is_error":true' : "Error: no such";
    expect(sent(pair)).toContain(failed);
  }
};

const severalTools: Check = async pair => {
  const ask = { model: pair.rig.model(pair.upstream), tools: [WEATHER, CLOCK] };
  for (const way of WAYS) {
    const talk = pair.rig.talk(pair.client);
    talk.say("get_weather and clock");
    const first = await talk.hear(ask, way);
    expect(first.calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: "get_weather", input: { city: "demo" } },
      { name: "clock", input: {} },
    ]);
    expect(new Set(first.calls.map(({ id }) => id)).size).toBe(2);
    const said = ["Sunny", "Half past nine"];
    talk.answer(first.calls.map(({ id }, place) => ({ id, text: said[place] ?? "" })));
    const second = await talk.hear(ask, way);
    for (const result of said) expect(second.text).toContain(`The tool returned: "${result}"`);
  }
};

const choiceOfTools: Check = async pair => {
  const called = async (words: string, more: Partial<Ask>) => {
    const talk = pair.rig.talk(pair.client);
    talk.say(words);
    const ask = { model: pair.rig.model(pair.upstream), tools: [WEATHER, CLOCK], ...more };
    return (await talk.hear(ask, "whole")).calls.map(({ name }) => name);
  };
  expect(await called("Hello", {})).toEqual([]);
  expect(await called("Hello", { choice: "required" })).toEqual(["get_weather"]);
  expect(await called("Hello", { choice: { name: "clock" } })).toEqual(["clock"]);
  expect(await called("get_weather", { choice: "none" })).toEqual([]);
  expect(await called("get_weather and clock", { oneAtATime: true })).toEqual(["get_weather"]);
};

const images: Check = async pair => {
  for (const [address, trace] of [
    [IMAGE_DATA_URL, IMAGE_DATA],
    [IMAGE_URL, IMAGE_URL],
  ] as const) {
    const talk = pair.rig.talk(pair.client);
    talk.say("What is this?", { image: address });
    const told = await talk.hear({ model: pair.rig.model(pair.upstream) }, "whole");
    expect(told.text).toContain('"What is this?" and 1 image');
    expect(sent(pair)).toContain(trace);
  }
};

const imagesFromTools: Check = async pair => {
  const ask = { model: pair.rig.model(pair.upstream), tools: [WEATHER] };
  const talk = pair.rig.talk(pair.client);
  talk.say("get_weather please");
  const first = await talk.hear(ask, "whole");
  talk.answer([{ id: first.calls[0]?.id ?? "", text: "A picture of it", image: IMAGE_DATA_URL }]);
  const second = await talk.hear(ask, "whole");
  expect(second.text).toContain("1 image");
  const body = sent(pair);
  expect(body).toContain(IMAGE_DATA);
  expect(body).toContain("A picture of it");
};

const documents: Check = async pair => {
  const talk = pair.rig.talk(pair.client);
  talk.say("What is this?", { document: PDF_DATA });
  const told = await talk.hear({ model: pair.rig.model(pair.upstream) }, "whole");
  expect(told.text).toContain('"What is this?" and 1 document');
  expect(sent(pair)).toContain(PDF_DATA);
};

const reasoningShown: Check = async pair => {
  const model = pair.rig.model(pair.upstream, "think");
  for (const way of WAYS) {
    const told = await hello(pair, way, { model, thinks: true });
    expect(told.thought).toBe(
      "The user has asked something. I should repeat the beginning of it, and say what I am.",
    );
    expect(told.text).not.toContain(told.thought);
    expect(told.usage.reasoning).toBeGreaterThan(0);
  }
};

/** Where an upstream gets its own thoughts back. */
const GIVEN_BACK: Record<Dialect, RegExp> = {
  chat: /"reasoning_content":"The user has asked/,
  responses: /"encrypted_content":"/,
  messages:
    /"type":"thinking","thinking":"The user has asked[^}]*"signature":"|"signature":"[^}]*"type":"thinking"/,
};

/** The demo checks what it has sealed, and refuses the request where it was changed. */
async function giveBack(pair: Pair, way: (typeof WAYS)[number]): Promise<string> {
  const ask = { model: pair.rig.model(pair.upstream, "think"), tools: [WEATHER], thinks: true };
  const talk = pair.rig.talk(pair.client);
  talk.say("get_weather please");
  const first = await talk.hear(ask, way);
  expect(first.thought).toContain("I should call get_weather");
  talk.answer([{ id: first.calls[0]?.id ?? "", text: "Sunny" }]);
  const second = await talk.hear(ask, way);
  expect(second.text).toContain("Sunny");
  return sent(pair, "think");
}

const reasoningGivenBack: Check = async pair => {
  for (const way of WAYS) expect(await giveBack(pair, way)).toMatch(GIVEN_BACK[pair.upstream]);
};

const structuredOutput: Check = async pair => {
  for (const way of WAYS) {
    const told = await hello(pair, way, { schema: CITY });
    expect(JSON.parse(told.text)).toEqual({ city: "demo" });
    expect(told.stop).toBe(STOPS[pair.client].end);
    expect(told.calls).toEqual([]);
  }
};

/** What the upstream's dialect has for a mark. */
const MARKS: Record<Dialect, string> = {
  chat: "cache_control",
  responses: "prompt_cache_breakpoint",
  messages: '"cache_control":{"type":"ephemeral"}',
};

async function marked(pair: Pair): Promise<Told> {
  const talk = pair.rig.talk(pair.client);
  talk.say("A long story that is worth keeping", { marked: true });
  return talk.hear({ model: pair.rig.model(pair.upstream) }, "whole");
}

const cacheMarks: Check = async pair => {
  const told = await marked(pair);
  expect(sent(pair)).toContain(MARKS[pair.upstream]);
  if (pair.upstream === "messages") expect(told.usage.cacheWrite).toBeGreaterThan(0);
};

const stopReasons: Check = async pair => {
  const words = STOPS[pair.client];
  for (const way of WAYS) {
    expect((await hello(pair, way)).stop).toBe(words.end);
    const short = await hello(pair, way, { outputTokens: 16 });
    expect(short).toMatchObject({ stop: words.length, usage: { output: 16 } });
    const refused = await hello(pair, way, { model: pair.rig.model(pair.upstream, "refuse") });
    expect(refused.stop).toBe(words.refusal);
    expect(refused.refusal).not.toBe("");
    expect([refused.refusal, refused.text]).toContain("I am sorry, but I cannot help with that.");
  }
};

const stopSequences: Check = async pair => {
  for (const way of WAYS) {
    const told = await hello(pair, way, { stops: ["nowhere", "built-in"] });
    expect(told.text).toEndWith("I am the ");
    const knows = pair.client === "messages" && pair.upstream === "messages";
    expect(told.stop).toBe(STOPS[pair.client][knows ? "sequence" : "end"]);
    expect(told.sequence).toBe(knows ? "built-in" : null);
  }
};

export const CHECKS: Record<Exclude<Feature, "usage" | "errors">, Check> = {
  text,
  streaming,
  tools,
  "several tools at once": severalTools,
  "choice of tools": choiceOfTools,
  images,
  "images from tools": imagesFromTools,
  documents,
  "reasoning, shown": reasoningShown,
  "reasoning, given back": reasoningGivenBack,
  "structured output": structuredOutput,
  "cache marks": cacheMarks,
  "stop reasons": stopReasons,
  "stop sequences": stopSequences,
};

/** What becomes of a feature that is not carried: it is left out, or refused by its name. */
export const ABSENCES: Partial<Record<Feature, Check>> = {
  "reasoning, given back": async pair => {
    for (const way of WAYS) {
      const body = await giveBack(pair, way);
      expect(body).not.toMatch(GIVEN_BACK[pair.upstream]);
      expect(body).not.toContain("The user has asked");
    }
  },
  "cache marks": async pair => {
    const told = await marked(pair);
    expect(told.text).toContain("A long story");
    expect(sent(pair)).not.toMatch(/cache_control|prompt_cache_breakpoint/);
    expect(told.usage.cacheWrite).toBe(0);
  },
  "stop sequences": async pair => {
    const asked = hello(pair, "whole", { stops: ["built-in"] });
    if (pair.client === "responses") {
      expect((await asked).text).toContain("built-in");
      expect(sent(pair)).not.toContain("stop");
      return;
    }
    const refused = await asked.then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("stop_sequences") });
  },
};
