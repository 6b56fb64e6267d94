import { describe, expect, test } from "bun:test";
import { hearAt } from "./demo.case.ts";
import { wavSeconds } from "./demo-wav.ts";

const HELLO = { input: "Hello there.", voice: "alloy" };
const BYTES_PER_TOKEN = 2_400;
const speak = (ask: object, model = "demo") => hearAt("speech", { ask: { ...HELLO, ...ask }, model });

describe("a text that is spoken", () => {
  test.each([undefined, "mp3", "wav"])("as %p: is a WAV file, and says so", async response_format => {
    const { bytes, contentType, status } = await speak({ response_format });
    expect([status, contentType]).toEqual([200, "audio/wav"]);
    expect(bytes.length).toBe(44 + 3 * BYTES_PER_TOKEN);
    expect(bytes.toString("latin1", 0, 4) + bytes.toString("latin1", 8, 16)).toBe("RIFFWAVEfmt ");
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    expect(wavSeconds(bytes)).toBeCloseTo(0.15, 6);
    expect(new Set(bytes.subarray(44)).size).toBeGreaterThan(50);
  });

  test("as pcm: is the same without its head", async () => {
    const bare = await speak({ response_format: "pcm" });
    expect(bare.contentType).toBe("audio/pcm");
    expect(bare.bytes.equals((await speak({})).bytes.subarray(44))).toBe(true);
  });

  test("as events: adds up to the same, and has its usage", async () => {
    const { reads, contentType } = await speak({ stream_format: "sse" });
    expect(contentType).toBe("text/event-stream");
    const events = reads.map(read => JSON.parse(read.slice("data: ".length)));
    const done = events.pop();
    expect(done).toEqual({
      type: "speech.audio.done",
      usage: { input_tokens: 3, output_tokens: 3, total_tokens: 6 },
    });
    const sound = Buffer.concat(events.map(event => Buffer.from(event.audio, "base64")));
    expect(sound.equals((await speak({})).bytes)).toBe(true);
  });
});

test("settings: failure, and a cut after so many tokens", async () => {
  expect((await speak({}, "demo-fail-500")).status).toBe(500);
  const cut = await speak({ demo: { cut_after: 1 } });
  expect(cut.failure?.kind).toBe("cut");
  expect(cut.bytes.length).toBe(44 + BYTES_PER_TOKEN);
  const never = await speak({ response_format: "pcm", demo: { cut_after: 0 } });
  expect([never.failure?.kind, never.bytes.length]).toEqual(["cut", 0]);
});

test.each<[string, object]>([
  ["input", { input: "" }],
  ["input", { input: "x".repeat(4_097) }],
  ["voice", { voice: undefined }],
  ["response_format", { response_format: "midi" }],
  ["stream_format", { stream_format: "websocket" }],
])("%s is refused", async (param, ask) => {
  const { status, text } = await speak(ask);
  expect(status).toBe(400);
  expect(JSON.parse(text).error).toMatchObject({ type: "invalid_request_error", param });
});

test("what is no WAV file has no length", () => {
  for (const bytes of [
    new Uint8Array(),
    new Uint8Array(100),
    Buffer.from(`RIFF....WAVE${"\0".repeat(90)}`),
  ]) {
    expect(wavSeconds(bytes)).toBeNull();
  }
});
