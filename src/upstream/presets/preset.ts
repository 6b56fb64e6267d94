import type { Dialect, Operation } from "../../domain/usage.ts";
import type { Answer, Exchange, OutboundRequest } from "../answer.ts";

/** Where at an upstream a request goes. */
export type UpstreamPath = Operation | "count_tokens";

export type SentHeaders = Record<string, string>;

/** What is asked for, as far as an address or a body depends on it. */
export type Asked = { baseUrl: string; path: UpstreamPath; model: string; stream: boolean };

/** The headers that show a credential. */
export type Auth = (credential: string, path: UpstreamPath) => SentHeaders;

/** Makes a request ready to go, with what each one needs anew. Rejects with an UpstreamFailure. */
export type Signer = (request: OutboundRequest) => Promise<OutboundRequest>;

export type SignWith = {
  credential: string;
  baseUrl: string;
  /** For a token that has to be asked for; it goes out like everything else. */
  ask: (request: OutboundRequest) => Exchange;
  nowMs: () => number;
};

/** What is known of a maker of models or a model server, so that a key is all it takes to connect one. */
export type Preset = {
  /** OpenAI-style with its version; null where only the operator knows it. */
  baseUrl: string | null;
  /** What such an address looks like, where the operator has to give it. */
  addressExample?: string;
  /** What its path has to look like, where the rest cannot be found without. */
  addressForm?: RegExp;
  /** The dialects that are served natively; an operator whose server has fewer says so. */
  speaks: readonly Dialect[];
  /** Nothing else can be asked of it, whatever the operator says. */
  speaksNothingElse?: true;
  /** Where messages are at the same host, without `/v1`, where that is apart from the rest. */
  messagesPath?: string;
  /** False for a server that asks for none unless it is told to. */
  needsCredential: boolean;
  auth: Auth;
  /** Behind the base address; null where nothing lists what can be called. */
  modelsPath: string | null;
  /** In place of the usual address; null where there is none for this. */
  address?: (asked: Asked) => string | null;
  /** The body in the form that is taken here, where that is not the usual one. */
  rewrite?: (body: Uint8Array, asked: Asked & { headers: SentHeaders }) => Uint8Array;
  /** Null where the credential is all that is needed. */
  signer?: (given: SignWith) => Signer | null;
  /** The answer in the usual form, where it is not given so. */
  reframe?: (answer: Answer) => Answer;
};

export function isMessagesPath(path: UpstreamPath): boolean {
  return path === "messages" || path === "count_tokens";
}
