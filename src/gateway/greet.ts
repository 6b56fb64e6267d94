import { arrive } from "./call.ts";
import type { Gate } from "./gate.ts";
import { commonHeaders } from "./headers.ts";

/** The answers to those who only look whether somebody is there. */

/** A load balancer asks every few seconds and gives up soon. */
const READY_MS_MAX = 2_000;

type Words = { status?: number; headers?: Record<string, string> };

function say(
  request: Request,
  gate: Gate,
  text: string | null,
  { status = 200, headers = {} }: Words = {},
): Response {
  const common = commonHeaders(arrive(request, "chat", gate));
  return new Response(text, {
    status,
    headers: { ...common, "content-type": "text/plain; charset=utf-8", ...headers },
  });
}

export function health(request: Request, gate: Gate): Response {
  return say(request, gate, "ok\n");
}

export async function readiness(request: Request, gate: Gate): Promise<Response> {
  const later = { status: 503, headers: { "retry-after": "1" } };
  if (gate.isDraining()) return say(request, gate, "draining\n", later);
  return (await databaseAnswers(gate))
    ? say(request, gate, "ready\n")
    : say(request, gate, "the database does not answer\n", later);
}

async function databaseAnswers({ store }: Gate): Promise<boolean> {
  const tooLong = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => tooLong.resolve(false), READY_MS_MAX);
  const asked = store.run("catalogue.revision", {}).then(
    () => true,
    () => false,
  );
  const answers = await Promise.race([asked, tooLong.promise]);
  clearTimeout(timer);
  return answers;
}

/** Clients probe with HEAD before they begin. */
export function hello(request: Request, gate: Gate): Response {
  return say(request, gate, null);
}

export function welcome(request: Request, gate: Gate): Response {
  if (request.headers.get("accept")?.includes("text/html")) {
    return say(request, gate, null, { status: 302, headers: { location: "console/", vary: "accept" } });
  }
  const root = gate.publicUrl(request);
  const lines = [
    "Wicketgate, a gateway to language models.",
    "",
    `Base URL for OpenAI-style clients:   ${root}/v1`,
    `Address for messages-style clients:  ${root}`,
    "",
  ];
  return say(request, gate, lines.join("\n"));
}

/** A client that tries a WebSocket first falls back to HTTP at once on this status, and after seven tries on others. */
export function noWebSocket(request: Request, gate: Gate): Response {
  return say(request, gate, "Use plain HTTP here: there are no WebSockets.\n", {
    status: 426,
    headers: { upgrade: "h2c" },
  });
}
