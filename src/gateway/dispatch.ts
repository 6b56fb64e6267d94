import type { Gate } from "./gate.ts";
import { elsewhere, gatewayRoutes } from "./routes.ts";

/** Serves a request that was made within the process exactly as one that came over the network. */
export async function dispatch(request: Request, gate: Gate): Promise<Response> {
  const { pathname } = new URL(request.url);
  const route = gatewayRoutes(gate).find(
    ({ path, method }) => path === pathname && method === request.method,
  );
  return route === undefined ? elsewhere(request, gate) : route.handle(request);
}
