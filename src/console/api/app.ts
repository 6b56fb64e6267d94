import { Hono } from "hono";
import { z } from "zod";
import { endpoints, type Name } from "../contract/contract.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Control } from "../control.ts";
import { admitted } from "./access.ts";
import { bearerOf } from "./access-token.ts";
import { readJson } from "./app-body.ts";
import { readFields } from "./app-fields.ts";
import { problemAnswer } from "./app-problem.ts";
import { demandOwnOrigin } from "./guard.ts";
import { handlers } from "./handlers.ts";
import { ConsoleProblem } from "./problem.ts";
import type { Desk, Visit } from "./visit.ts";

export const API_PATH = "/console/api";

const NOTHING = z.strictObject({});
const PARAM_CHARACTERS_MAX = 128;
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);

type Given = { params: Record<string, string>; query: unknown; body: unknown };
type AnyHandler = (visit: Visit, given: Given) => Promise<unknown>;
type Bindings = { Bindings: { requestId: string } };

/** The console's API: every endpoint of the contract, each behind its access rule. What is not there is refused. */
export function consoleApi(desk: Desk): (request: Request) => Promise<Response> {
  const { log } = desk;
  const app = new Hono<Bindings>();
  const routes = (Object.keys(endpoints) as Name[]).map(routeOf).sort(literalFirst);
  for (const { name, method, path } of routes) {
    app.on(method, path, ({ req, env }) =>
      answer(desk, { name, request: req.raw, params: req.param(), ...env }),
    );
  }
  for (const path of new Set(routes.map(route => route.path))) {
    const allowed = routes.filter(route => route.path === path).map(({ method }) => method);
    app.all(path, ({ env }) => wrongMethod(allowed, { ...env, log }));
  }
  app.notFound(({ env }) => problemAnswer(nothingHere(), { ...env, log }));
  app.onError((error, { env }) => problemAnswer(error, { ...env, log }));
  return async request => {
    const requestId = desk.newId("req");
    const answered = await app.fetch(request, { requestId });
    // What the gateway answers through here has one of its own, by which its receipt is found.
    if (!answered.headers.has("x-request-id")) answered.headers.set("x-request-id", requestId);
    if (!answered.headers.has("cache-control")) answered.headers.set("cache-control", "no-store");
    return answered;
  };
}

type Asked = { name: Name; request: Request; params: Record<string, string>; requestId: string };

async function answer(desk: Desk, { name, request, params, requestId }: Asked): Promise<Response> {
  const endpoint: Endpoint = endpoints[name];
  const visit = arrive(desk, request, requestId);
  const { access } = endpoint;
  const isByToken = access !== "open" && bearerOf(request) !== null;
  const isChange = !READING.has(request.method);
  if (isChange && !isByToken) demandOwnOrigin(request, visit.root);
  const entered = await admitted(visit, { name, access });
  checkParams(params);
  const query = readQuery(endpoint, request);
  const { body: form, bytesMax } = endpoint;
  const body = form === undefined ? undefined : readFields(form, await readJson(request, bytesMax));
  const handle = handlers[name] as AnyHandler;
  const given = await handle(entered, { params, query, body });
  // Who is told that it is done finds it done at the gateway too.
  if (isChange && access !== "open") await desk.refresh();
  return given instanceof Response ? given : Response.json(given);
}

function arrive(desk: Desk, request: Request, requestId: string): Visit {
  const { nowMs } = desk;
  const address = desk.clientAddress(request);
  const control: Control = { ...desk, actor: "console", through: "console", address };
  return { desk, control, request, requestId, root: desk.publicUrl(request), address, nowMs: nowMs() };
}

/** Nothing has an id as long as that. */
function checkParams(params: Record<string, string>): void {
  if (Object.values(params).some(value => value.length > PARAM_CHARACTERS_MAX)) {
    throw new ConsoleProblem("not_found", "There is nothing with this id.");
  }
}

/** What another service sends back to us is its own matter; everything else is checked to the last name. */
function readQuery({ query, answer: form }: Endpoint, request: Request): unknown {
  if (query === undefined && form === null) return undefined;
  const given: Record<string, string> = Object.create(null);
  for (const [name, value] of new URL(request.url).searchParams) {
    if (name in given) {
      const message = "is given twice";
      throw new ConsoleProblem("invalid", `“${name.slice(0, 100)}” ${message}.`, {
        fields: [{ path: name.slice(0, 100), message }],
      });
    }
    given[name] = value;
  }
  const read = readFields(query ?? NOTHING, { ...given });
  return query === undefined ? undefined : read;
}

function wrongMethod(allowed: readonly string[], about: Parameters<typeof problemAnswer>[1]): Response {
  const names = allowed.join(", ");
  const problem = new ConsoleProblem("method_not_allowed", `This address takes ${names} only.`);
  const answered = problemAnswer(problem, about);
  answered.headers.set("allow", names);
  return answered;
}

function nothingHere(): ConsoleProblem {
  return new ConsoleProblem("not_found", "There is nothing at this address.");
}

type Route = { name: Name; method: string; path: string };

function routeOf(name: Name): Route {
  const [method = "", path = ""] = name.split(" ");
  return { name, method, path: API_PATH + path.replace(/\{(\w+)\}/g, ":$1") };
}

/** So that `/usage/names` is not taken for the id of a request. */
function literalFirst(one: Route, other: Route): number {
  return Number(one.path.includes(":")) - Number(other.path.includes(":"));
}
