import type { Operation } from "../domain/usage.ts";
import { admit, decided, knownHash } from "./admit.ts";
import { answerForm } from "./answer-form.ts";
import { authenticate } from "./authenticate.ts";
import { arrive, elapsedMs } from "./call.ts";
import { closedDoor } from "./door.ts";
import { broken } from "./endings.ts";
import { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { launch } from "./launch.ts";
import { answerOrPatience } from "./patience.ts";
import { relayRaw } from "./raw-stream.ts";
import { receive } from "./receive.ts";
import { refuse } from "./refuse.ts";
import { relayStream } from "./relay-stream.ts";
import { relayWhole } from "./relay-whole.ts";
import { resolve } from "./resolve.ts";

/** The life of a request, top to bottom. Each step is called once, and no step calls another. */
export async function serve(http: Request, operation: Operation, gate: Gate): Promise<Response> {
  const call = arrive(http, operation, gate);
  const closed = closedDoor(gate);
  if (closed !== null) return refuse(call, closed, gate);

  const presented = authenticate(http.headers, gate.lookupKey);
  if ("refusal" in presented) return refuse(call, presented.refusal, gate);

  const { read, upload } = await receive(http, operation, gate.limits);
  const { ask, way } = resolve(read, { catalogue: gate.catalogue(), operation, random: gate.random });

  const stream = "request" in read && read.request.stream;
  const keyHash = "hash" in presented ? presented.hash : await knownHash(presented.hashes, gate);
  const pending = admit({ call, keyHash, ask, stream }, gate);
  const admission = await decided(pending, call, gate);
  if (!admission.admitted) return refuse(call, admission.refusal, gate);
  if (way === null) throw new Error("admitted without a way to serve it");

  const sentAtMs = elapsedMs(call);
  const { exchange, passage } = launch({ call, way, admitted: admission, upload }, gate);
  const flight = new Flight({ call, way, admitted: admission, exchange, passage, pending, upload }, gate);
  try {
    const answer = stream ? await answerOrPatience(flight, gate) : await exchange.answer;
    const upstreamMs = elapsedMs(call) - sentAtMs;
    // Not a byte goes to the client before the hold is on the disk; the upstream was at work meanwhile.
    const saving = pending.durable();
    if (saving !== null) await saving;
    const relay = { flight, answer, upstreamMs };
    switch (answerForm(answer, { operation, model: ask.model, stream })) {
      case "events":
        return relayStream(relay, gate);
      case "bytes":
        return relayRaw(relay, gate);
      case "whole":
        return await relayWhole(relay, gate);
    }
  } catch (error) {
    return broken(flight, error, gate);
  }
}
