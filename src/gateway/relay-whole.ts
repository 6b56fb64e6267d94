import { refusal } from "../domain/errors.ts";
import { scanObject, spliceFields } from "../protocols/json-object.ts";
import { readChatUsage } from "../protocols/openai-chat/read-usage.ts";
import type { Answer, UpstreamFailure } from "../upstream/answer.ts";
import { fail, stopped } from "./endings.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { commonHeaders, timing } from "./headers.ts";
import { failureRefusal, judge } from "./judge.ts";
import type { Stop } from "./running.ts";

type Collected = { bytes: Buffer } | { failure: UpstreamFailure } | { tooLarge: true } | { stop: Stop };

/** An answer in one piece: read whole, metered, settled, and then given on as it came. */
export async function relayWhole(
  flight: Flight,
  answer: Answer,
  gate: Gate,
  upstreamMs: number,
): Promise<Response> {
  const { call, way } = flight;
  const collected = await collect(flight, answer, gate.limits.answerBytesMax);
  if ("stop" in collected) return stopped(flight, collected.stop, gate);
  if ("tooLarge" in collected)
    return fail(flight, refusal("upstream_failed", { model: way.request.model }), gate);
  if ("failure" in collected) {
    gate.log("warn", "upstream.failed", {
      request: call.id,
      upstream: way.upstream.name,
      why: collected.failure.message,
    });
    return fail(flight, failureRefusal(collected.failure, way.request.model), gate);
  }
  const { bytes } = collected;
  const headers = {
    ...commonHeaders(call),
    "content-type": answer.headers.get("content-type") ?? "application/json",
    "server-timing": timing(call, upstreamMs),
  };
  const verdict = judge(answer, way.request.model);
  if (verdict.kind === "failed") {
    gate.log("warn", "upstream.refused", {
      request: call.id,
      upstream: way.upstream.name,
      status: answer.status,
    });
    return fail(flight, verdict.refusal, gate);
  }
  if (verdict.kind === "clients-fault") {
    const { status } = answer;
    flight.void({ status, reason: "request_invalid" });
    return new Response(bytes, { status, headers });
  }
  const body = parse(bytes);
  if (body === null || body["error"] !== undefined) {
    gate.log("warn", "upstream.not_an_answer", {
      request: call.id,
      upstream: way.upstream.name,
      status: answer.status,
    });
    return fail(flight, refusal("upstream_failed", { model: way.request.model }), gate);
  }
  const read = readChatUsage(body["usage"]);
  const bad = read === null && typeof body["usage"] === "object" && body["usage"] !== null;
  flight.firstByte();
  flight.settle({
    status: answer.status,
    reason: null,
    usage: { reported: read, bad },
    contentBytes: bytes.length,
  });
  return new Response(renamed(flight, bytes), {
    status: answer.status,
    headers: { ...headers, ...grantHeader(flight) },
  });
}

/** Says so where the pocket affords less than was asked. */
export function grantHeader({ way, admitted }: Flight): Record<string, string> {
  const { outputTokens } = admitted;
  const asked = way.request.outputTokensAsked;
  const lowered = asked === null ? false : outputTokens < asked * way.request.choices;
  return lowered ? { "x-wicketgate-max-tokens": String(outputTokens) } : {};
}

function collect(flight: Flight, answer: Answer, bytesMax: number): Promise<Collected> {
  return new Promise(resolve => {
    const parts: Uint8Array[] = [];
    let size = 0;
    flight.onStop = stop => {
      answer.abort();
      resolve({ stop });
    };
    if (flight.stopped !== null) return flight.onStop(flight.stopped);
    answer.read({
      onBytes: bytes => {
        size += bytes.length;
        if (size > bytesMax) {
          answer.abort();
          resolve({ tooLarge: true });
        } else parts.push(bytes);
      },
      onEnd: () => resolve({ bytes: joined(parts) }),
      onFailure: failure => resolve({ failure }),
    });
  });
}

function joined(parts: Uint8Array[]): Buffer {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined)
    return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
  return Buffer.concat(parts);
}

function parse(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The client reads the name it asked for, where the upstream knows the model by another. */
function renamed({ way }: Flight, bytes: Buffer): Uint8Array<ArrayBuffer> {
  const plain = bytes as Uint8Array<ArrayBuffer>;
  if (way.upstreamModel === way.request.model) return plain;
  const scan = scanObject(bytes, Number.MAX_SAFE_INTEGER);
  if (!scan.fields.some(field => field.name === "model")) return plain;
  return spliceFields(bytes, scan, new Map([["model", JSON.stringify(way.request.model)]]));
}
