import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Browser, type ConsoleRig, changeDatabase, startConsole } from "./console-rig.ts";
import { applyYaml, eventually, freshDir, verifyClean } from "./harness.ts";
import { EMAIL, rigYaml, UPSTREAM_CREDENTIAL } from "./harness-rig.ts";
import {
  chatCompletion,
  chatEvent,
  DONE,
  type MockUpstream,
  mockUpstream,
  usageOf,
} from "./harness-upstream.ts";

/** A request from the console, through the gateway, with a key whose string stays on the server. */

let rig: ConsoleRig;
let upstream: MockUpstream;
let ann: Browser;
let key: { id: string; string: string };

beforeAll(async () => {
  upstream = await mockUpstream();
  const dir = freshDir();
  await applyYaml(dir, rigYaml(upstream.baseUrl));
  rig = await startConsole({ WICKETGATE_DEMO: "off" }, dir);
  ann = await rig.invited(EMAIL);
  key = await makeKey("mine");
});
afterAll(async () => {
  await rig.dispose();
  await upstream.close();
});

async function makeKey(name: string, more: object = {}) {
  const { groups } = await ann.call("GET /groups");
  const group = groups.find(one => one.name === "default")?.id ?? "";
  const made = await ann.call("POST /keys", { body: { name, group, ...more } });
  return { id: made.key.id, string: made.string };
}

function asked(body: object, dialect: "chat" | "messages" | "responses" = "chat", id = key.id) {
  return { body: { key: id, dialect, body: JSON.stringify(body) } };
}

const HELLO = { model: "mock", messages: [{ role: "user", content: "Hello!" }] };

test("a stream arrives as it is sent, with the gateway's headers, and is charged like any other", async () => {
  const rest = Promise.withResolvers<void>();
  upstream.script(async exchange => {
    await exchange.begin();
    await exchange.piece(chatEvent({ content: "One " }));
    await rest.promise;
    await exchange.piece(chatEvent({ content: "two" }));
    await exchange.piece(chatEvent({ usage: usageOf(10, 5) }));
    await exchange.piece(DONE);
    await exchange.end();
  });
  const answer = await ann.send("POST /try", asked({ ...HELLO, stream: true }));
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  expect(answer.headers.get("x-answered-by")).toBe("gateway");
  expect(answer.headers.get("server-timing")).toContain("upstream;dur=");
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? "";
  expect(text).toContain("One ");
  rest.resolve();
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) break;
    text += next.value;
  }
  expect(text).toContain("two");
  const headers = JSON.stringify([...answer.headers]);
  for (const secret of [key.string, UPSTREAM_CREDENTIAL]) expect(text + headers).not.toContain(secret);

  const id = answer.headers.get("x-request-id") ?? "";
  const receipt = await eventually(async () => {
    const found = await ann.send("GET /usage/{id}", { params: { id } });
    return found.ok ? await ann.call("GET /usage/{id}", { params: { id } }) : null;
  });
  const { rows } = await ann.call("GET /usage");
  const row = rows.find(one => one.id === id);
  expect(row).toMatchObject({ outcome: "ok", cost_usd: "0.00006", tool: "wicketgate-console" });
  expect(row?.address).toBe("127.0.0.1");
  expect(receipt).not.toBeNull();
});

test("each dialect is spoken", async () => {
  upstream.script(exchange => exchange.reply(200, chatCompletion("Well.", usageOf(1, 1))));
  const messages = await ann.send("POST /try", asked({ ...HELLO, max_tokens: 9 }, "messages"));
  expect(await messages.json()).toMatchObject({ type: "message", content: [{ text: "Well." }] });
  const responses = await ann.send("POST /try", asked({ model: "mock", input: "Hello!" }, "responses"));
  expect(await responses.json()).toMatchObject({ object: "response" });
  const chat = await ann.send("POST /try", asked(HELLO));
  expect(await chat.json()).toMatchObject({ object: "chat.completion" });
});

test("whoever leaves ends the request at the upstream", async () => {
  upstream.script(async exchange => {
    await exchange.begin();
    await exchange.piece(chatEvent({ content: "One " }));
  });
  const leave = new AbortController();
  const aborts = upstream.aborts();
  const answer = await fetch(`${rig.root}/console/api/try`, {
    method: "POST",
    headers: { origin: rig.root, "content-type": "application/json", cookie: ann.cookieText() },
    body: JSON.stringify(asked({ ...HELLO, stream: true }).body),
    signal: leave.signal,
  });
  await answer.body?.getReader().read();
  leave.abort();
  expect(await eventually(() => upstream.aborts() > aborts)).toBe(true);
});

test("the gateway's refusals come through as they are, and are told from the console's own", async () => {
  const poor = await makeKey("poor", { requests_per_minute: 1 });
  upstream.script(exchange => exchange.reply(200, chatCompletion("Well.", usageOf(1, 1))));
  for (const [body, id, status, reason] of [
    [{ ...HELLO, model: "elsewhere" }, key.id, 403, "model_not_in_group"],
    [HELLO, poor.id, 200, undefined],
    [HELLO, poor.id, 429, "rate_limited"],
  ] as const) {
    const answer = await ann.send("POST /try", asked(body, "chat", id));
    expect(answer.headers.get("x-answered-by")).toBe("gateway");
    const { error } = (await answer.json()) as { error?: { reason: string } };
    expect([answer.status, error?.reason]).toEqual([status, reason]);
  }
  const broken = await ann.send("POST /try", { body: { key: key.id, dialect: "chat", body: "{" } });
  expect(broken.status).toBe(400);
  expect(broken.headers.get("x-answered-by")).toBe("gateway");
});

test("somebody else's key, and one of which no copy is kept, are refused by the console", async () => {
  const bob = await rig.invited("bob@example.org");
  const foreign = await bob.refused("POST /try", asked(HELLO));
  const unknown = await bob.refused("POST /try", asked(HELLO, "chat", `key_${"0".repeat(26)}`));
  expect(foreign.error).toEqual({ ...unknown.error, request_id: foreign.error.request_id });
  expect(foreign.status).toBe(404);
  expect(foreign.headers.get("x-answered-by")).toBeNull();
  const bare = await makeKey("bare");
  changeDatabase(rig.dir, "update keys set sealed = null where id = ?", bare.id);
  const refused = await ann.refused("POST /try", asked(HELLO, "chat", bare.id));
  expect(refused).toMatchObject({ status: 409, error: { message: expect.stringContaining("No copy") } });
});

test("the books stay clean", async () => {
  await verifyClean(rig.dir);
});
