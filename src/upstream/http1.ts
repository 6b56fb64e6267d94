import { addressRules } from "./address-rules.ts";
import {
  type Exchange,
  failedExchange,
  type OutboundLimits,
  type OutboundRequest,
  UpstreamFailure,
} from "./answer.ts";
import type { LookUp } from "./http1-addresses.ts";
import { Call } from "./http1-call.ts";
import { Deadlines } from "./http1-deadlines.ts";
import { Origin } from "./http1-origin.ts";
import { requestHead, requestHeadStart } from "./http1-request.ts";

export type OutboundOptions = {
  /** For each origin. */
  idleConnectionsMax: number;
  idleConnectionMsMax: number;
  /** What the kernel may receive ahead on one connection; Linux takes it twice, for its own bookkeeping. */
  receiveWindowBytes: number;
  /** Host names, domains, addresses and CIDRs of upstreams that may be at a private address. */
  privateUpstreams: readonly string[];
  /** The proxy that https upstreams are reached through, and what is reached without it. */
  httpsProxy: string | null;
  noProxy: readonly string[];
  /** Authorities to trust in place of the system's. */
  tls?: { ca: string };
  /** In place of the system's. */
  lookUp?: LookUp;
};

export type Outbound = {
  send: (request: OutboundRequest, limits: OutboundLimits) => Exchange;
  /** Closes every connection; calls under way fail. */
  close: () => void;
  stats: () => { idle: number; busy: number };
};

type Route = Pick<OutboundRequest, "method" | "headers"> & { origin: Origin; headStart: string };

/** An HTTP/1.1 client that keeps its connections, never follows a redirect and never buffers a body. */
export function outbound(options: OutboundOptions): Outbound {
  const deadlines = new Deadlines();
  const originOptions = { ...options, rules: addressRules(options.privateUpstreams) };
  const origins = new Map<string, Origin>();
  let closed = false;

  const originOf = (url: URL): Origin => {
    const name = url.origin;
    let origin = origins.get(name);
    if (origin === undefined) {
      origin = new Origin(url, originOptions, deadlines);
      origins.set(name, origin);
    }
    return origin;
  };

  // An upstream's address and headers are the same objects for every request, so they are worked out once.
  const routes = new WeakMap<URL, Route>();
  const routeOf = ({ method, url, headers }: OutboundRequest): Route => {
    const known = routes.get(url);
    if (known !== undefined && known.headers === headers && known.method === method) return known;
    const route = {
      method,
      headers,
      origin: originOf(url),
      headStart: requestHeadStart({ method, url, headers }),
    };
    routes.set(url, route);
    return route;
  };

  const send = (request: OutboundRequest, limits: OutboundLimits): Exchange => {
    if (closed) return failedExchange(new UpstreamFailure("connect", "the client is closed"));
    try {
      const { origin, headStart } = routeOf(request);
      const call = new Call(request, requestHead(headStart, request), limits);
      origin.send(call);
      return call;
    } catch (error) {
      return failedExchange(error);
    }
  };

  const close = (): void => {
    closed = true;
    for (const origin of origins.values()) origin.close();
  };

  const stats = () => {
    let idle = 0;
    for (const origin of origins.values()) idle += origin.idle;
    return { idle, busy: deadlines.size - idle };
  };

  return { send, close, stats };
}
