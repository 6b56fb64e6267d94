import { describe, expect, test } from "bun:test";
import type { RequestView } from "../protocol.ts";
import { played, singly } from "../tap.case.ts";
import { embeddings } from "./embeddings.ts";
import type { Endpoint } from "./endpoint.ts";
import { images } from "./images.ts";
import { speech } from "./speech.ts";
import { transcriptions } from "./transcriptions.ts";

/** The calls that are no conversations: what is wrong with them, what is held for, and what is charged. */

function read(endpoint: Endpoint, body: object): RequestView {
  const result = endpoint.readRequest(Buffer.from(JSON.stringify(body)));
  if ("refusal" in result) throw new Error(JSON.stringify(result.refusal.params));
  return result.request;
}

function problemWith(endpoint: Endpoint, body: object | string): unknown {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const result = endpoint.readRequest(bytes);
  return "refusal" in result ? result.refusal.params["param"] : null;
}

const tapOf = (endpoint: Endpoint, body: object) =>
  endpoint.tap({ request: read(endpoint, body), renameTo: null, eventBytesMax: 1_000_000 });
const bytes = (body: object | string) => Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
const event = (body: object) => `data: ${JSON.stringify(body)}\n\n`;

describe("embeddings", () => {
  test("take texts and tokens, and nothing that is empty", () => {
    for (const input of ["a", ["a", "b"], [1, 2], [[1], [2, 3]]])
      expect(problemWith(embeddings, { model: "m", input })).toBeNull();
    for (const input of ["", [], null, 5])
      expect(problemWith(embeddings, { model: "m", input })).toBe("input");
    expect(problemWith(embeddings, { model: "m", input: ["a", 1] })).toBe("input[1]");
    expect(problemWith(embeddings, '{"model":"m","input":"a","model":"dear"}')).toBe("model");
  });

  test("say nothing, so nothing is held for an answer", () => {
    expect(read(embeddings, { model: "m", input: "a", stream: true })).toMatchObject({
      stream: false,
      outputTokensAsked: 0,
    });
  });

  test("cost their input, also where only the total is told", () => {
    const usageOf = (usage: object) => embeddings.readWhole(bytes({ data: [], usage }));
    expect(usageOf({ prompt_tokens: 8, total_tokens: 8 })?.usage).toMatchObject({ input: 8, output: 0 });
    expect(usageOf({ total_tokens: 5 })?.usage).toMatchObject({ input: 5, output: 0 });
    expect(usageOf({ prompt_tokens: -1 })).toMatchObject({ usage: null, bad: true });
    expect(embeddings.readWhole(bytes({ data: [] }))).toMatchObject({ usage: null, bad: false });
    expect(embeddings.readWhole(bytes({ error: { message: "no" } }))).toBeNull();
  });
});

describe("images", () => {
  test("need a model and a prompt, and are ten at most", () => {
    expect(problemWith(images, { model: "m", prompt: "a", n: 10 })).toBeNull();
    expect(problemWith(images, { prompt: "a" })).toBe("model");
    expect(problemWith(images, { model: "m" })).toBe("prompt");
    expect(problemWith(images, { model: "m", prompt: "a", n: 11 })).toBe("n");
  });

  test("are held for whole, since nothing limits them", () => {
    expect(read(images, { model: "m", prompt: "a", n: 3 })).toMatchObject({
      choices: 3,
      isIndivisible: true,
    });
  });

  test("in letters are no text", () => {
    const whole = images.readWhole(bytes({ data: [{ b64_json: "AAAA" }] }));
    expect([whole?.usage, whole?.said().bytes]).toEqual([null, 0]);
    const tap = tapOf(images, { model: "m", prompt: "a", stream: true });
    tap.feed(bytes(event({ type: "image_generation.partial_image", b64_json: "A".repeat(1_000) })));
    expect(tap.content.bytes).toBe(0);
  });

  test("[P43] end their stream with the last of them, wherever it is split, and add up", () => {
    const usage = { input_tokens: 3, output_tokens: 10 };
    const last = event({ type: "image_generation.completed", b64_json: "AA", usage });
    const tap = tapOf(images, { model: "m", prompt: "a", n: 2, stream: true });
    for (const piece of singly(bytes(last))) tap.feed(piece);
    expect(tap.ended).toBe(false);
    for (const piece of singly(bytes(last))) tap.feed(piece);
    expect(tap.ended).toBe(true);
    expect(tap.reported()).toMatchObject({ usage: { input: 6, output: 20 }, isFinal: true });
  });

  test("that end without their last have failed, and say so", () => {
    const tap = tapOf(images, { model: "m", prompt: "a", stream: true });
    const partial = event({ type: "image_generation.partial_image", b64_json: "AA" });
    expect(played(tap, [bytes(partial)]).text).toBe(partial);
    expect(tap.failed).toBe(true);
  });
});

describe("speech", () => {
  test("needs a text, and is measured by it", () => {
    expect(problemWith(speech, { model: "m", voice: "a" })).toBe("input");
    expect(problemWith(speech, { model: "m", input: "a", stream_format: "tape" })).toBe("stream_format");
    const request = read(speech, { model: "m", input: "Hellö", voice: "alloy", instructions: "calm" });
    expect(request.bytes.length - request.dataBytes).toBe(10);
    expect(request).toMatchObject({ stream: false, outputTokensAsked: 0 });
  });

  test("as events is a stream, whose end tells what was used", () => {
    const body = { model: "m", input: "Hello", voice: "alloy", stream_format: "sse" };
    expect(read(speech, body)).toMatchObject({ stream: true, outputTokensAsked: null });
    const tap = tapOf(speech, body);
    tap.feed(bytes(event({ type: "speech.audio.delta", audio: "AAAA" })));
    tap.feed(bytes(event({ type: "speech.audio.done", usage: { input_tokens: 2, output_tokens: 9 } })));
    expect([tap.ended, tap.content.bytes, tap.reported().usage]).toEqual([
      true,
      0,
      expect.objectContaining({ input: 2, output: 9 }),
    ]);
  });

  test("[P48] that is an error or no sound at all is no answer", () => {
    expect(speech.readWhole(bytes({ error: "no" }))).toBeNull();
    expect(speech.readWhole(bytes("<html>"))).toBeNull();
  });
});

describe("transcriptions", () => {
  test("are held for as a file, and charge for its sound only what is reported", () => {
    const request = read(transcriptions, { model: "m", stream: "true" });
    expect(request).toMatchObject({ stream: true, uncountedTokensMax: 20_000, isIndivisible: true });
    expect(request.bytes.length - request.dataBytes).toBe(0);
  });

  test("are read as JSON or as bare text", () => {
    const tokens = { type: "tokens", input_tokens: 14, output_tokens: 3 };
    expect(transcriptions.readWhole(bytes({ text: "Hi", usage: tokens }))?.usage).toMatchObject({
      input: 14,
      output: 3,
    });
    const duration = transcriptions.readWhole(
      bytes({ text: "Hi", segments: [{ text: "Hi" }], usage: { type: "duration", seconds: 2 } }),
    );
    expect([duration?.usage, duration?.bad, duration?.said().bytes]).toEqual([null, false, 2]);
    expect(transcriptions.readWhole(bytes("Good morning"))?.said().bytes).toBe(12);
    expect(transcriptions.readWhole(bytes({ error: { message: "no" } }))).toBeNull();
  });

  test("stream their text, which is counted once although the end repeats it", () => {
    const tap = tapOf(transcriptions, { model: "m", stream: "true" });
    tap.feed(bytes(event({ type: "transcript.text.delta", delta: "Good " })));
    tap.feed(bytes(event({ type: "transcript.text.delta", delta: "day" })));
    tap.feed(bytes(event({ type: "transcript.text.done", text: "Good day" })));
    expect([tap.ended, tap.content.bytes, tap.reported().usage]).toEqual([true, 8, null]);
  });

  test("[P41] that fail in their stream keep the upstream's words to themselves", () => {
    const tap = tapOf(transcriptions, { model: "m", stream: "true" });
    expect(tap.feed(bytes(event({ type: "error", message: "secret" })))).toBeNull();
    expect(tap.failed).toBe(true);
  });

  test("that report what cannot be believed are marked so", () => {
    const tap = tapOf(transcriptions, { model: "m", stream: "true" });
    tap.feed(
      bytes(event({ type: "transcript.text.done", text: "", usage: { input_tokens: -1, output_tokens: 1 } })),
    );
    expect(tap.reported()).toMatchObject({ usage: null, bad: true });
  });
});
