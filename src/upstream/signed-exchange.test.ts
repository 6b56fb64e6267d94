import { describe, expect, test } from "bun:test";
import { type Exchange, failedExchange, type OutboundRequest, UpstreamFailure } from "./answer.ts";
import { signedExchange } from "./signed-exchange.ts";

const REQUEST: OutboundRequest = {
  method: "POST",
  url: new URL("https://a.example"),
  headers: {},
  body: null,
};

function rig() {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundRequest>();
  const sent: OutboundRequest[] = [];
  let aborts = 0;
  const under: Exchange = { answer: new Promise(() => {}), abort: () => (aborts += 1) };
  const exchange = signedExchange(promise, request => {
    sent.push(request);
    return under;
  });
  return { exchange, resolve, reject, sent, aborts: () => aborts };
}

describe("an exchange that has to be signed", () => {
  test("is sent when it is ready, and can be given up from then on", async () => {
    const { exchange, resolve, sent, aborts } = rig();
    resolve(REQUEST);
    await Bun.sleep(0);
    expect(sent).toEqual([REQUEST]);
    exchange.abort();
    expect(aborts()).toBe(1);
  });

  test("is never sent where it was given up before, and says so at once", async () => {
    const { exchange, resolve, sent } = rig();
    exchange.abort();
    expect(await exchange.answer.catch(error => error)).toBeInstanceOf(UpstreamFailure);
    resolve(REQUEST);
    await Bun.sleep(0);
    expect(sent).toEqual([]);
  });

  test("fails as its signature fails, and as its call fails", async () => {
    const { exchange, reject } = rig();
    reject(new UpstreamFailure("connect", "no token"));
    expect(String(await exchange.answer.catch(error => error))).toContain("no token");
    const call = signedExchange(Promise.resolve(REQUEST), () =>
      failedExchange(new UpstreamFailure("cut", "gone")),
    );
    expect(String(await call.answer.catch(error => error))).toContain("gone");
  });
});
