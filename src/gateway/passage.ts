import type { Prompt } from "../domain/chat.ts";
import type { Dialect } from "../domain/usage.ts";
import { inputTokensGuess } from "../pricing/estimate.ts";
import { scanObject, spliceFields } from "../protocols/json-object.ts";
import type { Endpoint } from "../protocols/openai-endpoints/endpoint.ts";
import type { Json, ReplyHead, RequestView, Tap, WholeAnswer } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";
import type { ToolBook } from "../protocols/tool-book.ts";
import { translatingTap } from "../protocols/translate-stream.ts";
import { translateWhole, unfoldedStream } from "../protocols/translate-whole.ts";
import type { Call } from "./call.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { Gate } from "./gate.ts";
import type { Way } from "./resolve.ts";

/** How an answer gets from the upstream to the client: as it is, or through the neutral form. */
export type Passage = {
  /** For an answer that streams. */
  tap: () => Tap;
  /** For one that comes whole. Null: it is no answer at all. */
  whole: (bytes: Buffer) => Whole | null;
  /** What the upstream says about a request that it does not take; null where it says nothing of use. */
  complaint: (bytes: Buffer) => Uint8Array | null;
};

export type Whole = {
  bytes: Uint8Array;
  /** Null: as the upstream named it. */
  contentType: string | null;
  /** What there is to know of it. */
  read: WholeAnswer;
};

/** The client's dialect is the upstream's: the bytes pass, and only the model's name is put back. */
export class NativePassage implements Passage {
  readonly #endpoint: Endpoint;
  readonly #request: RequestView;
  readonly #renameTo: string | null;
  readonly #gate: Gate;

  constructor(call: Call, { request, upstreamModel }: Way, gate: Gate) {
    this.#endpoint = ENDPOINTS[call.operation];
    this.#request = request;
    this.#renameTo = upstreamModel === request.model ? null : request.model;
    this.#gate = gate;
  }

  tap(): Tap {
    const { eventBytesMax } = this.#gate.limits;
    return this.#endpoint.tap({ request: this.#request, renameTo: this.#renameTo, eventBytesMax });
  }

  whole(bytes: Buffer): Whole | null {
    const read = this.#endpoint.readWhole(bytes);
    if (read === null) return null;
    const renameTo = this.#renameTo;
    return { bytes: renameTo === null ? bytes : renamed(bytes, renameTo), contentType: null, read };
  }

  complaint(bytes: Buffer): Uint8Array {
    return bytes;
  }
}

export type Translation = { call: Call; way: Way; prompt: Prompt; book: ToolBook };

export function translatedPassage({ call, way, prompt, book }: Translation, gate: Gate): Passage {
  const from = PROTOCOLS[way.dialect];
  const to = PROTOCOLS[call.dialect];
  const through = { from, to, book, head: headOf(call, way, prompt) };
  const { eventBytesMax } = gate.limits;
  return {
    tap: () => translatingTap({ ...through, eventBytesMax }),
    whole: bytes => {
      if (!prompt.stream) {
        const answer = translateWhole(bytes, through);
        if (answer === null) return null;
        return { bytes: answer.bytes, contentType: "application/json", read: answer };
      }
      const answer = unfoldedStream(bytes, through);
      if (answer === null) return null;
      return { bytes: answer.bytes, contentType: "text/event-stream; charset=utf-8", read: answer };
    },
    complaint: bytes => complaint(bytes, call),
  };
}

function headOf(call: Call, { request }: Way, prompt: Prompt): ReplyHead {
  const { dataBytes, dataParts } = request;
  return {
    id: call.id.slice(call.id.indexOf("_") + 1),
    model: request.model,
    createdSeconds: Math.floor(call.startedAtMs / 1_000),
    prompt,
    inputTokensGuess: inputTokensGuess({ bytes: request.bytes.length, dataBytes, dataParts }),
  };
}

/** The client reads the name it asked for, where the upstream knows the model by another. */
function renamed(bytes: Buffer, name: string): Uint8Array {
  const scan = scanObject(bytes, Number.MAX_SAFE_INTEGER);
  if (!scan.fields.some(field => field.name === "model")) return bytes;
  return spliceFields(bytes, scan, new Map([["model", JSON.stringify(name)]]));
}

/** All dialects put the sentence in the same place; the rest is written anew. */
function complaint(bytes: Buffer, call: Call): Uint8Array | null {
  const message = errorMessage(bytes);
  return message === null ? null : Buffer.from(JSON.stringify(SHAPES[call.dialect](message, call.id)));
}

function errorMessage(bytes: Buffer): string | null {
  try {
    const body = JSON.parse(bytes.toString("utf8")) as { error?: { message?: unknown } | string };
    const message = typeof body.error === "string" ? body.error : body.error?.message;
    return typeof message === "string" && message !== "" ? message : null;
  } catch {
    return null;
  }
}

const openai = (message: string, id: string): Json => {
  return { error: { message, type: "invalid_request_error", code: null, param: null, request_id: id } };
};

const SHAPES: Record<Dialect, (message: string, id: string) => Json> = {
  chat: openai,
  responses: openai,
  messages: (message, id) => {
    return { type: "error", error: { type: "invalid_request_error", message }, request_id: id };
  },
};
