import { describe, expect, test } from "bun:test";
import { type Answer, type AnswerConsumer, UpstreamFailure } from "../answer.ts";
import { awsChunk, awsException, awsMessage } from "../aws-event-stream-test-rig.ts";
import { bedrockAnswer } from "./bedrock-answer.ts";

const FRAMED = "application/vnd.amazon.eventstream";

type Heard = { text: string; end: "end" | UpstreamFailure | null; aborted: boolean };

function heard(bytes: Buffer, { status = 200, contentType = FRAMED } = {}): Heard {
  const found: Heard = { text: "", end: null, aborted: false };
  const given: Answer = {
    status,
    headers: new Map([["content-type", contentType]]),
    read: consumer => {
      for (const byte of bytes) if (!found.aborted) consumer.onBytes(Buffer.of(byte));
      if (!found.aborted) consumer.onEnd();
    },
    pause: () => {},
    resume: () => {},
    abort: () => {
      found.aborted = true;
    },
  };
  const consumer: AnswerConsumer = {
    onBytes: part => {
      found.text += Buffer.from(part).toString();
    },
    onEnd: () => {
      found.end = "end";
    },
    onFailure: failure => {
      found.end = failure;
    },
  };
  bedrockAnswer(given).read(consumer);
  return found;
}

const PING = { type: "ping" };
const PING_TEXT = 'event: ping\ndata: {"type":"ping"}\n\n';

describe("an answer of Bedrock's", () => {
  test("is a stream of events, byte by byte as at once", () => {
    expect(heard(Buffer.concat([awsChunk(PING), awsChunk(PING)]))).toEqual({
      text: PING_TEXT + PING_TEXT,
      end: "end",
      aborted: false,
    });
  });

  test("that ends with an exception is a failure which names it, and is closed", () => {
    const { text, end, aborted } = heard(
      Buffer.concat([awsChunk(PING), awsException("throttlingException"), awsChunk(PING)]),
    );
    expect(text).toBe(PING_TEXT);
    expect(end).toBeInstanceOf(UpstreamFailure);
    expect(String(end)).toContain("throttlingException");
    expect(String(end)).not.toContain("an inner word of theirs");
    expect(aborted).toBe(true);
  });

  test("that ends inside a message was cut", () => {
    const { text, end } = heard(Buffer.concat([awsChunk(PING), awsChunk(PING).subarray(0, 20)]));
    expect(text).toBe(PING_TEXT);
    expect(end).toMatchObject({ kind: "cut" });
  });

  test("passes over events that it does not know, and takes no name that could be two lines", () => {
    const other = awsMessage({ ":message-type": "event", ":event-type": "other" }, "{}");
    expect(heard(Buffer.concat([other, awsChunk({ type: "a\n\nb" }), awsChunk(PING)])).text).toBe(PING_TEXT);
  });

  test("that is no JSON inside is a failure", () => {
    const none = awsMessage({ ":message-type": "event", ":event-type": "chunk" }, "none");
    expect(heard(none).end).toMatchObject({ kind: "protocol" });
  });

  test("that comes whole goes as it came", () => {
    const text = '{"type":"message"}';
    expect(heard(Buffer.from(text), { contentType: "application/json" }).text).toBe(text);
    expect(heard(Buffer.from(text), { contentType: "application/json", status: 500 }).text).toBe(text);
  });

  test("that refuses is in the form of the dialect, whatever it was", () => {
    const refused = (text: string) =>
      JSON.parse(heard(Buffer.from(text), { contentType: "application/json", status: 400 }).text);
    expect(refused('{"message":"too long"}').error.message).toBe("too long");
    expect(refused("<html>").error).toEqual({
      type: "invalid_request_error",
      message: "the request was refused",
    });
  });
});
