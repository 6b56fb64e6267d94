import type { UpstreamKind } from "../domain/catalogue.ts";
import type { Prompt, Reply, ReplyEvent } from "../domain/chat.ts";
import type { Refusal } from "../domain/errors.ts";
import type { Dialect, Usage } from "../domain/usage.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What is wrong with a request: the field, as a path in the client's dialect, and a clause that names it. */
export type Problem = { param: string; problem: string };

/** A request as the gateway needs it to meter it; its bytes pass on where the upstream speaks its dialect. */
export type RequestView = {
  dialect: Dialect;
  bytes: Buffer;
  /** As parsed, once. */
  body: Json;
  model: string;
  stream: boolean;
  /** The client wants the usage in its stream; where the dialect always has it, true. */
  wantsUsage: boolean;
  /** Which name the client used for its limit, if any. */
  limitField: string | null;
  outputTokensAsked: number | null;
  choices: number;
  /** Bytes of images and files inside the text, which are not text. */
  dataBytes: number;
  dataParts: number;
  /** What may be read beside the text at most, as sound: held for, and charged only where the upstream reports it. */
  uncountedTokensMax?: number;
  /** Nothing in it limits its answer, so that is held for whole or not at all. */
  isIndivisible?: true;
};

export type ReadResult = { request: RequestView } | { refusal: Refusal; model: string };

/** The splices of a passing request. */
export type RequestEdits = {
  upstreamModel: string;
  /** Null leaves the client's own limit as it is. */
  outputTokens: number | null;
  kind: UpstreamKind;
};

/** For whom a prompt is written. */
export type PromptTarget = { model: string; kind: UpstreamKind; outputTokensMax: number | null };

/** What a client's answer carries that no upstream knows. */
export type ReplyHead = {
  /** The id of the usage record, without its prefix: letters and digits. */
  id: string;
  /** As the client asked for it. */
  model: string;
  createdSeconds: number;
  prompt: Prompt;
  inputTokensGuess: number;
};

/** One event of a stream of server-sent events. */
export type SseEvent = { event: string | null; data: string };

/** Reads an upstream's stream. It believes nothing: what makes no sense is skipped, or is a failure. */
export type StreamReader = {
  read: (event: SseEvent) => ReplyEvent[];
  /** The connection was closed in good order: closes what is open; a failure where the answer had not ended. */
  finish: () => ReplyEvent[];
};

/** Writes a client's stream: whole events, or nothing. */
export type StreamWriter = {
  write: (event: ReplyEvent) => string;
  /** The last event of a stream that failed after it began; the body is the refusal in this dialect. */
  failure: (body: Json) => string;
};

export type Report = {
  usage: Usage | null;
  /** It came at the end, and so is of the whole answer. */
  isFinal: boolean;
  /** A report could not be believed. */
  bad: boolean;
};

/** What was said: how many bytes, and the first of them. */
export type Said = { readonly bytes: number; readonly sample: Uint8Array };

/**
 * Stands between an upstream's stream and the client: bytes in, bytes out. It passes whole events only, so that the
 * client always stands between two of them when the stream has to be ended.
 */
export type Tap = {
  /** The upstream has said its last word, whether or not it closes the connection. */
  readonly ended: boolean;
  /** The upstream reported an error, or the stream makes no sense: its text, and all that follows, stays here. */
  readonly failed: boolean;
  readonly content: Said;
  /** Something unfinished is longer than any event may be. */
  readonly isOverlong: boolean;
  reported: () => Report;
  /** What may go on to the client now; null where nothing does. */
  feed: (bytes: Uint8Array) => Uint8Array | null;
  /** Once the upstream has closed: what still waited. Where the answer had not ended, `failed` is set. */
  rest: () => Uint8Array | null;
  /** The events that end the stream as if its length limit were reached. */
  lengthEnd: (usage: { input: number; output: number }) => Uint8Array;
  /** The events that end it with an error; the body is the refusal in the client's dialect. */
  failureEnd: (body: Json) => Uint8Array;
};

export type TapOptions = {
  request: RequestView;
  /** The name the client used, where the upstream was given another. */
  renameTo: string | null;
  eventBytesMax: number;
};

/** What there is to know of a whole answer in the upstream's own bytes. Null: it is no answer at all. */
export type WholeAnswer = { usage: Usage | null; bad: boolean; said: () => Said };

/** One dialect, both ways. Pure: no clock, no chance, no I/O. */
export type Protocol = {
  dialect: Dialect;
  /** For the gateway's own use of a passing request. */
  readRequest: (bytes: Buffer) => ReadResult;
  writeRequest: (request: RequestView, edits: RequestEdits) => Uint8Array;
  /** Watches a stream that stays in the dialect. */
  tap: (options: TapOptions) => Tap;
  readWhole: (bytes: Buffer) => WholeAnswer | null;

  readPrompt: (body: Json) => { prompt: Prompt } | { problem: Problem };
  writePrompt: (prompt: Prompt, target: PromptTarget) => { body: Json } | { problem: Problem };
  /** Null where it is no answer. */
  readReply: (body: Json) => Reply | null;
  writeReply: (reply: Reply, head: ReplyHead) => Json;
  streamReader: () => StreamReader;
  streamWriter: (head: ReplyHead) => StreamWriter;
};
