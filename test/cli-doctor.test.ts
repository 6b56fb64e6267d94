import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { generateKeyString } from "../src/domain/key-string.ts";
import { type CliRig, cliRig } from "./cli-rig.ts";

const KEY = generateKeyString(count => crypto.getRandomValues(new Uint8Array(count)));
const STEPS = ["key", "account", "group", "model", "limits", "key_quota", "balance", "upstream"];

let rig: CliRig;
let fake: ReturnType<typeof fakeGateway>;
beforeEach(() => {
  rig = cliRig();
  fake = fakeGateway();
});
afterEach(async () => {
  await fake.stop();
  rig.dispose();
});

/** Answers as the gateway does; `failing` is the step that fails. */
function fakeGateway() {
  const state = { failing: "", refuse: false, asked: "" };
  const error = (reason: string, message: string, status: number) =>
    Response.json(
      { error: { message, type: "invalid_request_error", reason, cause: "x", remedy: "Do so." } },
      { status },
    );
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: request => {
      const { pathname, search, origin } = new URL(request.url);
      const known = request.headers.get("authorization") === `Bearer ${KEY}`;
      state.asked = search;
      if (pathname === "/healthz" || pathname === "/readyz") return new Response("ok\n");
      if (pathname === "/moved/v1/models") return Response.redirect(`${origin}/v1/models`, 301);
      if (pathname.startsWith("/other/")) return new Response("<h1>Welcome</h1>");
      if (pathname === "/echo/v1/models") return Response.json({ data: [] });
      if (pathname === "/echo/v1/key")
        return error("x", `You sent ${request.headers.get("authorization")}`, 401);
      if (!["/v1/models", "/v1/key"].includes(pathname)) {
        return error("wrong_base_url", `There is nothing at ${pathname}: enter ${origin}/v1 instead.`, 404);
      }
      if (!known || state.refuse) return error("key_unknown", "This API key is not known here.", 401);
      if (pathname === "/v1/models") return Response.json({ object: "list", data: [] });
      const checks = STEPS.map(step =>
        step === state.failing
          ? { step, ok: false, reason: "r", message: `The ${step} fails.`, remedy: `Mend the ${step}.` }
          : { step, ok: true },
      );
      return Response.json({ object: "key", id: "key_x", checks });
    },
  });
  return { state, root: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

async function doctor(...argv: string[]) {
  const ran = await rig.run(["doctor", "--json", ...argv]);
  const plain = await rig.run(["doctor", ...argv]);
  expect(ran.out + ran.err + plain.out + plain.err).not.toContain(KEY);
  expect(plain.code).toBe(ran.code);
  return { code: ran.code, ...JSON.parse(ran.out), text: plain.out };
}

const last = (found: { steps: { message: string; remedy?: string }[] }) => found.steps.at(-1);

describe("doctor for a client", () => {
  test("all is well", async () => {
    for (const base of [`${fake.root}/v1`, `${fake.root}/v1/`]) {
      const found = await doctor("--base-url", base, "--key", KEY, "--model", "a b&c");
      expect(found).toMatchObject({ code: 0, ok: true, failed: null });
      expect(found.steps.map((step: { step: string }) => step.step)).toEqual([
        "key_string",
        "base_url",
        "server",
        ...STEPS,
      ]);
      expect(fake.state.asked).toBe("?model=a%20b%26c");
      expect(found.text).toContain("Everything is well.");
    }
  });

  test("each of the gateway's steps is named when it fails, and the later ones are left out", async () => {
    for (const step of STEPS) {
      fake.state.failing = step;
      const found = await doctor("--base-url", `${fake.root}/v1`, "--key", KEY, "--model", "m");
      expect(found).toMatchObject({ code: 1, failed: step });
      expect(last(found)).toMatchObject({ message: `The ${step} fails.`, remedy: `Mend the ${step}.` });
      expect(found.text).toContain(`The first step that fails is ${step}.`);
    }
  });

  test("a key that is not whole, or not ours, is told without a network", async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      [KEY.slice(0, -3), /it has 50 characters, and a whole key has 53/],
      [`"${KEY}"`, /quotation marks/],
      ["sk-proj-abcdefghijklmnop", /This is a key of OpenAI/],
      ["sk-ant-api03-abcdef", /This is a key of Anthropic/],
      ["", /carries no API key/],
    ];
    for (const [key, sentence] of cases) {
      const found = await doctor("--base-url", "http://127.0.0.1:1/v1", "--key", key);
      expect(found).toMatchObject({ code: 1, failed: "key_string" });
      expect(last(found)?.message).toMatch(sentence);
    }
  });

  test("a base URL of the wrong form is named with the value to enter", async () => {
    const { root } = fake;
    const wrong = [root, `${root}/`, `${root}/v1/v1`, `${root}/v1/chat/completions`, `${root}/v1/messages`];
    for (const base of [
      ...wrong,
      `${root}/v1/responses/`,
      `${root}/v1/models`,
      `${root}/chat/completions`,
      `${root}/messages`,
    ]) {
      const found = await doctor("--base-url", base, "--key", KEY);
      expect({ base, failed: found.failed }).toEqual({ base, failed: "base_url" });
      expect(`${last(found)?.message} ${last(found)?.remedy}`).toContain(`${root}/v1`);
    }
    expect(last(await doctor("--base-url", root))?.message).toBe(
      `${root} is the address for messages-style clients; OpenAI-style clients need ${root}/v1.`,
    );
    const noScheme = await doctor("--base-url", root.replace("http://", ""));
    expect(noScheme).toMatchObject({ failed: "base_url" });
    const withPassword = await doctor("--base-url", root.replace("http://", "http://ann:hush@"));
    expect(withPassword).toMatchObject({ failed: "base_url" });
    expect(withPassword.text).not.toContain("hush");
    expect(await doctor("--base-url", `${root}/moved/v1`)).toMatchObject({ failed: "base_url" });
  });

  test("a server that is not there, or not ours", async () => {
    const refused = await doctor("--base-url", "http://127.0.0.1:1/v1", "--key", KEY);
    expect(refused).toMatchObject({ code: 1, failed: "server" });
    expect(last(refused)?.message).toContain("refused");
    expect(await doctor("--base-url", `${fake.root}/other/v1`)).toMatchObject({ failed: "server" });
    expect(await doctor("--base-url", `${fake.root.replace("http", "https")}/v1`)).toMatchObject({
      failed: "server",
    });
  });

  test("a key that is not known", async () => {
    fake.state.refuse = true;
    const found = await doctor("--base-url", `${fake.root}/v1`, "--key", KEY);
    expect(found).toMatchObject({ code: 1, failed: "key" });
    expect(last(found)).toMatchObject({ message: "This API key is not known here.", remedy: "Do so." });
  });

  test("without a key it says what it could not check", async () => {
    expect(await doctor("--base-url", `${fake.root}/v1`)).toMatchObject({ code: 0, ok: true });
  });

  test("a server that sends the key back does not get it shown", async () => {
    const found = await doctor("--base-url", `${fake.root}/echo/v1`, "--key", KEY);
    expect(last(found)?.message).toBe("You sent Bearer (the key)");
  });
});

describe("doctor for this installation", () => {
  test("says what is missing, and a server that does not run is no fault", async () => {
    const fresh = await rig.run(["doctor", "--json"], { env: { PORT: "1" } });
    expect(fresh.code).toBe(1);
    expect(JSON.parse(fresh.out)).toMatchObject({ failed: "data_dir" });
    await rig.run(["account", "add", "ann@example.org"]);
    const empty = await rig.run(["doctor", "--json"], { env: { PORT: "1", WICKETGATE_DEMO: "off" } });
    expect(JSON.parse(empty.out)).toMatchObject({ failed: "upstreams" });
    const file = await rig.file(
      "gate.yaml",
      `upstreams: [{ name: u, kind: demo, models: [m] }]
models: [{ name: m, price: { input: 0 } }]
groups: [{ name: g, models: [m] }]
keys: [{ account: ann@example.org, name: k, group: g }]
`,
    );
    await rig.run(["apply", file]);
    const { code, out } = await rig.run(["doctor"], { env: { PORT: "1" } });
    expect(code).toBe(0);
    expect(out).toContain("No gateway is running at http://127.0.0.1:1");
    const running = await rig.run(["doctor"], { env: { PORT: new URL(fake.root).port } });
    expect(running.out).toContain("is running and ready");
  });
});
