import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endpoints, type Name } from "../src/console/contract/contract.ts";
import type { Endpoint } from "../src/console/contract/endpoint.ts";
import { Browser, type ConsoleRig, OPERATOR, PASSWORD, startConsole } from "./console-rig.ts";
import { eventually, freshDir, removeDir, startGateway } from "./harness.ts";

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig.dispose());

const credentials = { email: OPERATOR, password: PASSWORD };

/** As a page of that origin would send it. */
async function post(path: string, headers: Record<string, string>, body: string | ReadableStream = "{}") {
  const answer = await fetch(`${rig.root}/console/api${path}`, { method: "POST", headers, body });
  const { error } = (await answer.json()) as { error?: { code: string; message: string; fields?: unknown } };
  return { status: answer.status, code: error?.code, message: error?.message, fields: error?.fields, answer };
}

const json = { "content-type": "application/json" };

describe("a call that changes something", () => {
  test("is made from the console's own pages only", async () => {
    const body = JSON.stringify(credentials);
    const own = rig.root;
    const refused: Record<string, string>[] = [
      {},
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: own.replace("http:", "https:") },
      { origin: own.replace(/:\d+$/, ":1") },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
      { origin: "null", "sec-fetch-site": "none" },
      { origin: `${own}.evil.example` },
    ];
    for (const headers of refused) {
      const { status, code } = await post("/sign-in", { ...json, ...headers }, body);
      expect({ headers, status, code }).toEqual({ headers, status: 403, code: "cross_site" });
    }
    const allowed: Record<string, string>[] = [
      { origin: own },
      { origin: own, "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ];
    for (const headers of allowed) {
      expect((await post("/sign-in", { ...json, ...headers }, body)).status).toBe(200);
    }
  });

  test("is refused from elsewhere on every path and method, whoever is signed in", async () => {
    const cookie = rig.operator.cookieText();
    const names = (Object.keys(endpoints) as Name[]).filter(name => !name.startsWith("GET "));
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      const [method = "", path = ""] = name.split(" ");
      const headers = { ...json, cookie, origin: "https://evil.example" };
      const endpoint: Endpoint = endpoints[name];
      const body = endpoint.body === undefined ? {} : { body: "{}" };
      const answer = await fetch(`${rig.root}/console/api${path.replace("{id}", "x")}`, {
        method,
        headers,
        ...body,
      });
      const { error } = (await answer.json()) as { error: { code: string } };
      expect({ name, code: error.code }).toEqual({ name, code: "cross_site" });
    }
    await rig.operator.call("GET /session");
  });

  test("says what to do at an address that no browser keeps the cookie for", async () => {
    const host = "gate.lan:8787";
    const { status, code, message } = await post(
      "/sign-in",
      { ...json, host, origin: `http://${host}` },
      JSON.stringify(credentials),
    );
    expect({ status, code }).toEqual({ status: 403, code: "not_allowed" });
    expect(message).toContain("https, or localhost");
  });

  test("takes JSON alone, of a bounded size, with no field that is not known", async () => {
    const own = { origin: rig.root };
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]) {
      const { status, code } = await post("/sign-in", { ...own, "content-type": type }, "{}");
      expect({ type, status, code }).toEqual({ type, status: 415, code: "unsupported_media_type" });
    }
    expect((await post("/sign-in", { ...own, ...json }, "{")).code).toBe("invalid");
    const large = JSON.stringify({ ...credentials, password: "x".repeat(70_000) });
    expect((await post("/sign-in", { ...own, ...json }, large)).status).toBe(413);
    const trickle = new ReadableStream({
      start(controller) {
        for (let piece = 0; piece < 80; piece++)
          controller.enqueue(new TextEncoder().encode(" ".repeat(1024)));
        controller.close();
      },
    });
    expect((await post("/sign-in", { ...own, ...json }, trickle)).status).toBe(413);
    const odd = await post("/sign-in", { ...own, ...json }, JSON.stringify({ ...credentials, admin: true }));
    expect({ status: odd.status, fields: odd.fields }).toEqual({
      status: 400,
      fields: [{ path: "admin", message: "is not a field that is known here" }],
    });
    const missing = await post("/sign-in", { ...own, ...json }, JSON.stringify({ password: 7 }));
    expect(missing.message).toBe("“email” is needed.");
    expect(missing.fields).toEqual([
      { path: "email", message: "is needed" },
      { path: "password", message: "must be a string" },
    ]);
  });
});

describe("a query", () => {
  test("with a name that is not known, or one that is there twice, is refused", async () => {
    const get = (path: string) =>
      fetch(`${rig.root}/console/api${path}`, { headers: { cookie: rig.operator.cookieText() } });
    const unknown = await get("/session?as=ann");
    expect(unknown.status).toBe(400);
    expect(await unknown.json()).toMatchObject({ error: { code: "invalid", fields: [{ path: "as" }] } });
    const twice = await get("/usage?limit=1&limit=2");
    expect(twice.status).toBe(400);
    expect(await twice.text()).toContain("is given twice");
  });
});

describe("what is not there", () => {
  test("is a 404, a wrong method a 405 that names the right ones, and nothing is open to other origins", async () => {
    for (const path of ["/nothing", "", "/", "/session/", "/keys/a/b/c"]) {
      const answer = await fetch(`${rig.root}/console/api${path}`);
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
    }
    const answer = await fetch(`${rig.root}/console/api/session`, { method: "PUT" });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, DELETE");
    const preflight = await fetch(`${rig.root}/console/api/session`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "GET" },
    });
    expect(preflight.status).toBe(405);
    const house = await fetch(`${rig.root}/console/api/house`, {
      headers: { origin: "https://evil.example" },
    });
    for (const { headers } of [preflight, house]) {
      expect([...headers.keys()].filter(name => name.startsWith("access-control"))).toEqual([]);
    }
    const head = await fetch(`${rig.root}/console/api/house`, { method: "HEAD" });
    expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: "" });
  });
});

describe("every answer", () => {
  const PAGE_POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'; report-uri /console/api/csp-report";

  test("carries what a browser has to hold to", async () => {
    for (const path of [
      "/console",
      "/console/",
      "/console/keys",
      "/console/assets/none.js",
      "/console/api/house",
    ]) {
      const { headers } = await fetch(rig.root + path, { redirect: "manual" });
      const isApi = path.startsWith("/console/api");
      expect({
        path,
        policy: headers.get("content-security-policy"),
        sniff: headers.get("x-content-type-options"),
        frame: headers.get("x-frame-options"),
        referrer: headers.get("referrer-policy"),
        opener: headers.get("cross-origin-opener-policy"),
        resource: headers.get("cross-origin-resource-policy"),
        permissions: headers.get("permissions-policy")?.includes("camera=()"),
        hsts: headers.get("strict-transport-security"),
      }).toEqual({
        path,
        policy: isApi ? "default-src 'none'; frame-ancestors 'none'" : PAGE_POLICY,
        sniff: "nosniff",
        frame: "DENY",
        referrer: "same-origin",
        opener: "same-origin",
        resource: "same-origin",
        permissions: true,
        hsts: null,
      });
    }
  });

  test("of the API is kept by nobody and has a request id, which a refusal repeats", async () => {
    for (const path of ["/house", "/session", "/nothing"]) {
      const answer = await fetch(`${rig.root}/console/api${path}`);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const id = answer.headers.get("x-request-id") ?? "";
      expect(id).toMatch(/^req_\w{26}$/);
      if (answer.status >= 400) expect(await answer.json()).toMatchObject({ error: { request_id: id } });
    }
  });
});

test("behind a proxy with TLS the public address counts, and browsers are told to stay with it", async () => {
  const dir = freshDir();
  const gateway = await startGateway(dir, { WICKETGATE_PUBLIC_URL: "https://gate.example.org" });
  expect(gateway.setupLink).toStartWith("https://gate.example.org/console/setup#");
  const browser = new Browser(gateway.url);
  const headers = { host: "gate.example.org", origin: "https://gate.example.org" };
  const token = (gateway.setupLink ?? "").split("#")[1] ?? "";
  const body = { token, email: OPERATOR, password: PASSWORD };
  const entered = await browser.send("POST /links/use", { body, headers });
  expect(entered.status).toBe(200);
  expect(entered.headers.get("strict-transport-security")).toBe("max-age=31536000");
  const other = { ...headers, origin: "https://other.example.org" };
  expect((await browser.refused("POST /sign-in", { body: credentials, headers: other })).error.code).toBe(
    "cross_site",
  );
  // On the machine itself it can be used too.
  expect((await browser.send("POST /sign-in", { body: credentials })).status).toBe(200);
  await gateway.stop();
  removeDir(dir);
});

test("the API is one OpenAPI document, complete and strict", async () => {
  const answer = await rig.browser().send("GET /openapi.json");
  const document = (await answer.json()) as {
    openapi: string;
    paths: Record<string, Record<string, { security?: unknown; requestBody?: { content: object } }>>;
    components: { securitySchemes: { session: { name: string } } };
  };
  expect(document.openapi).toBe("3.1.0");
  expect(document.components.securitySchemes.session.name).toBe("__Host-wicketgate");
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  );
  expect(listed.sort()).toEqual(Object.keys(endpoints).sort());
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const [method = "", path = ""] = name.split(" ");
    const described = document.paths[path]?.[method.toLowerCase()];
    expect({ name, isOpen: described?.security === undefined }).toEqual({
      name,
      isOpen: endpoint.access === "open",
    });
    if ("body" in endpoint) {
      const content = described?.requestBody?.content as { "application/json": { schema: object } };
      expect(content["application/json"].schema).toMatchObject({
        type: "object",
        additionalProperties: false,
      });
    }
  }
});

test("what a browser stopped is one bounded line of the log, without what stands behind a #", async () => {
  const report = {
    "csp-report": {
      "effective-directive": "script-src-elem",
      "blocked-uri": `https://evil.example/${"x".repeat(5_000)}?q=1`,
      "document-uri": `${rig.root}/console/setup#secret-token`,
      "script-sample": "steal(document)",
    },
  };
  const answer = await fetch(`${rig.root}/console/api/csp-report`, {
    method: "POST",
    headers: { "content-type": "application/csp-report", "sec-fetch-site": "same-origin" },
    body: JSON.stringify(report),
  });
  expect(answer.status).toBe(204);
  const line = await eventually(
    () =>
      rig.gateway
        .log()
        .split("\n")
        .find(text => text.includes("console.csp_report")) ?? null,
  );
  expect(JSON.parse(line ?? "{}")).toMatchObject({
    level: "warn",
    directive: "script-src-elem",
    page: `${rig.root}/console/setup`,
  });
  expect((line ?? "").length).toBeLessThan(1_000);
  expect(line).not.toContain("secret-token");
  expect(line).not.toContain("steal");
  const statuses: number[] = [];
  for (let round = 0; round < 25; round++) {
    const headers = { "sec-fetch-site": "same-origin", "content-type": "application/csp-report" };
    statuses.push(
      (await fetch(`${rig.root}/console/api/csp-report`, { method: "POST", headers, body: "[]" })).status,
    );
  }
  expect(statuses.filter(status => status === 429).length).toBeGreaterThan(3);
});
