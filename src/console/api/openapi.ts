import { endpoints, type Name } from "../contract/contract.ts";
import type { Access, Endpoint } from "../contract/endpoint.ts";
import { problem } from "../contract/form.ts";
import { isForPeople } from "./access-token.ts";
import { SESSION_COOKIE } from "./cookie.ts";
import type { Visit } from "./visit.ts";

const WHO: Record<Access, string> = {
  open: "Anybody may call it.",
  session: "For whoever is signed in.",
  recent: "For whoever has proved again within a quarter of an hour who they are.",
  operator: "For operators.",
  "operator-recent": "For operators who have proved again within a quarter of an hour who they are.",
};

const REFUSAL = {
  description: "A refusal: what is wrong, in a sentence, and with which field.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

/** The API as an OpenAPI document, from the same table that the server checks by. */
export async function openApiDocument({ desk, root }: Visit): Promise<Response> {
  // Only whoever asks for it pays for what writes it.
  const { OpenAPIHono, createRoute, z } = await import("@hono/zod-openapi");
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  registry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: SESSION_COOKIE,
    description: "Set by signing in. Calls that change something must come from the console's own origin.",
  });
  registry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    description:
      "An operator token, wgo_…, made in the console or with `wicketgate token create`. Its scope is read, write for all that needs no recent sign-in, or write-all. What is about how people sign in is for people alone.",
  });
  const { $schema: _, ...form } = z.toJSONSchema(problem);
  registry.registerComponent(
    "schemas",
    "Problem",
    form as Parameters<typeof registry.registerComponent<"schemas">>[2],
  );
  for (const name of Object.keys(endpoints) as Name[]) {
    const endpoint: Endpoint = endpoints[name];
    const [method = "", path = ""] = name.split(" ");
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, param = ""]) => [param, z.string()] as const);
    registry.registerPath(
      createRoute({
        method: method.toLowerCase() as "get" | "post" | "patch" | "delete",
        path,
        operationId: name
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, "_")
          .replace(/_$/, ""),
        summary: endpoint.summary,
        description: WHO[endpoint.access],
        tags: [path.split("/")[1] ?? ""],
        ...(endpoint.access === "open" ? {} : { security: securityOf(name) }),
        request: {
          ...(params.length === 0 ? {} : { params: z.object(Object.fromEntries(params)) }),
          ...(endpoint.query === undefined ? {} : { query: endpoint.query }),
          ...(endpoint.body === undefined
            ? {}
            : { body: { required: true, content: { "application/json": { schema: endpoint.body } } } }),
        },
        responses: { 200: goodAnswer(endpoint), default: REFUSAL },
      }),
    );
  }
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Wicketgate console", version: desk.version },
    servers: [{ url: `${root}/console/api` }],
  });
  return Response.json(document);
}

function securityOf(name: Name): Record<string, string[]>[] {
  return isForPeople(name) ? [{ session: [] }] : [{ session: [] }, { token: [] }];
}

function goodAnswer({ answer }: Endpoint) {
  if (answer === null) return { description: "Not JSON: a file, a redirect or nothing." };
  return { description: "Done.", content: { "application/json": { schema: answer } } };
}
