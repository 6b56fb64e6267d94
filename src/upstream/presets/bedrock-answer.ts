import { isObject } from "../../protocols/json-value.ts";
import { writeEvent } from "../../protocols/sse.ts";
import { type Answer, type AnswerConsumer, UpstreamFailure } from "../answer.ts";
import { AwsEventStream, type AwsMessage } from "../aws-event-stream.ts";

const FRAMED = "application/vnd.amazon.eventstream";
/** The last event carries it, and no client of this dialect knows it. */
const METRICS = "amazon-bedrock-invocationMetrics";
const COMPLAINT_BYTES_MAX = 65_536;

/** What Bedrock answers, as Anthropic itself would: a stream of events in the usual framing, and its usual errors. */
export function bedrockAnswer(answer: Answer): Answer {
  const { status } = answer;
  const isFramed = answer.headers.get("content-type")?.startsWith(FRAMED) === true;
  if (isFramed)
    return read(answer, consumer => unframed(consumer, () => answer.abort()), "text/event-stream");
  if (status === 400 || status === 422) return read(answer, complained, "application/json");
  return answer;
}

function read(
  answer: Answer,
  through: (consumer: AnswerConsumer) => AnswerConsumer,
  contentType: string,
): Answer {
  const headers = new Map(answer.headers).set("content-type", contentType);
  headers.delete("content-length");
  return {
    status: answer.status,
    headers,
    read: consumer => answer.read(through(consumer)),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    abort: () => answer.abort(),
  };
}

function unframed(consumer: AnswerConsumer, abort: () => void): AnswerConsumer {
  const stream = new AwsEventStream();
  let isOver = false;
  const fail = (error: unknown) => {
    isOver = true;
    abort();
    consumer.onFailure(
      error instanceof UpstreamFailure ? error : new UpstreamFailure("protocol", String(error)),
    );
  };
  return {
    onBytes: bytes => {
      if (isOver) return;
      try {
        const events = stream.feed(bytes).map(eventOf).join("");
        if (events !== "") consumer.onBytes(Buffer.from(events));
      } catch (error) {
        fail(error);
      }
    },
    onEnd: () => {
      if (isOver) return;
      if (stream.isBetween) consumer.onEnd();
      else fail(new UpstreamFailure("cut", "the event stream ended inside a message"));
    },
    onFailure: failure => {
      if (!isOver) consumer.onFailure(failure);
    },
  };
}

/** An event of the model's stands in base64 inside a message; what is not an event is an exception that ends it all. */
function eventOf({ headers, payload }: AwsMessage): string {
  if (headers.get(":message-type") !== "event") {
    const kind = headers.get(":exception-type") ?? headers.get(":error-code") ?? "an unknown exception";
    throw new UpstreamFailure("cut", `Bedrock ended the stream with ${kind}`);
  }
  const { bytes } = parsed(payload);
  if (headers.get(":event-type") !== "chunk" || typeof bytes !== "string") return "";
  const { [METRICS]: _, ...event } = parsed(Buffer.from(bytes, "base64"));
  const { type } = event;
  return typeof type === "string" && /^\w+$/.test(type) ? writeEvent(type, event) : "";
}

function parsed(bytes: Buffer): Record<string, unknown> {
  let value: unknown = null;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    // Told below.
  }
  if (!isObject(value)) throw new UpstreamFailure("protocol", "a message of the event stream is not JSON");
  return value;
}

/** A complaint about the request goes on to the client, who knows another form of it. */
function complained(consumer: AnswerConsumer): AnswerConsumer {
  const parts: Uint8Array[] = [];
  let size = 0;
  return {
    onBytes: bytes => {
      size += bytes.length;
      if (size <= COMPLAINT_BYTES_MAX) parts.push(bytes);
    },
    onEnd: () => {
      consumer.onBytes(Buffer.from(JSON.stringify(complaintOf(Buffer.concat(parts)))));
      consumer.onEnd();
    },
    onFailure: failure => consumer.onFailure(failure),
  };
}

function complaintOf(bytes: Buffer): Record<string, unknown> {
  let message = "the request was refused";
  try {
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    if (isObject(body) && typeof body["message"] === "string") message = body["message"];
  } catch {
    // Whatever it was, it was a refusal.
  }
  return { type: "error", error: { type: "invalid_request_error", message } };
}
