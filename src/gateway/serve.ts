import type { Server } from "bun";
import { refusal } from "../domain/errors.ts";
import { arrive } from "./call.ts";
import type { Gate } from "./gate.ts";
import { refuse } from "./refuse.ts";
import { elsewhere, gatewayRoutes } from "./routes.ts";

/** Between requests, and while a request's head and body trickle in. */
export const IDLE_SECONDS_MAX = 60;
/** The server's own bound would refuse without a word and without a record, so it stays out of the way of ours. */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

type Handler = (request: Request) => Response | Promise<Response>;
type Handlers = Record<string, Handler>;

export type Listen = {
  host: string;
  port: number;
  /** Beside another process, which has agreed to it. Otherwise two gateways could share one port unnoticed. */
  isShared: boolean;
};

export function serveRoutes(gate: Gate, address: Listen): Server<undefined> {
  const routes: Record<string, Handlers> = {};
  for (const { path, method, handle } of gatewayRoutes(gate)) {
    routes[path] = { ...routes[path], [method]: closing(handle, gate) };
  }
  const inside = closing(gate.console, gate);
  return Bun.serve({
    hostname: address.host,
    port: address.port,
    idleTimeout: IDLE_SECONDS_MAX,
    maxRequestBodySize: BODY_BYTES_MAX,
    development: false,
    reusePort: address.isShared,
    routes: { ...routes, "/console": inside, "/console/*": inside },
    fetch: closing(request => elsewhere(request, gate), gate),
    error: error => {
      gate.log("error", "request.broken", { why: error.message });
      const request = new Request("http://gateway.invalid/");
      return refuse(arrive(request, "chat", gate), refusal("gateway_failed"), gate);
    },
  });
}

/** Whoever keeps a connection to a process that is about to leave should make the next one to another. */
function closing(handle: Handler, gate: Gate): Handler {
  return request => (gate.isLeaving() ? lastOn(handle(request)) : handle(request));
}

async function lastOn(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set("connection", "close");
  return response;
}
