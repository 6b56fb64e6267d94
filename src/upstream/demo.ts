import { type Answer, type Exchange, UpstreamFailure } from "./answer.ts";
import { writeChat, writeChatError } from "./demo-chat.ts";
import { readChat } from "./demo-chat-request.ts";
import { isObject, type JsonObject } from "./demo-json.ts";
import { digest, planDemo } from "./demo-plan.ts";
import { type DemoScore, playAnswer } from "./demo-play.ts";
import { type DemoRefusal, type DemoSettings, readSettings } from "./demo-settings.ts";

export type DemoRequest = { body: Uint8Array; model: string };

/** The built-in upstream: no network, and the same answer to the same request at the same time. */
export function demoExchange(request: DemoRequest, source: { nowMs(): number }): Exchange {
  const body = parseBody(request.body);
  const read = readSettings({ model: request.model, body: body ?? {} });
  if ("refusal" in read) return exchangeOf(refusalScore(read.refusal), 0);
  const { settings } = read;
  return exchangeOf(scoreOf({ request, body, settings, nowMs: source.nowMs() }), settings.firstMs);
}

function parseBody(bytes: Uint8Array): JsonObject | null {
  try {
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}

function scoreOf(asked: {
  request: DemoRequest;
  body: JsonObject | null;
  settings: DemoSettings;
  nowMs: number;
}): DemoScore {
  const { request, body, settings, nowMs } = asked;
  if (settings.failStatus !== null) {
    const message = `The demo model was asked to fail with status ${settings.failStatus}.`;
    return refusalScore({ status: settings.failStatus, message, param: null }, "demo_failure");
  }
  if (body === null) {
    return refusalScore({
      status: 400,
      message: "The body of the request is not a JSON object.",
      param: null,
    });
  }
  const chat = readChat(body);
  if ("refusal" in chat) return refusalScore(chat.refusal);
  const head = {
    id: `chatcmpl-${digest(`${digest(request.body)}/${request.model}/${nowMs}`)}`,
    createdSeconds: Math.floor(nowMs / 1_000),
    model: request.model,
  };
  return {
    status: 200,
    contentType: chat.delivery.stream ? "text/event-stream" : "application/json",
    frames: writeChat(planDemo(chat.ask, settings), { head, delivery: chat.delivery }),
    framesApart: chat.delivery.stream,
    delayMs: settings.delayMs,
    cutAfter: settings.cutAfter,
  };
}

function refusalScore(refusal: DemoRefusal, code: string | null = null): DemoScore {
  return {
    status: refusal.status,
    contentType: "application/json",
    frames: writeChatError({ ...refusal, code }),
    framesApart: false,
    delayMs: 0,
    cutAfter: null,
  };
}

function exchangeOf(score: DemoScore, firstMs: number): Exchange {
  const played = playAnswer(score);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  // Whoever aborts may no longer be waiting; the rejection must not bring the process down.
  promise.catch(() => {});
  const timer = firstMs > 0 ? setTimeout(() => resolve(played), firstMs) : null;
  if (timer === null) resolve(played);
  const abort = () => {
    if (timer !== null) clearTimeout(timer);
    played.abort();
    reject(new UpstreamFailure("cut", "aborted before the demo began to answer"));
  };
  return { answer: promise, abort };
}
