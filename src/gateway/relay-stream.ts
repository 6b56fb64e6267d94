import { type Refusal, refusal } from "../domain/errors.ts";
import { chatTap } from "../protocols/openai-chat/tap.ts";
import type { Answer } from "../upstream/answer.ts";
import { type DirectSink, directStream } from "./direct-stream.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { commonHeaders, timing } from "./headers.ts";
import { failureRefusal } from "./judge.ts";
import { render } from "./refuse.ts";
import { grantHeader } from "./relay-whole.ts";

const KEEP_ALIVE = Buffer.from(": keep-alive\n\n");
const KEEP_ALIVE_MS = 15_000;
const CHECKPOINT_MS = 2_000;
/** How long an upstream may take to close after its last word before its connection is given up. */
const CLOSING_MS_MAX = 1_000;

/** An answer as it comes: bytes go on as they arrive, a stalled reader pauses the upstream, every end is settled. */
export function relayStream(flight: Flight, answer: Answer, gate: Gate, upstreamMs: number): Response {
  const { call } = flight;
  const body = directStream(
    sink => new Promise(resolve => pump({ flight, answer, gate, sink, done: resolve })),
  );
  return new Response(body, {
    status: 200,
    headers: {
      ...commonHeaders(call),
      ...grantHeader(flight),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "server-timing": timing(call, upstreamMs),
    },
  });
}

type Pump = { flight: Flight; answer: Answer; gate: Gate; sink: DirectSink; done: () => void };

function pump({ flight, answer, gate, sink, done }: Pump): void {
  const { call, way } = flight;
  const { request } = way;
  const tap = chatTap({
    passUsage: request.wantsUsage,
    renameTo: way.upstreamModel === request.model ? null : request.model,
    eventBytesMax: gate.limits.eventBytesMax,
  });
  let over = false;
  let stalled = false;
  let wroteAtMs = gate.nowMs();
  let checkpointAtMs = wroteAtMs;

  function write(bytes: Uint8Array): void {
    const written = sink.write(bytes);
    sink.flush();
    if (!(written instanceof Promise)) return;
    // The client reads slower than the upstream writes: hold the upstream back until it has caught up.
    stalled = true;
    answer.pause();
    const resume = () => {
      stalled = false;
      answer.resume();
    };
    written.then(resume, resume);
  }

  function finish(end: { status: number; reason: string | null }): void {
    if (over) return;
    over = true;
    const { usage: reported, bad } = tap.reported();
    flight.settle({ ...end, usage: { reported, bad }, contentBytes: tap.contentBytes() });
    sink.close();
    done();
  }

  function finishWith(refused: Refusal): void {
    if (over) return;
    const { body, status } = render(refused, { dialect: call.dialect, requestId: call.id });
    if (!stalled) write(Buffer.from(`data: ${JSON.stringify(body)}\n\n`));
    finish({ status, reason: refused.reason });
  }

  flight.onStop = stop => {
    answer.abort();
    if (stop.kind === "left") finish({ status: 499, reason: "client_left" });
    else finishWith(stop.refusal);
  };
  flight.onTick = nowMs => {
    if (!stalled && nowMs - wroteAtMs >= KEEP_ALIVE_MS) {
      wroteAtMs = nowMs;
      write(KEEP_ALIVE);
    }
    if (nowMs - checkpointAtMs < CHECKPOINT_MS) return;
    checkpointAtMs = nowMs;
    flight.checkpoint(tap.contentBytes());
  };
  const already = flight.stopped();
  if (already !== null) {
    flight.onStop(already);
    return;
  }

  answer.read({
    onBytes: bytes => {
      const passing = tap.feed(bytes);
      if (passing !== null && !over) {
        flight.firstByte();
        wroteAtMs = gate.nowMs();
        write(passing);
      }
      if (tap.ended() && !over) {
        finish({ status: 200, reason: null });
        setTimeout(() => answer.abort(), CLOSING_MS_MAX).unref();
      } else if (tap.overlong()) {
        answer.abort();
        finishWith(refusal("upstream_failed", { model: request.model }));
      }
    },
    onEnd: () => {
      const rest = tap.rest();
      if (rest !== null && !over) write(rest);
      finish({ status: 200, reason: null });
    },
    onFailure: failure => {
      if (over) return;
      gate.log("warn", "upstream.cut", {
        request: call.id,
        upstream: way.upstream.name,
        why: failure.message,
      });
      finishWith(failureRefusal(failure, request.model));
    },
  });
}
