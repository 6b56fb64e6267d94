import type { DemoFrame } from "./demo-play.ts";
import { type DemoFile, type DemoReply, type DemoTask, refusals } from "./demo-task.ts";
import { countDemoTokens, demoTokens, quote } from "./demo-text.ts";
import { type DemoUsage, usageOf } from "./demo-usage.ts";
import { wavSeconds } from "./demo-wav.ts";

const FORMATS = ["json", "text", "verbose_json", "srt", "vtt"] as const;
const TOKENS_PER_SECOND = 10;
// What is not a WAV file is taken for one of 128 kbit a second.
const BYTES_PER_SECOND = 16_000;

type Heard = { text: string; seconds: number; usage: DemoUsage | null };

/** The demo cannot listen: it says what it was given. */
export function answerTranscriptions(task: DemoTask): DemoReply {
  const { body, file } = task;
  const { refuse, first } = refusals();
  if (file === null) refuse("file", "'file' must be given.");
  const format = FORMATS.find(known => known === (body["response_format"] ?? "json"));
  if (format === undefined) {
    refuse("response_format", `'response_format' must be one of ${FORMATS.join(", ")}.`);
  }
  const stream = body["stream"] === "true";
  if (stream && format !== "json") refuse("stream", "Only json can be streamed.");
  const refusal = first();
  if (refusal !== null) return { refusal };
  const heard = listen(task, file ?? { name: "", bytes: new Uint8Array() });
  if (stream) return { contentType: "text/event-stream", frames: events(heard), framesApart: true };
  return {
    contentType: format === "json" || format === "verbose_json" ? "application/json" : "text/plain",
    frames: whole(heard, format ?? "json"),
    framesApart: false,
  };
}

function listen(task: DemoTask, file: DemoFile): Heard {
  const seconds = wavSeconds(file.bytes) ?? file.bytes.length / BYTES_PER_SECOND;
  const text = `This is a file of ${file.bytes.length} bytes named "${quote(file.name)}".`;
  const prompt = typeof task.body["prompt"] === "string" ? countDemoTokens(task.body["prompt"]) : 0;
  const tokens = Math.ceil(seconds * TOKENS_PER_SECOND) + prompt;
  const made = { tokens: countDemoTokens(text), thoughts: 0 };
  const usage = usageOf({ prompt: { tokens, marked: null }, made }, { ...task.settings, isCached: false });
  return { text, seconds, usage };
}

function* whole(heard: Heard, format: (typeof FORMATS)[number]): Generator<DemoFrame> {
  for (const _ of demoTokens(heard.text)) yield { text: "", isToken: true };
  yield { text: written(heard, format), isToken: false };
}

function written(heard: Heard, format: (typeof FORMATS)[number]): string {
  const { text, seconds, usage } = heard;
  switch (format) {
    case "json":
      return JSON.stringify({ text, ...(usage === null ? {} : { usage: tokensUsed(usage) }) });
    case "verbose_json": {
      // Told by the time it took, as the only form that has it.
      const duration = usage === null ? {} : { usage: { type: "duration", seconds: Math.ceil(seconds) } };
      return JSON.stringify({
        task: "transcribe",
        language: "english",
        duration: seconds,
        text,
        ...duration,
      });
    }
    case "text":
      return `${text}\n`;
    case "srt":
      return `1\n${clock(0, ",")} --> ${clock(seconds, ",")}\n${text}\n\n`;
    case "vtt":
      return `WEBVTT\n\n${clock(0, ".")} --> ${clock(seconds, ".")}\n${text}\n\n`;
  }
}

function tokensUsed(usage: DemoUsage): object {
  return {
    type: "tokens",
    input_tokens: usage.prompt,
    output_tokens: usage.completion,
    total_tokens: usage.total,
  };
}

function clock(seconds: number, point: string): string {
  const milliseconds = Math.round(seconds * 1_000);
  const digits = (value: number, length: number) => Math.floor(value).toString().padStart(length, "0");
  const [hours, minutes] = [milliseconds / 3_600_000, (milliseconds / 60_000) % 60];
  const rest = `${digits((milliseconds / 1_000) % 60, 2)}${point}${digits(milliseconds % 1_000, 3)}`;
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${rest}`;
}

function* events({ text, usage }: Heard): Generator<DemoFrame> {
  const frame = (event: object, isToken: boolean): DemoFrame => ({
    text: `data: ${JSON.stringify(event)}\n\n`,
    isToken,
  });
  for (const delta of demoTokens(text)) yield frame({ type: "transcript.text.delta", delta }, true);
  const counted = usage === null ? {} : { usage: tokensUsed(usage) };
  yield frame({ type: "transcript.text.done", text, ...counted }, false);
}
