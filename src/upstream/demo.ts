import { type Answer, type Exchange, UpstreamFailure } from "./answer.ts";
import { answerChat } from "./demo-chat.ts";
import { answerCompletions } from "./demo-completions.ts";
import { answerCount } from "./demo-count.ts";
import { answerEmbeddings } from "./demo-embeddings.ts";
import { type DemoFailure, writeError } from "./demo-error.ts";
import { readForm } from "./demo-form.ts";
import { answerImages } from "./demo-images.ts";
import { isObject, type JsonObject } from "./demo-json.ts";
import { answerMessages } from "./demo-messages.ts";
import { digest } from "./demo-plan.ts";
import { type DemoScore, playAnswer } from "./demo-play.ts";
import { answerResponses } from "./demo-responses.ts";
import { type DemoSettings, readSettings } from "./demo-settings.ts";
import { answerSpeech } from "./demo-speech.ts";
import type { DemoFile, DemoPath, DemoReply, DemoTask } from "./demo-task.ts";
import { answerTranscriptions } from "./demo-transcriptions.ts";

export type { DemoPath } from "./demo-task.ts";

export type DemoRequest = {
  body: Uint8Array;
  model: string;
  /** Chat where it is not said. */
  path?: DemoPath;
  /** For a form: it names what stands between the fields. */
  contentType?: string | null;
};

const PATHS: Readonly<Record<DemoPath, (task: DemoTask) => DemoReply>> = {
  chat: answerChat,
  messages: answerMessages,
  responses: answerResponses,
  count_tokens: answerCount,
  embeddings: answerEmbeddings,
  completions: answerCompletions,
  images: answerImages,
  speech: answerSpeech,
  transcriptions: answerTranscriptions,
};

/** The built-in upstream: no network, and the same answer to the same request at the same time. */
export function demoExchange(request: DemoRequest, source: { nowMs(): number }): Exchange {
  const path = request.path ?? "chat";
  const content = path === "transcriptions" ? readForm(request) : readJson(request.body);
  const read = readSettings({ model: request.model, body: content?.body ?? {} });
  if ("refusal" in read) return exchangeOf(errorScore({ ...read.refusal, code: null }, path), 0);
  const { settings } = read;
  return exchangeOf(scoreOf({ request, content, settings, nowMs: source.nowMs() }), settings.firstMs);
}

type Content = { body: JsonObject; file: DemoFile | null };

function readJson(bytes: Uint8Array): Content | null {
  try {
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(body) ? { body, file: null } : null;
  } catch {
    return null;
  }
}

function scoreOf(asked: {
  request: DemoRequest;
  content: Content | null;
  settings: DemoSettings;
  nowMs: number;
}): DemoScore {
  const { request, content, settings, nowMs } = asked;
  const { model, path = "chat" } = request;
  if (settings.failStatus !== null) {
    const message = `The demo model was asked to fail with status ${settings.failStatus}.`;
    return errorScore({ status: settings.failStatus, message, param: null, code: "demo_failure" }, path);
  }
  if (content === null) {
    const form = path === "transcriptions" ? "a form of parts" : "a JSON object";
    const message = `The body of the request is not ${form}.`;
    return errorScore({ status: 400, message, param: null, code: null }, path);
  }
  const reply = PATHS[path]({
    ...content,
    settings,
    model,
    createdSeconds: Math.floor(nowMs / 1_000),
    digest: digest(`${digest(request.body)}/${model}/${nowMs}`),
  });
  if ("refusal" in reply) return errorScore({ code: null, ...reply.refusal }, path);
  return { status: 200, ...reply, delayMs: settings.delayMs, cutAfter: settings.cutAfter };
}

function errorScore(failure: DemoFailure, path: DemoPath): DemoScore {
  return {
    status: failure.status,
    contentType: "application/json",
    frames: writeError(failure, path),
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
