import { describe, expect, test } from "bun:test";
import { hearAt } from "./demo.case.ts";
import { readForm } from "./demo-form.ts";
import { beep, SOUND_BYTES_PER_TOKEN, wavHead } from "./demo-wav.ts";

const SOUND = Buffer.concat([
  wavHead(40 * SOUND_BYTES_PER_TOKEN),
  ...Array.from({ length: 40 }, () => beep(4)),
]);

/** A form as the runtime writes it, with its type. */
async function formOf(fields: Record<string, string>, file: Uint8Array | null = SOUND) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  if (file !== null) form.set("file", new File([new Uint8Array(file)], "hello there.wav"));
  const encoded = new Response(form);
  const contentType = encoded.headers.get("content-type") ?? "";
  return { ask: new Uint8Array(await encoded.arrayBuffer()), contentType };
}

const transcribe = async (fields: Record<string, string> = {}, model = "demo") =>
  hearAt("transcriptions", { ...(await formOf({ model, ...fields })), model });

describe("a file", () => {
  test("is described, with its tokens", async () => {
    const { text, contentType } = await transcribe({ prompt: "two words" });
    expect(contentType).toBe("application/json");
    expect(JSON.parse(text)).toEqual({
      text: `This is a file of ${SOUND.length} bytes named "hello there.wav".`,
      usage: { type: "tokens", input_tokens: 20 + 2, output_tokens: 15, total_tokens: 37 },
    });
  });

  test("is told by its duration where that is asked for", async () => {
    expect(JSON.parse((await transcribe({ response_format: "verbose_json" })).text)).toEqual({
      task: "transcribe",
      language: "english",
      duration: 2,
      text: expect.stringContaining("hello there.wav"),
      usage: { type: "duration", seconds: 2 },
    });
  });

  test.each([
    ["text", /^This is a file of .*\n$/],
    ["srt", /^1\n00:00:00,000 --> 00:00:02,000\nThis is a file/],
    ["vtt", /^WEBVTT\n\n00:00:00\.000 --> 00:00:02\.000\nThis is a file/],
  ])("is told as %s", async (response_format, form) => {
    const { text, contentType } = await transcribe({ response_format });
    expect(contentType).toBe("text/plain");
    expect(text).toMatch(form);
  });

  test("is told in a stream", async () => {
    const { reads } = await transcribe({ stream: "true" });
    const events = reads.map(read => JSON.parse(read.slice("data: ".length)));
    const done = events.pop();
    expect(done).toMatchObject({
      type: "transcript.text.done",
      usage: { type: "tokens", output_tokens: 15 },
    });
    expect(events.map(event => event.delta).join("")).toBe(done.text);
  });

  test("of another kind is taken for one of 128 kbit a second", async () => {
    const { text } = await hearAt("transcriptions", await formOf({}, new Uint8Array(32_000)));
    expect(JSON.parse(text).usage.input_tokens).toBe(20);
  });
});

test("settings: by the form's own field and by the model's name", async () => {
  expect((await transcribe({ demo: '{"fail_status":503}' })).status).toBe(503);
  expect((await transcribe({ demo: "{" })).status).toBe(400);
  expect(JSON.parse((await transcribe({}, "demo-nousage")).text)).not.toHaveProperty("usage");
  for (const cut_after of [0, 3]) {
    const cut = await transcribe({ stream: "true", demo: JSON.stringify({ cut_after }) });
    expect([cut.failure?.kind, cut.reads.length]).toEqual(["cut", cut_after]);
  }
});

test("a request without a file, or that is no form, is refused", async () => {
  const without = await hearAt("transcriptions", await formOf({ model: "demo" }, null));
  expect([without.status, JSON.parse(without.text).error.param]).toEqual([400, "file"]);
  for (const ask of ["", "{}", "--", "--x", "--x\r\n", "\u0000".repeat(99)]) {
    expect((await hearAt("transcriptions", { ask })).status).toBe(400);
  }
  const wrong = await transcribe({ response_format: "xml" });
  expect(JSON.parse(wrong.text).error.param).toBe("response_format");
});

describe("a form", () => {
  test("is read with and without its type", async () => {
    const { ask, contentType } = await formOf({ language: "en", prompt: "one\r\n--two" });
    for (const type of [contentType, null]) {
      const form = readForm({ body: ask, contentType: type });
      expect(form?.body).toEqual({ language: "en", prompt: "one\r\n--two" });
      expect(Buffer.from(form?.file?.bytes ?? []).equals(SOUND)).toBe(true);
      expect(form?.file?.name).toBe("hello there.wav");
    }
  });

  test("may name its boundary in quotation marks, and break off anywhere", async () => {
    const { ask, contentType } = await formOf({ language: "en" });
    const name = contentType.split("boundary=")[1] ?? "";
    const quoted = readForm({
      body: ask,
      contentType: `multipart/form-data; boundary="${name.replaceAll('"', "")}"`,
    });
    expect(quoted?.body).toEqual({ language: "en" });
    for (let length = 0; length < 300; length++) readForm({ body: ask.subarray(0, length), contentType });
  });
});
