import { catalogue, fill, type Refusal, refusal } from "../domain/errors.ts";
import { groupHasModel } from "../domain/group.ts";
import type { Dialect } from "../domain/usage.ts";
import type { Call } from "./call.ts";
import type { Gate } from "./gate.ts";
import { commonHeaders } from "./headers.ts";

const FINAL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 413]);
const TOO_LARGE = 413;
const RETRY_SECONDS = 1;
const MODELS_NAMED_MAX = 50;

export type Rendered = { status: number; message: string; body: Record<string, unknown> };

/** A refusal in the caller's dialect. */
export function render(refused: Refusal, about: { dialect: Dialect; requestId: string }): Rendered {
  const entry = catalogue[refused.reason];
  const params = { seconds: RETRY_SECONDS, ...refused.params };
  const explained = { reason: refused.reason, cause: entry.cause, remedy: fill(entry.remedy, params) };
  const message = fill(entry.message, params);
  if (about.dialect === "messages") {
    const error = { type: entry.messages.type, message, ...explained };
    const body = { type: "error", error, request_id: about.requestId };
    return { status: entry.messages.status ?? entry.status, message, body };
  }
  const param = refused.params["param"];
  const error = {
    message,
    type: entry.openai.type,
    code: entry.openai.code,
    param: param === undefined || param === "" ? null : param,
    ...explained,
    request_id: about.requestId,
  };
  return { status: entry.status, message, body: { error } };
}

export function refuse(call: Call, refused: Refusal, gate: Gate): Response {
  // One that was admitted is counted at its end.
  if (!call.isAdmitted) gate.metrics.refused(refused.reason);
  const told = withModels(refused, gate);
  const { status, body } = render(told, { dialect: call.dialect, requestId: call.id });
  const forced = told.params["status"];
  const finalStatus = typeof forced === "number" ? forced : status;
  const headers = {
    ...commonHeaders(call),
    "content-type": "application/json",
    ...adviceHeaders(told, finalStatus),
    ...(mayStillArrive(call, finalStatus) ? { connection: "close" } : {}),
  };
  return new Response(JSON.stringify(body), { status: finalStatus, headers });
}

/** A body that nobody is going to read would keep its connection, and with it the gateway when it is to stop. */
function mayStillArrive({ operation }: Call, status: number): boolean {
  return status === TOO_LARGE || operation === "transcriptions";
}

/** What the client's own retry logic should know. */
function adviceHeaders(refused: Refusal, status: number): Record<string, string> {
  if (FINAL_STATUSES.has(status)) return { "x-should-retry": "false" };
  if (status !== 429 && status !== 503 && status !== 529) return {};
  const seconds = String(refused.params["seconds"] ?? RETRY_SECONDS);
  if (status !== 429) return { "retry-after": seconds };
  const what = refused.params["what"] ?? "requests";
  return {
    "retry-after": seconds,
    [`x-ratelimit-limit-${what}`]: String(refused.params["limit"] ?? 0),
    [`x-ratelimit-remaining-${what}`]: "0",
    [`x-ratelimit-reset-${what}`]: `${seconds}s`,
  };
}

/** The names a person can enter, rather than the patterns the operator wrote. */
export function withModels(refused: Refusal, gate: Pick<Gate, "catalogue">): Refusal {
  if (refused.reason !== "model_not_in_group") return refused;
  const { groups, models } = gate.catalogue();
  const group = [...groups.values()].find(({ name }) => name === refused.params["group"]);
  if (group === undefined) return refused;
  const names = [...models.keys()].filter(name => groupHasModel(group, name));
  const shown = names.slice(0, MODELS_NAMED_MAX).join(", ");
  const more = names.length > MODELS_NAMED_MAX ? ` and ${names.length - MODELS_NAMED_MAX} more` : "";
  return refusal("model_not_in_group", {
    ...refused.params,
    models: names.length === 0 ? "no models yet" : shown + more,
  });
}
