import type { Log } from "../../domain/log.ts";
import { StoreFailure, StoreProblem } from "../../store/store.ts";
import { ConsoleProblem, type ProblemCode } from "./problem.ts";

const STATUS: Record<ProblemCode, number> = {
  invalid: 400,
  not_signed_in: 401,
  recent_sign_in_needed: 403,
  not_allowed: 403,
  cross_site: 403,
  wrong_sign_in: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  link_invalid: 410,
  too_large: 413,
  unsupported_media_type: 415,
  throttled: 429,
  failed: 500,
  unavailable: 503,
};

const WHY_CHARACTERS_MAX = 500;
const RETRY_SECONDS = 5;

/** Whatever a call ended in, as a refusal that its caller can act on. */
export function problemAnswer(error: unknown, { requestId, log }: { requestId: string; log: Log }): Response {
  const problem = asProblem(error);
  if (problem.code === "failed" || (problem.code === "unavailable" && error instanceof StoreFailure)) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : "something that is no error";
    log("error", `console.${problem.code}`, { request: requestId, why: why.slice(0, WHY_CHARACTERS_MAX) });
  }
  const { code, message, fields, retryAfterSeconds: seconds } = problem;
  const told = {
    code,
    message,
    ...(fields === undefined ? {} : { fields }),
    ...(seconds === undefined ? {} : { retry_after_seconds: seconds }),
    request_id: requestId,
  };
  const headers: Record<string, string> = {
    ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    // A body that nobody reads to its end would keep its connection.
    ...(code === "too_large" ? { connection: "close" } : {}),
  };
  return Response.json({ error: told }, { status: STATUS[code], headers });
}

function asProblem(error: unknown): ConsoleProblem {
  if (error instanceof ConsoleProblem) return error;
  if (error instanceof StoreProblem) {
    const { message, field } = error;
    return new ConsoleProblem(
      "conflict",
      message,
      field === null ? {} : { fields: [{ path: field, message }] },
    );
  }
  if (error instanceof StoreFailure) {
    return new ConsoleProblem("unavailable", "The database does not answer; try again in a moment.", {
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
  return new ConsoleProblem(
    "failed",
    "Something went wrong here. Try again; if it stays so, give the operator the request id.",
  );
}
