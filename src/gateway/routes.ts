import { arrive } from "./call.ts";
import type { Gate } from "./gate.ts";
import { preflight } from "./headers.ts";
import { describeKey } from "./key.ts";
import { listModels, oneModel } from "./models.ts";
import { serveChat } from "./pipeline.ts";
import { refuse } from "./refuse.ts";
import { wrongPath } from "./wrong-path.ts";

type Handler = (request: Request) => Response | Promise<Response>;
type Access = "key" | "open";
type Route = { path: string; method: "GET" | "POST" | "HEAD"; access: Access; handle: Handler };

/** The data plane, whole. What is not here is refused. */
export function gatewayRoutes(gate: Gate): readonly Route[] {
  return [
    {
      method: "POST",
      path: "/v1/chat/completions",
      access: "key",
      handle: request => serveChat(request, gate),
    },
    { method: "GET", path: "/v1/models", access: "key", handle: request => listModels(request, gate) },
    { method: "GET", path: "/v1/models/*", access: "key", handle: request => oneModel(request, gate) },
    { method: "GET", path: "/v1/key", access: "key", handle: request => describeKey(request, gate) },
    { method: "GET", path: "/healthz", access: "open", handle: () => new Response("ok\n") },
    { method: "GET", path: "/readyz", access: "open", handle: () => ready(gate) },
    { method: "GET", path: "/", access: "open", handle: request => welcome(request, gate) },
    { method: "HEAD", path: "/", access: "open", handle: () => new Response(null) },
    { method: "HEAD", path: "/api/hello", access: "open", handle: () => new Response(null) },
  ];
}

/** Anything else: a browser's preflight, a path that shows a wrong base URL, or nothing. */
export function elsewhere(request: Request, gate: Gate): Response {
  const { pathname } = new URL(request.url);
  if (request.method === "OPTIONS" && pathname.startsWith("/v1/")) return preflight(request);
  const { refusal, dialect } = wrongPath(pathname, gate.publicUrl(request));
  return refuse(arrive(request, dialect, gate), refusal, gate);
}

async function ready(gate: Gate): Promise<Response> {
  if (gate.isDraining()) return new Response("draining\n", { status: 503, headers: { "retry-after": "1" } });
  try {
    await gate.store.run("catalogue.revision", {});
    return new Response("ready\n");
  } catch {
    return new Response("the database does not answer\n", { status: 503, headers: { "retry-after": "1" } });
  }
}

/** Clients and people knock here first. */
function welcome(request: Request, gate: Gate): Response {
  const root = gate.publicUrl(request);
  const lines = [
    "Wicketgate, a gateway to language models.",
    "",
    `Base URL for OpenAI-style clients:   ${root}/v1`,
    `Address for messages-style clients:  ${root}`,
    "",
  ];
  return new Response(lines.join("\n"), { headers: { "content-type": "text/plain; charset=utf-8" } });
}
