import type { ReplyEvent } from "../../domain/chat.ts";
import { isAbsent, isObject, jsonText, objectOf, parsedObject, stringOrNull, textOf } from "../json-value.ts";
import type { Json, SseEvent, StreamReader } from "../protocol.ts";
import { fromMessagesId } from "../tool-id.ts";
import { mergedUsage } from "./merge-usage.ts";
import { ownSeal } from "./own-seal.ts";
import { readCitation, readCitations } from "./read-citation.ts";
import { refusalText } from "./read-reply.ts";
import { readMessagesUsage } from "./read-usage.ts";
import { readStop } from "./stop.ts";

const MESSAGE_CHARACTERS_MAX = 1_000;

export function messagesStreamReader(): StreamReader {
  return new MessagesStreamReader();
}

type OpenBlock = {
  /** The part it is to others. */
  index: number;
  type: string;
  /** A tool's input that came with its beginning; it counts where nothing follows. */
  input: string;
  hasDelta: boolean;
  signature: string;
};

class MessagesStreamReader implements StreamReader {
  #hasBegun = false;
  #isOver = false;
  #partCount = 0;
  #calledTools = false;
  /** What was counted so far, as the upstream told it. */
  #counted: unknown = null;
  /** The beginning counts hardly any output: without a later word there is no report. */
  #hasCounted = false;
  /** How the answer ended. */
  #last: Json | null = null;
  readonly #open = new Map<unknown, OpenBlock>();

  read({ event, data }: SseEvent): ReplyEvent[] {
    if (this.#isOver) return [];
    const body = parsedObject(data);
    if (body === null) return event === "error" ? this.#fail(data) : [];
    switch (body["type"] ?? event) {
      case "message_start":
        return this.#begin(objectOf(body["message"]));
      case "content_block_start":
        return this.#blockStart(body["index"], objectOf(body["content_block"]));
      case "content_block_delta":
        return this.#blockDelta(body["index"], objectOf(body["delta"]));
      case "content_block_stop":
        return this.#blockStop(body["index"]);
      case "message_delta":
        return this.#messageDelta(body);
      case "message_stop":
        return this.#end();
      case "error":
        return this.#fail(errorText(body));
      default:
        // An error in somebody else's shape is one all the same.
        return isObject(body["error"]) ? this.#fail(errorText(body)) : [];
    }
  }

  finish(): ReplyEvent[] {
    if (this.#isOver) return [];
    return typeof this.#last?.["stop_reason"] === "string"
      ? this.#end()
      : this.#fail("the stream was closed before the answer had ended");
  }

  #begin(message: Json): ReplyEvent[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    this.#counted = message["usage"];
    const usage = readMessagesUsage(message["usage"]);
    const model = textOf(message["model"]);
    return [{ kind: "start", id: textOf(message["id"]), model, createdSeconds: null, usage }];
  }

  #blockStart(place: unknown, block: Json): ReplyEvent[] {
    const events = [...this.#begin({}), ...this.#blockStop(place)];
    const index = this.#partCount;
    this.#partCount += 1;
    const type = textOf(block["type"]);
    const open: OpenBlock = { index, type, input: "{}", hasDelta: false, signature: "" };
    this.#open.set(place, open);
    switch (type) {
      case "text": {
        events.push({ kind: "part-start", index, part: { kind: "text" } }, ...said(index, block["text"]));
        for (const citation of readCitations(block["citations"]))
          events.push({ kind: "part-citation", index, citation });
        return events;
      }
      case "thinking":
        open.signature = textOf(block["signature"]);
        events.push({ kind: "part-start", index, part: { kind: "reasoning" } });
        return [...events, ...said(index, block["thinking"])];
      case "redacted_thinking":
        events.push({ kind: "part-start", index, part: { kind: "reasoning" } });
        return [...events, { kind: "part-seal", index, seal: ownSeal("ciphertext", textOf(block["data"])) }];
      case "tool_use": {
        this.#calledTools = true;
        open.input = jsonText(block["input"] ?? {}) || "{}";
        const id = fromMessagesId(textOf(block["id"]));
        const call = { id, name: textOf(block["name"]), tool: "function", namespace: null } as const;
        return [...events, { kind: "part-start", index, part: { kind: "tool-call", ...call } }];
      }
      default:
        return [...events, { kind: "part-start", index, part: { kind: "foreign", type } }];
    }
  }

  #blockDelta(place: unknown, delta: Json): ReplyEvent[] {
    const open = this.#open.get(place);
    if (open === undefined) return [];
    const { index, type } = open;
    switch (delta["type"]) {
      case "text_delta":
        return type === "text" ? said(index, delta["text"]) : [];
      case "thinking_delta":
        return type === "thinking" ? said(index, delta["thinking"]) : [];
      case "input_json_delta": {
        const events = type === "tool_use" ? said(index, delta["partial_json"]) : [];
        if (events.length > 0) open.hasDelta = true;
        return events;
      }
      case "signature_delta":
        open.signature = textOf(delta["signature"]) || open.signature;
        return [];
      case "citations_delta": {
        const citation = readCitation(delta["citation"]);
        return citation === null || type !== "text" ? [] : [{ kind: "part-citation", index, citation }];
      }
      default:
        return [];
    }
  }

  #blockStop(place: unknown): ReplyEvent[] {
    const open = this.#open.get(place);
    if (open === undefined) return [];
    this.#open.delete(place);
    const { index, type, input, hasDelta, signature } = open;
    const events: ReplyEvent[] = [];
    if (type === "tool_use" && !hasDelta) events.push({ kind: "part-delta", index, text: input });
    if (type === "thinking" && signature !== "")
      events.push({ kind: "part-seal", index, seal: ownSeal("signature", signature) });
    return [...events, { kind: "part-end", index }];
  }

  #messageDelta({ delta, usage }: Json): ReplyEvent[] {
    this.#last = { ...this.#last, ...objectOf(delta) };
    if (isObject(usage)) {
      this.#counted = mergedUsage(this.#counted, usage);
      this.#hasCounted ||= !isAbsent(usage["output_tokens"]);
    }
    return [];
  }

  #end(): ReplyEvent[] {
    const last = this.#last ?? {};
    const events = [...this.#begin({}), ...this.#closeAll(), ...this.#refusal(last)];
    this.#isOver = true;
    const raw = stringOrNull(last["stop_reason"]);
    const sequence = stringOrNull(last["stop_sequence"]);
    const stop = readStop({ raw, sequence, calledTools: this.#calledTools });
    const usage = this.#hasCounted ? readMessagesUsage(this.#counted) : null;
    return [...events, { kind: "end", stop, usage }];
  }

  #refusal(delta: Json): ReplyEvent[] {
    const text = refusalText(delta);
    if (text === "") return [];
    const index = this.#partCount;
    return [
      { kind: "part-start", index, part: { kind: "refusal" } },
      { kind: "part-delta", index, text },
      { kind: "part-end", index },
    ];
  }

  #closeAll(): ReplyEvent[] {
    return [...this.#open.keys()].flatMap(place => this.#blockStop(place));
  }

  #fail(text: string): ReplyEvent[] {
    this.#isOver = true;
    return [{ kind: "failure", message: text.slice(0, MESSAGE_CHARACTERS_MAX) }];
  }
}

function said(index: number, text: unknown): ReplyEvent[] {
  return typeof text === "string" && text !== "" ? [{ kind: "part-delta", index, text }] : [];
}

function errorText(body: Json): string {
  const { type, message } = objectOf(body["error"]);
  return (
    [type, message].filter(text => typeof text === "string").join(": ") || "the upstream reported an error"
  );
}
