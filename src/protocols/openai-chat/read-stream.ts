import type { ReplyEvent } from "../../domain/chat.ts";
import type { Usage } from "../../domain/usage.ts";
import { isAbsent, isObject, jsonText, listOf, objectOf, parsedObject, textOf } from "../json-value.ts";
import type { Json, SseEvent, StreamReader } from "../protocol.ts";
import { AnswerEvents } from "./answer-events.ts";
import { isFinishReason } from "./length-end.ts";
import { readChatUsage } from "./read-usage.ts";

const LAST_WORD = "[DONE]";
const MESSAGE_CHARACTERS_MAX = 500;

export function chatStreamReader(): StreamReader {
  return new ChatStreamReader();
}

/** The usage comes last, often after the reason of the end: so the end is told at the last word, or at the close. */
class ChatStreamReader implements StreamReader {
  #answer: AnswerEvents | null = null;
  #isOver = false;
  #finish: unknown = null;
  #matched: unknown = null;
  #usage: Usage | null = null;

  read({ event, data }: SseEvent): ReplyEvent[] {
    if (this.#isOver) return [];
    if (data.trim() === LAST_WORD) return this.#end();
    const chunk = parsedObject(data);
    if (chunk === null) return event === "error" ? this.#fail(data) : [];
    const error = errorOf(chunk, event);
    if (error !== null) return this.#fail(error);
    // Reports in the middle are of what has come so far: the last one counts.
    if (isObject(chunk["usage"])) this.#usage = readChatUsage(chunk["usage"]);
    const choice = firstChoice(chunk["choices"]);
    return choice === null ? [] : this.#choice(chunk, choice);
  }

  finish(): ReplyEvent[] {
    if (this.#isOver) return [];
    return isFinishReason(this.#finish) ? this.#end() : this.#fail("the stream was closed before its end");
  }

  #choice(chunk: Json, choice: Json): ReplyEvent[] {
    const events: ReplyEvent[] = [];
    if (this.#answer === null) {
      const id = textOf(chunk["id"]);
      this.#answer = new AnswerEvents(id);
      events.push(startOf(chunk));
    }
    const { delta, message, finish_reason, stop_reason } = choice;
    const said = isObject(delta) ? delta : message;
    if (isObject(said)) events.push(...this.#answer.read(said));
    if (isFinishReason(finish_reason)) this.#finish = finish_reason;
    if (!isAbsent(stop_reason)) this.#matched = stop_reason;
    return events;
  }

  #end(): ReplyEvent[] {
    if (this.#answer === null) return this.#fail("the stream ended without an answer");
    this.#isOver = true;
    return this.#answer.end({ raw: this.#finish, matched: this.#matched, usage: this.#usage });
  }

  #fail(message: string): ReplyEvent[] {
    this.#isOver = true;
    return [{ kind: "failure", message: message.slice(0, MESSAGE_CHARACTERS_MAX) }];
  }
}

export function startOf({ id, model, created }: Json): Extract<ReplyEvent, { kind: "start" }> {
  const createdSeconds = typeof created === "number" && Number.isSafeInteger(created) ? created : null;
  return { kind: "start", id: textOf(id), model: textOf(model), createdSeconds, usage: null };
}

/** The gateway asks for one choice; whatever more comes is nobody's. */
function firstChoice(choices: unknown): Json | null {
  const first = listOf(choices).find(
    choice => isObject(choice) && (choice["index"] === 0 || isAbsent(choice["index"])),
  );
  return isObject(first) ? first : null;
}

/** Told as an object or a text, on the chunk or on its choice; vLLM makes the whole chunk the error. */
export function errorOf(chunk: Json, event: string | null = null): string | null {
  const error = chunk["error"] ?? objectOf(listOf(chunk["choices"])[0])["error"];
  if (!isAbsent(error)) return messageOf(error);
  return event === "error" || chunk["object"] === "error" ? messageOf(chunk) : null;
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  return textOf(objectOf(error)["message"]) || jsonText(error);
}
