import { ApiError, readProblem } from "./api-error.ts";
import { callHooks } from "./call.ts";
import { addressOf, type Body, type Name, type Query } from "./client.ts";

type Given<N extends Name> = { query?: Query<N>; body?: Body<N>; signal?: AbortSignal };

async function send<N extends Name>(name: N, { query, body, signal }: Given<N>): Promise<Response> {
  const init: RequestInit = { credentials: "same-origin", cache: "no-store" };
  if (signal !== undefined) init.signal = signal;
  if (body !== undefined) {
    init.method = name.slice(0, name.indexOf(" "));
    init.headers = { "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const asked = query as Record<string, unknown> | undefined;
  try {
    return await fetch(addressOf(name, asked === undefined ? {} : { query: asked }), init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError({
      code: navigator.onLine ? "lost" : "offline",
      message: "The server could not be reached.",
    });
  }
}

/**
 * An answer as it comes: a file that is too long to be had at once, or what the gateway answers, its refusals too.
 * Fails with an ApiError.
 */
export async function openStream<N extends Name>(name: N, given: Given<N>): Promise<Response> {
  const isGood = (response: Response) => response.ok || response.headers.get("x-answered-by") === "gateway";
  const problemOf = async (response: Response) =>
    readProblem(response.status, await response.json().catch(() => null));
  const response = await send(name, given);
  if (isGood(response)) return response;
  const problem = await problemOf(response);
  if (problem.code === "not_signed_in") callHooks.onSignedOut();
  if (problem.code !== "recent_sign_in_needed" || !(await callHooks.confirmIdentity())) throw problem;
  const second = await send(name, given);
  if (isGood(second)) return second;
  throw await problemOf(second);
}
