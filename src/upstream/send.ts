import type { Upstream } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import type { Operation } from "../domain/usage.ts";
import {
  type Exchange,
  failedExchange,
  isStreamed,
  type OutboundLimits,
  type OutboundRequest,
  type StreamedBody,
  UpstreamFailure,
} from "./answer.ts";
import { demoExchange } from "./demo.ts";
import { collectedExchange } from "./demo-upload.ts";
import type { Outbound } from "./http1.ts";
import { unseal } from "./seal.ts";

/** Where at an upstream a request goes. */
export type UpstreamPath = Operation | "count_tokens";

export type Send = {
  upstream: Upstream;
  upstreamModel: string;
  path: UpstreamPath;
  stream: boolean;
  body: Uint8Array | StreamedBody;
  /** The client's own headers, of which those that belong to the dialect go along; null where it was translated. */
  asks: Headers | null;
};
export type Sender = (send: Send) => Exchange;

export type SenderLimits = Omit<OutboundLimits, "firstByteMsMax"> & {
  firstByteMsMax: number;
  firstByteStreamMsMax: number;
};

/** Behind a base URL that ends in `/v1`. */
const PATHS: Record<UpstreamPath, string> = {
  chat: "/chat/completions",
  responses: "/responses",
  messages: "/messages",
  count_tokens: "/messages/count_tokens",
  completions: "/completions",
  embeddings: "/embeddings",
  images: "/images/generations",
  speech: "/audio/speech",
  transcriptions: "/audio/transcriptions",
};
const MESSAGES_VERSION = "2023-06-01";
/** They say which form of the dialect the client speaks, so they go on as they came. */
const MESSAGES_HEADERS = ["anthropic-version", "anthropic-beta"];
const HEADER_CHARACTERS_MAX = 4_096;
const VARIANTS_MAX = 64;

type SentHeaders = Record<string, string>;
type Address = { url: URL; headers: SentHeaders; variants: Map<string, SentHeaders> };

export type SenderOptions = { outbound: Outbound; sealKey: Uint8Array; limits: SenderLimits; clock: Clock };

/** The one way out: where a request goes, and with which credential, is the operator's word alone. */
export function sender({ outbound, sealKey, limits, clock }: SenderOptions): Sender {
  const { connectMsMax, idleMsMax, headerBytesMax } = limits;
  const wholeLimits = { connectMsMax, idleMsMax, headerBytesMax, firstByteMsMax: limits.firstByteMsMax };
  const streamLimits = { ...wholeLimits, firstByteMsMax: limits.firstByteStreamMsMax };
  // By the row itself: a changed upstream is another object, so nothing has to be invalidated.
  const addresses = new WeakMap<Upstream, Partial<Record<UpstreamPath, Address | UpstreamFailure>>>();

  return ({ upstream, upstreamModel, path, stream, body, asks }) => {
    if (upstream.kind === "demo") {
      const asked = { model: upstreamModel, path };
      if (!isStreamed(body)) return demoExchange({ ...asked, body }, clock);
      const { contentType } = body;
      return collectedExchange(body, bytes => demoExchange({ ...asked, body: bytes, contentType }, clock));
    }
    let known = addresses.get(upstream);
    if (known === undefined) {
      known = {};
      addresses.set(upstream, known);
    }
    known[path] ??= addressOf(upstream, path, sealKey);
    const address = known[path];
    if (address instanceof UpstreamFailure) return failedExchange(address);
    const own = asks === null ? address.headers : withAsked(address, asks);
    const headers = isStreamed(body) ? { ...own, "content-type": body.contentType } : own;
    const request: OutboundRequest = { method: "POST", url: address.url, headers, body };
    return outbound.send(request, stream ? streamLimits : wholeLimits);
  };
}

/** The same headers are the same object, so that the head of the request is not put together anew each time. */
function withAsked({ headers, variants }: Address, asks: Headers): SentHeaders {
  const given = MESSAGES_HEADERS.flatMap(name => {
    const value = asks.get(name);
    return value === null || !/^[ -~]+$/.test(value) || value.length > HEADER_CHARACTERS_MAX
      ? []
      : [[name, value] as const];
  });
  if (given.length === 0) return headers;
  const mark = given.map(pair => pair.join(":")).join("\n");
  const known = variants.get(mark);
  if (known !== undefined) return known;
  const fresh = { ...headers, ...Object.fromEntries(given) };
  if (variants.size < VARIANTS_MAX) variants.set(mark, fresh);
  return fresh;
}

/** A credential is bound to the origin it was saved for: it opens for no other. */
function addressOf(upstream: Upstream, path: UpstreamPath, sealKey: Uint8Array): Address | UpstreamFailure {
  if (upstream.baseUrl === null)
    return new UpstreamFailure("connect", `upstream ${upstream.name} has no address`);
  const isMessages = path === "messages" || path === "count_tokens";
  // Messages-style addresses are written without the version, OpenAI-style ones with it.
  const version = isMessages && !upstream.baseUrl.endsWith("/v1") ? "/v1" : "";
  const url = new URL(upstream.baseUrl + version + PATHS[path]);
  const headers: SentHeaders = { "content-type": "application/json" };
  if (isMessages) headers["anthropic-version"] = MESSAGES_VERSION;
  if (upstream.credential === null) return { url, headers, variants: new Map() };
  const credential = unseal(upstream.credential, { key: sealKey, boundTo: url.origin });
  if (credential === null) {
    return new UpstreamFailure(
      "connect",
      `the credential of ${upstream.name} cannot be opened with this master secret`,
    );
  }
  if (isMessages) headers["x-api-key"] = credential;
  // Compatible makers differ in which of the two they look at; Anthropic takes a bearer for another kind of credential.
  if (!isMessages || upstream.kind !== "anthropic") headers["authorization"] = `Bearer ${credential}`;
  return { url, headers, variants: new Map() };
}

/** Whether an upstream's text holds the credential it was called with, which no client may see. */
export function echoDetector(sealKey: Uint8Array): (upstream: Upstream, bytes: Buffer) => boolean {
  return ({ baseUrl, credential }, bytes) => {
    if (baseUrl === null || credential === null) return false;
    const plain = unseal(credential, { key: sealKey, boundTo: new URL(baseUrl).origin });
    return plain !== null && bytes.includes(plain);
  };
}
