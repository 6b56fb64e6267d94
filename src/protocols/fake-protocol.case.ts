import type { Reply, ReplyEvent } from "../domain/chat.ts";
import type { Json, Protocol, StreamReader, StreamWriter } from "./protocol.ts";

/** A dialect that says the neutral form itself, one event to each event, so that the middle can be tested alone. */

export const fakeProtocol: Protocol = {
  dialect: "chat",
  readRequest: unused,
  writeRequest: unused,
  tap: unused,
  readWhole: unused,
  readPrompt: unused,
  writePrompt: (prompt, target) => {
    if (prompt.turns.length === 0)
      return { problem: { param: "turns", problem: "“turns” must not be empty" } };
    return { body: { ...prompt, model: target.model } };
  },
  readReply: body => ("parts" in body ? (body as Reply) : null),
  writeReply: (reply, head) => ({ ...reply, model: head.model }),
  streamReader,
  streamWriter,
};

function unused(): never {
  throw new Error("not a part of the fake");
}

function streamReader(): StreamReader {
  let hasEnded = false;
  return {
    read: ({ data }) => {
      const event = JSON.parse(data) as ReplyEvent | { kind: "mute" };
      hasEnded ||= event.kind === "end";
      return event.kind === "mute" ? [] : [event];
    },
    finish: () => (hasEnded ? [] : [{ kind: "failure", message: "it stopped" }]),
  };
}

function streamWriter(): StreamWriter {
  const event = (value: ReplyEvent | Json) => `data: ${JSON.stringify(value)}\n\n`;
  return { write: event, failure: event };
}
