import { ContentMeter } from "../content-meter.ts";
import { SAMPLE_BYTES_MAX } from "../event-tap.ts";
import { jsonText, parsedObject } from "../json-value.ts";
import { chatTap } from "../openai-chat/tap.ts";
import type { Json, Report, RequestView, Said, Tap, TapOptions } from "../protocol.ts";
import { writeEvent } from "../sse.ts";

const TEXT = [Buffer.from('"text"')];
const DATA = "data: ";

/** The stream is a chat's in all but what a choice holds. */
export function completionsTap(options: TapOptions): Tap {
  return new CompletionsTap(options);
}

class CompletionsTap implements Tap {
  readonly content: Said;
  readonly #chat: Tap;
  readonly #meter = new ContentMeter(TEXT, SAMPLE_BYTES_MAX);

  constructor(options: TapOptions) {
    this.#chat = chatTap(options);
    this.content = saidBeyond(this.#meter, echoedBytes(options.request));
  }

  get ended(): boolean {
    return this.#chat.ended;
  }

  get failed(): boolean {
    return this.#chat.failed;
  }

  get isOverlong(): boolean {
    return this.#chat.isOverlong;
  }

  reported(): Report {
    return this.#chat.reported();
  }

  feed(bytes: Uint8Array): Uint8Array | null {
    return this.#measured(this.#chat.feed(bytes));
  }

  rest(): Uint8Array | null {
    return this.#measured(this.#chat.rest());
  }

  lengthEnd(usage: { input: number; output: number }): Uint8Array {
    const events = Buffer.from(this.#chat.lengthEnd(usage)).toString("utf8").split("\n\n");
    return Buffer.from(events.map(completionEvent).join(""));
  }

  failureEnd(body: Json): Uint8Array {
    return this.#chat.failureEnd(body);
  }

  /** Only whole events pass, so no text is cut in two. */
  #measured(passing: Uint8Array | null): Uint8Array | null {
    if (passing !== null)
      this.#meter.read(Buffer.from(passing.buffer, passing.byteOffset, passing.byteLength));
    return passing;
  }
}

function completionEvent(event: string): string {
  if (event === "") return "";
  const chunk = event.startsWith(DATA) ? parsedObject(event.slice(DATA.length)) : null;
  if (chunk === null || !Array.isArray(chunk["choices"])) return `${event}\n\n`;
  const choices = (chunk["choices"] as readonly Json[]).map(({ delta: _, ...choice }) => ({
    text: "",
    ...choice,
  }));
  return writeEvent(null, { ...chunk, object: "text_completion", choices });
}

/** A prompt that is to be repeated comes back with every choice, and nobody said it. */
function echoedBytes({ body, choices }: RequestView): number {
  if (body["echo"] !== true) return 0;
  const { prompt } = body;
  const longest = Array.isArray(prompt) ? prompt.map(sizeOf) : [sizeOf(prompt)];
  return Math.max(...longest) * choices;
}

function sizeOf(prompt: unknown): number {
  return Buffer.byteLength(jsonText(prompt));
}

function saidBeyond(meter: ContentMeter, echoed: number): Said {
  return {
    get bytes() {
      return Math.max(0, meter.bytes - echoed);
    },
    get sample() {
      return meter.sample;
    },
  };
}
