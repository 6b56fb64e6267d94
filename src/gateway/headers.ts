import type { Call } from "./call.ts";

/** Browser clients may read everything under /v1; no credentials of the browser are ever involved. */
const OPEN_TO_BROWSERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
};

export function commonHeaders(call: Call): Record<string, string> {
  const headers: Record<string, string> = { "x-request-id": call.id };
  if (call.dialect === "messages") headers["request-id"] = call.id;
  if (call.http.headers.has("origin") && isOpenToBrowsers(call.http))
    Object.assign(headers, OPEN_TO_BROWSERS);
  return headers;
}

/** What the gateway and the upstream each took, until the answer's head. */
export function timing(elapsedMs: number, upstreamMs: number): string {
  return `gateway;dur=${Math.max(0, elapsedMs - upstreamMs)}, upstream;dur=${upstreamMs}`;
}

function isOpenToBrowsers(request: Request): boolean {
  return new URL(request.url).pathname.startsWith("/v1/");
}

export function preflight(call: Call): Response {
  const asked = call.http.headers.get("access-control-request-headers");
  return new Response(null, {
    status: 204,
    headers: {
      ...commonHeaders(call),
      ...OPEN_TO_BROWSERS,
      "access-control-allow-methods": "GET, POST, OPTIONS",
      "access-control-allow-headers": asked ?? "authorization, x-api-key, content-type",
      "access-control-max-age": "86400",
    },
  });
}
