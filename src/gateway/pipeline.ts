import type { Operation } from "../domain/usage.ts";
import { admit, knownHash, noteDecision } from "./admit.ts";
import { attempt } from "./attempt.ts";
import { authenticate } from "./authenticate.ts";
import { arrive } from "./call.ts";
import { closedDoor } from "./door.ts";
import { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { receive } from "./receive.ts";
import { refuse } from "./refuse.ts";
import { resolve } from "./resolve.ts";

/** The life of a request, top to bottom. Each step is called once, and no step calls another. */
export async function serve(http: Request, operation: Operation, gate: Gate): Promise<Response> {
  const call = arrive(http, operation, gate);
  const closed = closedDoor(gate);
  if (closed !== null) return refuse(call, closed, gate);

  const presented = authenticate(http.headers, gate.lookupKey);
  if ("refusal" in presented) return refuse(call, presented.refusal, gate);

  const read = await receive(http, operation, gate.limits);
  const keyHash = "hash" in presented ? presented.hash : await knownHash(presented.hashes, gate);
  const { ask, way } = resolve(read, { operation, keyHash }, gate);

  const stream = "request" in read && read.request.stream;
  const pending = admit({ call, keyHash, ask, stream }, gate);
  const admission = await pending.decided;
  noteDecision(admission, { pending, call }, gate);
  if (!admission.admitted) return refuse(call, admission.refusal, gate);
  if (way === null) throw new Error("admitted without a way to serve it");

  const flight = new Flight({ call, way, admitted: admission, pending, upload: read.upload }, gate);
  let response = await attempt(flight, gate);
  // Nothing has gone to the client yet, and another upstream can be asked.
  while (response === null) response = await attempt(flight, gate);
  return response;
}
