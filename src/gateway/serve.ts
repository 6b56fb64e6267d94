import type { Server } from "bun";
import { refusal } from "../domain/errors.ts";
import { arrive } from "./call.ts";
import type { Gate } from "./gate.ts";
import { refuse } from "./refuse.ts";
import { elsewhere, gatewayRoutes } from "./routes.ts";

/** Between requests, and while a request's head and body trickle in. */
const IDLE_SECONDS_MAX = 60;
/** The server's own bound lies above ours, so that ours can answer in words. */
const BODY_SLACK_BYTES = 1024 * 1024;

type Handlers = Record<string, (request: Request) => Response | Promise<Response>>;

export function serveRoutes(gate: Gate, address: { host: string; port: number }): Server<undefined> {
  const routes: Record<string, Handlers> = {};
  for (const { path, method, handle } of gatewayRoutes(gate)) {
    routes[path] = { ...routes[path], [method]: handle };
  }
  return Bun.serve({
    hostname: address.host,
    port: address.port,
    idleTimeout: IDLE_SECONDS_MAX,
    maxRequestBodySize: gate.limits.bodyBytesMax + BODY_SLACK_BYTES,
    development: false,
    routes,
    fetch: request => elsewhere(request, gate),
    error: error => {
      gate.log("error", "request.broken", { why: error.message });
      const request = new Request("http://gateway.invalid/");
      return refuse(arrive(request, "chat", gate), refusal("store_unavailable"), gate);
    },
  });
}
