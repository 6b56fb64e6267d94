import type { Server } from "bun";
import { refusal } from "../domain/errors.ts";
import { arrive } from "./call.ts";
import type { Gate } from "./gate.ts";
import { refuse } from "./refuse.ts";
import { elsewhere, gatewayRoutes } from "./routes.ts";

/** Between requests, and while a request's head and body trickle in. */
const IDLE_SECONDS_MAX = 60;
/** The server's own bound would refuse without a word and without a record, so it stays out of the way of ours. */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

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
    maxRequestBodySize: BODY_BYTES_MAX,
    development: false,
    // Otherwise two gateways with different data could share one port unnoticed.
    reusePort: false,
    routes,
    fetch: request => elsewhere(request, gate),
    error: error => {
      gate.log("error", "request.broken", { why: error.message });
      const request = new Request("http://gateway.invalid/");
      return refuse(arrive(request, "chat", gate), refusal("gateway_failed"), gate);
    },
  });
}
