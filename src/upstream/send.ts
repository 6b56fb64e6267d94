import type { Upstream } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import type { Dialect } from "../domain/usage.ts";
import {
  type Exchange,
  failedExchange,
  type OutboundLimits,
  type OutboundRequest,
  UpstreamFailure,
} from "./answer.ts";
import { demoExchange } from "./demo.ts";
import type { Outbound } from "./http1.ts";
import { unseal } from "./seal.ts";

export type Send = {
  upstream: Upstream;
  upstreamModel: string;
  dialect: Dialect;
  stream: boolean;
  body: Uint8Array;
};
export type Sender = (send: Send) => Exchange;

export type SenderLimits = Omit<OutboundLimits, "firstByteMsMax"> & {
  firstByteMsMax: number;
  firstByteStreamMsMax: number;
};

const PATHS: Record<Dialect, string> = {
  chat: "/chat/completions",
  responses: "/responses",
  messages: "/v1/messages",
};

type Address = { url: URL; headers: Record<string, string> };

export type SenderOptions = { outbound: Outbound; sealKey: Uint8Array; limits: SenderLimits; clock: Clock };

/** The one way out: where a request goes, and with which credential, is the operator's word alone. */
export function sender({ outbound, sealKey, limits, clock }: SenderOptions): Sender {
  const { connectMsMax, idleMsMax, headerBytesMax } = limits;
  const wholeLimits = { connectMsMax, idleMsMax, headerBytesMax, firstByteMsMax: limits.firstByteMsMax };
  const streamLimits = { ...wholeLimits, firstByteMsMax: limits.firstByteStreamMsMax };
  // By the row itself: a changed upstream is another object, so nothing has to be invalidated.
  const addresses = new WeakMap<Upstream, Partial<Record<Dialect, Address | UpstreamFailure>>>();

  return ({ upstream, upstreamModel, dialect, stream, body }) => {
    if (upstream.kind === "demo") return demoExchange({ body, model: upstreamModel }, clock);
    let known = addresses.get(upstream);
    if (known === undefined) {
      known = {};
      addresses.set(upstream, known);
    }
    known[dialect] ??= addressOf(upstream, dialect, sealKey);
    const address = known[dialect];
    if (address instanceof UpstreamFailure) return failedExchange(address);
    const request: OutboundRequest = { method: "POST", url: address.url, headers: address.headers, body };
    return outbound.send(request, stream ? streamLimits : wholeLimits);
  };
}

/** A credential is bound to the origin it was saved for: it opens for no other. */
function addressOf(upstream: Upstream, dialect: Dialect, sealKey: Uint8Array): Address | UpstreamFailure {
  if (upstream.baseUrl === null)
    return new UpstreamFailure("connect", `upstream ${upstream.name} has no address`);
  const url = new URL(upstream.baseUrl + PATHS[dialect]);
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (upstream.credential === null) return { url, headers };
  const credential = unseal(upstream.credential, { key: sealKey, boundTo: url.origin });
  if (credential === null) {
    return new UpstreamFailure(
      "connect",
      `the credential of ${upstream.name} cannot be opened with this master secret`,
    );
  }
  return { url, headers: { ...headers, authorization: `Bearer ${credential}` } };
}

/** Whether an upstream's text holds the credential it was called with, which no client may see. */
export function echoDetector(sealKey: Uint8Array): (upstream: Upstream, bytes: Buffer) => boolean {
  return ({ baseUrl, credential }, bytes) => {
    if (baseUrl === null || credential === null) return false;
    const plain = unseal(credential, { key: sealKey, boundTo: new URL(baseUrl).origin });
    return plain !== null && bytes.includes(plain);
  };
}
