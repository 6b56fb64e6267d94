import type { Reply } from "../../domain/chat.ts";
import { foldReply } from "../fold.ts";
import { isObject, listOf, textOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { AnswerEvents } from "./answer-events.ts";
import { errorOf, startOf } from "./read-stream.ts";
import { readChatUsage } from "./read-usage.ts";

/** Null where it is no answer: an error under a good status, or something else altogether. */
export function readChatReply(body: Json): Reply | null {
  if (errorOf(body) !== null) return null;
  const choices = listOf(body["choices"]).filter(isObject);
  const choice = choices.find(({ index }) => index === 0) ?? choices[0];
  const message = choice?.["message"];
  if (choice === undefined || !isObject(message)) return null;
  const answer = new AnswerEvents(textOf(body["id"]));
  const { finish_reason, stop_reason } = choice;
  return foldReply([
    startOf(body),
    ...answer.read(numbered(message)),
    ...answer.end({ raw: finish_reason, matched: stop_reason, usage: readChatUsage(body["usage"]) }),
  ]);
}

/** In a whole message every call is one of its own, whatever index it bears. */
function numbered(message: Json): Json {
  const calls = listOf(message["tool_calls"]).filter(isObject);
  return { ...message, tool_calls: calls.map((call, index) => ({ ...call, index })) };
}
