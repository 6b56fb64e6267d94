import type { Credential, Upstream } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
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
import { type Destination, destinationOf, signerOf } from "./destination.ts";
import type { Outbound } from "./http1.ts";
import type { Preset, SentHeaders, Signer, UpstreamPath } from "./presets/preset.ts";
import { PRESETS } from "./presets/presets.ts";
import { type SealKey, unseal } from "./seal.ts";
import { reframedExchange, signedExchange } from "./signed-exchange.ts";

export type Send = {
  upstream: Upstream;
  /** One of the upstream's own. */
  credential: Credential | null;
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

/** They say which form of the dialect the client speaks, so they go on as they came. */
const MESSAGES_HEADERS = ["anthropic-version", "anthropic-beta"];
const HEADER_CHARACTERS_MAX = 4_096;
const VARIANTS_MAX = 64;

/** What is worked out once for an upstream and a credential of it. */
type Known = {
  preset: Preset;
  destinations: Map<string, Destination | UpstreamFailure>;
  signer: Signer | null;
};

export type SenderOptions = { outbound: Outbound; sealKey: SealKey; limits: SenderLimits; clock: Clock };

/** The one way out: where a request goes, and with which credential, is the operator's word alone. */
export function sender({ outbound, sealKey, limits, clock }: SenderOptions): Sender {
  const { connectMsMax, idleMsMax, headerBytesMax } = limits;
  const wholeLimits = { connectMsMax, idleMsMax, headerBytesMax, firstByteMsMax: limits.firstByteMsMax };
  const streamLimits = { ...wholeLimits, firstByteMsMax: limits.firstByteStreamMsMax };
  const sendWhole = (request: OutboundRequest) => outbound.send(request, wholeLimits);
  const sendStream = (request: OutboundRequest) => outbound.send(request, streamLimits);
  // By the row itself: a changed upstream is another object, so nothing has to be invalidated.
  const known = new WeakMap<Upstream | Credential, Known>();
  const knownOf = (upstream: Upstream, credential: Credential | null): Known => {
    let found = known.get(credential ?? upstream);
    if (found === undefined) {
      const signer = signerOf(upstream, { credential, sealKey, ask: sendWhole, nowMs: clock.nowMs });
      found = { preset: PRESETS[upstream.kind], destinations: new Map(), signer };
      known.set(credential ?? upstream, found);
    }
    return found;
  };

  return ({ upstream, credential, upstreamModel, path, stream, body, asks }) => {
    if (upstream.kind === "demo") {
      const asked = { model: upstreamModel, path };
      if (!isStreamed(body)) return demoExchange({ ...asked, body }, clock);
      const { contentType } = body;
      return collectedExchange(body, bytes => demoExchange({ ...asked, body: bytes, contentType }, clock));
    }
    const { preset, destinations, signer } = knownOf(upstream, credential);
    const place = preset.address === undefined ? path : `${path} ${stream} ${upstreamModel}`;
    let destination = destinations.get(place);
    if (destination === undefined) {
      destination = destinationOf(upstream, { path, model: upstreamModel, stream, credential, sealKey });
      destinations.set(place, destination);
    }
    if (destination instanceof UpstreamFailure) return failedExchange(destination);
    const own = asks === null ? destination.headers : withAsked(destination, asks);
    const headers = isStreamed(body) ? { ...own, "content-type": body.contentType } : own;
    const written = isStreamed(body) ? body : destination.rewrite(body, own);
    const request: OutboundRequest = { method: "POST", url: destination.url, headers, body: written };
    const send = stream ? sendStream : sendWhole;
    const exchange = signer === null ? send(request) : signedExchange(signer(request), send);
    return preset.reframe === undefined ? exchange : reframedExchange(exchange, preset.reframe);
  };
}

/** The same headers are the same object, so that the head of the request is not put together anew each time. */
function withAsked({ headers, variants }: Destination, asks: Headers): SentHeaders {
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

/** Whether an upstream's text holds one of its credentials, which no client may see. */
export function echoDetector(sealKey: SealKey): (upstream: Upstream, bytes: Buffer) => boolean {
  return ({ baseUrl, credentials }, bytes) => {
    if (baseUrl === null) return false;
    const { origin } = new URL(baseUrl);
    return credentials.some(({ sealed }) => {
      const plain = unseal(sealed, { key: sealKey, boundTo: origin });
      return plain !== null && bytes.includes(plain);
    });
  };
}
