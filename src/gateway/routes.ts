import { arrive } from "./call.ts";
import { countTokens } from "./count-request.ts";
import type { Gate } from "./gate.ts";
import { health, hello, noWebSocket, readiness, welcome } from "./greet.ts";
import { preflight } from "./headers.ts";
import { describeKey } from "./key.ts";
import { listModels, oneModel } from "./models.ts";
import { serve } from "./pipeline.ts";
import { refuse } from "./refuse.ts";
import { wrongPath } from "./wrong-path.ts";

type Handler = (request: Request) => Response | Promise<Response>;
type Access = "key" | "open";
type Route = { path: string; method: "GET" | "POST" | "HEAD"; access: Access; handle: Handler };

/** The data plane, whole. What is not here is refused. */
export function gatewayRoutes(gate: Gate): readonly Route[] {
  return [
    post("/v1/chat/completions", request => serve(request, "chat", gate)),
    post("/v1/responses", request => serve(request, "responses", gate)),
    post("/v1/messages", request => serve(request, "messages", gate)),
    post("/v1/messages/count_tokens", request => countTokens(request, gate)),
    post("/v1/completions", request => serve(request, "completions", gate)),
    post("/v1/embeddings", request => serve(request, "embeddings", gate)),
    post("/v1/images/generations", request => serve(request, "images", gate)),
    post("/v1/audio/speech", request => serve(request, "speech", gate)),
    post("/v1/audio/transcriptions", request => serve(request, "transcriptions", gate)),
    { method: "GET", path: "/v1/models", access: "key", handle: request => listModels(request, gate) },
    { method: "GET", path: "/v1/models/*", access: "key", handle: request => oneModel(request, gate) },
    { method: "GET", path: "/v1/key", access: "key", handle: request => describeKey(request, gate) },
    { method: "GET", path: "/healthz", access: "open", handle: request => health(request, gate) },
    { method: "GET", path: "/readyz", access: "open", handle: request => readiness(request, gate) },
    { method: "GET", path: "/metrics", access: "open", handle: request => metrics(request, gate) },
    { method: "GET", path: "/", access: "open", handle: request => welcome(request, gate) },
    { method: "HEAD", path: "/", access: "open", handle: request => hello(request, gate) },
    { method: "HEAD", path: "/api/hello", access: "open", handle: request => hello(request, gate) },
  ];
}

function post(path: string, handle: Handler): Route {
  return { method: "POST", path, access: "key", handle };
}

/** Whoever may not read them is told nothing of them. */
function metrics(request: Request, gate: Gate): Response {
  return gate.metrics.page(request) ?? elsewhere(request, gate);
}

/** Anything else: a browser's preflight, a path that shows a wrong base URL, or nothing. */
export function elsewhere(request: Request, gate: Gate): Response {
  const { pathname } = new URL(request.url);
  if (request.method === "OPTIONS" && pathname.startsWith("/v1/"))
    return preflight(arrive(request, "chat", gate));
  if (pathname === "/v1/responses" && request.headers.has("upgrade")) return noWebSocket(request, gate);
  const { refusal, dialect } = wrongPath(pathname, gate.publicUrl(request));
  return refuse(arrive(request, dialect, gate), refusal, gate);
}
