import type { DemoFrame } from "./demo-play.ts";
import { type DemoReply, type DemoTask, refusals } from "./demo-task.ts";
import { demoTokens } from "./demo-text.ts";
import { usageOf } from "./demo-usage.ts";
import { beep, SOUND_BYTES_PER_TOKEN, wavHead } from "./demo-wav.ts";

const INPUT_CHARS_MAX = 4_096;
const FORMATS: readonly unknown[] = ["mp3", "opus", "aac", "flac", "wav", "pcm"];

/**
 * A beep for each token of the text, the longer the token the higher. The demo knows no compression: whatever was asked
 * for, it is a WAV file and says so, or bare samples.
 */
export function answerSpeech(task: DemoTask): DemoReply {
  const { input, voice, response_format: format, stream_format: delivery } = task.body;
  const { refuse, first } = refusals();
  if (typeof input !== "string" || input === "" || input.length > INPUT_CHARS_MAX) {
    refuse("input", `'input' must be a text of up to ${INPUT_CHARS_MAX} characters.`);
  }
  if (voice === undefined || voice === null) refuse("voice", "'voice' must be given.");
  if (format !== undefined && format !== null && !FORMATS.includes(format)) {
    refuse("response_format", `'response_format' must be one of ${FORMATS.join(", ")}.`);
  }
  if (delivery !== undefined && delivery !== null && delivery !== "audio" && delivery !== "sse") {
    refuse("stream_format", "'stream_format' must be audio or sse.");
  }
  const refusal = first();
  if (refusal !== null) return { refusal };
  const tokens = demoTokens(String(input));
  const sounds = soundsOf(tokens, { isBare: format === "pcm" });
  if (delivery === "sse") {
    return {
      contentType: "text/event-stream",
      frames: events(task, { tokens: tokens.length, sounds }),
      framesApart: true,
    };
  }
  return {
    contentType: format === "pcm" ? "audio/pcm" : "audio/wav",
    frames: audio(sounds),
    framesApart: true,
  };
}

type Sound = { bytes: Buffer; isToken: boolean };

function* soundsOf(tokens: readonly string[], how: { isBare: boolean }): Generator<Sound> {
  if (!how.isBare) yield { bytes: wavHead(tokens.length * SOUND_BYTES_PER_TOKEN), isToken: false };
  for (const token of tokens) yield { bytes: beep(token.length), isToken: true };
}

function* audio(sounds: Iterable<Sound>): Generator<DemoFrame> {
  for (const { bytes, isToken } of sounds) yield { bytes, isToken };
}

function* events(
  task: DemoTask,
  { tokens, sounds }: { tokens: number; sounds: Iterable<Sound> },
): Generator<DemoFrame> {
  const frame = (event: object, isToken: boolean): DemoFrame => ({
    text: `data: ${JSON.stringify(event)}\n\n`,
    isToken,
  });
  for (const { bytes, isToken } of sounds) {
    yield frame({ type: "speech.audio.delta", audio: bytes.toString("base64") }, isToken);
  }
  const made = { tokens, thoughts: 0 };
  const usage = usageOf({ prompt: { tokens, marked: null }, made }, { ...task.settings, isCached: false });
  const counted =
    usage === null
      ? {}
      : {
          usage: {
            input_tokens: usage.prompt,
            output_tokens: usage.completion,
            total_tokens: usage.total,
          },
        };
  yield frame({ type: "speech.audio.done", ...counted }, false);
}
