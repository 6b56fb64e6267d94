import type { Refusal } from "../domain/errors.ts";

/** What an upstream sends back, pushed to one consumer as it arrives. */
export type Answer = {
  status: number;
  /** Names in lower case; a repeated header is joined by a comma. */
  headers: ReadonlyMap<string, string>;
  /** Starts delivery. Nothing is delivered, and at most one read is buffered, before it is called. */
  read: (consumer: AnswerConsumer) => void;
  /** A paused answer reads nothing from its connection; the idle limit does not run meanwhile. */
  pause: () => void;
  resume: () => void;
  /** Closes the connection at once; the consumer hears nothing more. Harmless after the end. */
  abort: () => void;
};

/** Exactly one of `onEnd` and `onFailure` is called, last. The bytes are the consumer's to keep. */
export type AnswerConsumer = {
  onBytes: (bytes: Uint8Array) => void;
  onEnd: () => void;
  onFailure: (failure: UpstreamFailure) => void;
};

/** Why an upstream did not answer, or did not finish. `detail` is for the operator's log, never for the client. */
export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";
  constructor(
    readonly kind:
      | "connect"
      | "connect-timeout"
      | "first-byte-timeout"
      | "idle-timeout"
      | "cut"
      | "protocol"
      | "limit",
    readonly detail: string,
  ) {
    super(`${kind}: ${detail}`);
  }
}

/** The body that was to be sent on did not come as it should; without a refusal, whoever sent it is gone. */
export class UploadFailure extends UpstreamFailure {
  constructor(readonly refusal: Refusal | null) {
    super("cut", `the request was not whole: ${refusal?.reason ?? "client_left"}`);
  }
}

/** A call under way: the answer when its head has arrived, and a way to stop before that. */
export type Exchange = { answer: Promise<Answer>; abort: () => void };

/** A call that failed before it began. */
export function failedExchange(error: unknown): Exchange {
  const answer = Promise.reject(error);
  // Whoever waits for it hears of it; nobody has to.
  answer.catch(() => undefined);
  return { answer, abort: () => undefined };
}

/** A body that is sent while it arrives: a piece is asked for when the one before has been taken. */
export type StreamedBody = {
  contentType: string;
  /** Null where it is not known beforehand. */
  length: number | null;
  /** Never empty; null at the end. Rejects with an UploadFailure. */
  next: () => Promise<Uint8Array | null>;
  /** Nothing more is asked for. Harmless after the end. */
  cancel: () => void;
};

export function isStreamed(body: Uint8Array | StreamedBody | null): body is StreamedBody {
  return body !== null && "next" in body;
}

export type OutboundRequest = {
  method: "GET" | "POST";
  /** Whole address; it comes from the operator's configuration alone. */
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | StreamedBody | null;
};

export type OutboundLimits = {
  connectMsMax: number;
  firstByteMsMax: number;
  idleMsMax: number;
  headerBytesMax: number;
};
