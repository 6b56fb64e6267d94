import { refusal } from "../domain/errors.ts";
import type { Dialect } from "../domain/usage.ts";
import { readChatRequest, writeChatRequest } from "../protocols/openai-chat/read-request.ts";
import { UpstreamFailure } from "../upstream/answer.ts";
import { admit } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { readBody } from "./body.ts";
import { arrive, elapsedMs } from "./call.ts";
import { type Flight, fly } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { failureRefusal, judge } from "./judge.ts";
import { refuse } from "./refuse.ts";
import { relayStream } from "./relay-stream.ts";
import { fail, relayWhole, stopped } from "./relay-whole.ts";
import { resolve } from "./resolve.ts";

/** The life of a request, top to bottom. Each step is called once, and no step calls another. */
export async function serveChat(http: Request, gate: Gate): Promise<Response> {
  const dialect: Dialect = "chat";
  const call = arrive(http, dialect, gate);
  const closed = turnedAway(gate);
  if (closed !== null) return refuse(call, closed, gate);

  const presented = authenticate(http.headers, gate.lookupKey);
  if ("refusal" in presented) return refuse(call, presented.refusal, gate);

  gate.keepOpen(http);
  const body = await readBody(http, gate.limits.bodyBytesMax);
  const read = "refusal" in body ? { refusal: body.refusal, model: "" } : readChatRequest(body.bytes);
  const { ask, way } = resolve(read, { catalogue: gate.catalogue(), dialect, random: gate.random });

  const stream = "request" in read && read.request.stream;
  const { admission, durable } = await admit({ call, hashes: presented.hashes, ask, stream }, gate);
  if (!admission.admitted) return refuse(call, admission.refusal, gate);
  if (way === null) throw new Error("admitted without a way to serve it");

  const outputTokens = perChoice(admission.outputTokens, ask.quote?.outputTokens ?? 0, way.request.choices);
  const sentBody = writeChatRequest(way.request, { upstreamModel: way.upstreamModel, outputTokens });
  const sentAtMs = elapsedMs(call);
  const exchange = gate.send({ ...way, dialect, stream, body: sentBody });
  const flight = fly({ call, way, admitted: admission, exchange }, gate);
  try {
    const answer = await exchange.answer;
    const upstreamMs = elapsedMs(call) - sentAtMs;
    // Not a byte goes to the client before the hold is on the disk; the upstream was at work meanwhile.
    await durable;
    const streams = stream && judge(answer, ask.model).kind === "good" && isEventStream(answer.headers);
    return streams
      ? relayStream(flight, answer, gate, upstreamMs)
      : await relayWhole(flight, answer, gate, upstreamMs);
  } catch (error) {
    return failed(flight, error, gate);
  }
}

function turnedAway(gate: Gate) {
  if (gate.isDraining()) return refusal("draining");
  const limit = gate.limits.requestsInFlightMax;
  return gate.running.count() >= limit ? refusal("gateway_overloaded", { limit }) : null;
}

/** Null leaves the client's own limit as it is. */
function perChoice(granted: number, asked: number, choices: number): number | null {
  return granted < asked ? Math.max(1, Math.floor(granted / choices)) : null;
}

function isEventStream(headers: ReadonlyMap<string, string>): boolean {
  return (headers.get("content-type") ?? "").toLowerCase().startsWith("text/event-stream");
}

function failed(flight: Flight, error: unknown, gate: Gate): Response {
  const { call, way } = flight;
  const stop = flight.stopped();
  if (stop !== null) return stopped(flight, stop, gate);
  flight.exchange.abort();
  if (error instanceof UpstreamFailure) {
    gate.log("warn", "upstream.failed", {
      request: call.id,
      upstream: way.upstream.name,
      why: error.message,
    });
    return fail(flight, failureRefusal(error, way.request.model), gate);
  }
  gate.log("error", "request.failed", {
    request: call.id,
    why: error instanceof Error ? error.message : String(error),
  });
  return fail(flight, refusal("store_unavailable"), gate);
}
