import { type Exchange, type OutboundLimits, type OutboundRequest, UpstreamFailure } from "./answer.ts";
import { Call } from "./http1-call.ts";
import { Deadlines } from "./http1-deadlines.ts";
import { Origin } from "./http1-origin.ts";
import { requestHead } from "./http1-request.ts";

export type OutboundOptions = {
  /** For each origin. */
  idleConnectionsMax: number;
  idleConnectionMsMax: number;
  /** What the kernel may receive ahead on one connection; Linux takes it twice, for its own bookkeeping. */
  receiveWindowBytes: number;
  /** Authorities to trust in place of the system's. */
  tls?: { ca: string };
};

export type Outbound = {
  send: (request: OutboundRequest, limits: OutboundLimits) => Exchange;
  /** Closes every connection; calls under way fail. */
  close: () => void;
  stats: () => { idle: number; busy: number };
};

/** An HTTP/1.1 client that keeps its connections, never follows a redirect and never buffers a body. */
export function outbound(options: OutboundOptions): Outbound {
  const deadlines = new Deadlines();
  const origins = new Map<string, Origin>();
  let closed = false;

  const originOf = (url: URL): Origin => {
    const name = url.origin;
    let origin = origins.get(name);
    if (origin === undefined) {
      origin = new Origin(url, options, deadlines);
      origins.set(name, origin);
    }
    return origin;
  };

  const send = (request: OutboundRequest, limits: OutboundLimits): Exchange => {
    if (closed) return refused(new UpstreamFailure("connect", "the client is closed"));
    let call: Call;
    try {
      call = new Call(request, requestHead(request), limits);
    } catch (error) {
      return refused(error);
    }
    originOf(request.url).send(call);
    return call.exchange;
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

function refused(error: unknown): Exchange {
  const answer = Promise.reject(error);
  answer.catch(() => undefined);
  return { answer, abort: () => undefined };
}
