import { type Answer, type Exchange, type OutboundRequest, UpstreamFailure } from "./answer.ts";

/** An exchange whose request is not ready yet. Given up before that, it is never sent. */
export function signedExchange(
  ready: Promise<OutboundRequest>,
  send: (request: OutboundRequest) => Exchange,
): Exchange {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  // Whoever waits for it hears of it; nobody has to.
  promise.catch(() => undefined);
  let under: Exchange | null = null;
  let isOver = false;
  ready.then(request => {
    if (isOver) return;
    under = send(request);
    under.answer.then(resolve, reject);
  }, reject);
  const abort = () => {
    isOver = true;
    if (under === null) reject(new UpstreamFailure("cut", "aborted"));
    else under.abort();
  };
  return { answer: promise, abort };
}

export function reframedExchange(exchange: Exchange, reframe: (answer: Answer) => Answer): Exchange {
  const answer = exchange.answer.then(reframe);
  answer.catch(() => undefined);
  return { answer, abort: () => exchange.abort() };
}
