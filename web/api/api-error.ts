import type { problem } from "../../src/console/contract/form.ts";

type Problem = (typeof problem)["_output"]["error"];

/** What the server says, and two that only the browser can: no network, and a connection that broke. */
export type ErrorCode = Problem["code"] | "offline" | "lost";

export type FieldProblem = { path: string; message: string };

/** Every call that fails ends as this. `message` is the server's own sentence; pages say it by `useErrorText`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterSeconds: number | null;
  readonly requestId: string | null;

  constructor(given: {
    code: ErrorCode;
    message: string;
    fields?: readonly FieldProblem[] | undefined;
    retryAfterSeconds?: number | undefined;
    requestId?: string | undefined;
  }) {
    super(given.message);
    this.name = "ApiError";
    this.code = given.code;
    this.fields = given.fields ?? [];
    this.retryAfterSeconds = given.retryAfterSeconds ?? null;
    this.requestId = given.requestId ?? null;
  }

  /** What is wrong with one field of a form. */
  field(path: string): string | undefined {
    return this.fields.find(field => field.path === path)?.message;
  }
}

/** Reads a refusal; whatever is not one in our form (a proxy's page) is told as a failure. */
export function readProblem(status: number, body: unknown): ApiError {
  const error = (body as { error?: Partial<Problem> } | null)?.error;
  if (typeof error?.code !== "string" || typeof error.message !== "string") {
    const code = status === 502 || status === 503 || status === 504 ? "unavailable" : "failed";
    return new ApiError({ code, message: `The server answered ${status}.` });
  }
  return new ApiError({
    code: error.code,
    message: error.message,
    fields: error.fields,
    retryAfterSeconds: error.retry_after_seconds,
    requestId: error.request_id,
  });
}
