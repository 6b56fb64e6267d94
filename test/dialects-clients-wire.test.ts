import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { Dialect } from "../src/domain/usage.ts";
import { PATHS, plainBody } from "./dialects-checks-money.ts";
import { CREDENTIAL, type Dialects, startDialects } from "./dialects-gateway.ts";
import { DIALECTS, WAYS } from "./dialects-talk.ts";
import { eventually, usageRows } from "./harness.ts";
import type { Received } from "./harness-upstream.ts";

/** What real clients do on the wire beside what their dialect asks of them. */

let rig: Dialects;
/** They take 13 s, beside everything else here. */
let late: Promise<string>[];
beforeAll(async () => {
  rig = await startDialects();
  late = OTHERS.map(async ([client, upstream]) => {
    const body = plainBody(client, rig.model(upstream, "late"), { stream: true });
    const response = await post(PATHS[client], { body });
    return response.text();
  });
});
afterAll(() => rig.stop());

/** Each client with an upstream of another dialect. */
const OTHERS = [
  ["chat", "messages"],
  ["responses", "chat"],
  ["messages", "responses"],
] as const satisfies [Dialect, Dialect][];

type Ask = { body: unknown; headers?: Record<string, string>; key?: string | null };

function post(path: string, { body, headers = {}, key = rig.key() }: Ask): Promise<Response> {
  return fetch(rig.gateway.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

function lastReceived(): Received {
  const last = rig.upstream.mock.received.findLast(({ body }) => !body.includes("demo_chat-first"));
  if (last === undefined) throw new Error("the upstream was not asked");
  return last;
}

test("a query changes nothing", async () => {
  for (const client of DIALECTS) {
    const body = plainBody(client, rig.model("chat"));
    expect((await post(`${PATHS[client]}?beta=true`, { body })).status).toBe(200);
  }
});

describe("keys", () => {
  test("may come in two headers, one of which is not ours; neither goes on", async () => {
    const foreign = "sk-ant-REDACTED";
    const bothWays = [
      { authorization: `Bearer ${foreign}`, "x-api-key": rig.key() },
      { authorization: `Bearer ${rig.key()}`, "x-api-key": foreign },
      { authorization: `Bearer ${rig.key()}`, "x-api-key": rig.key() },
    ];
    for (const headers of bothWays) {
      for (const upstream of DIALECTS) {
        const body = plainBody("messages", rig.model(upstream));
        expect((await post("/v1/messages", { body, headers, key: null })).status).toBe(200);
        const sent = [...lastReceived().headers.values()].join("\n") + lastReceived().body.toString();
        expect(sent).not.toContain(foreign);
        expect(sent).not.toContain(rig.key());
        expect(sent).toContain(CREDENTIAL);
      }
    }
  });

  test("[P49] that are wrong are refused in the dialect of the path, with a header that says not to try again", async () => {
    for (const client of DIALECTS) {
      const refused = await post(PATHS[client], { body: plainBody(client, rig.model("chat")), key: null });
      expect(refused.status).toBe(401);
      expect(refused.headers.get("x-should-retry")).toBe("false");
      const { type, error } = (await refused.json()) as { type?: string; error: { message: string } };
      expect(type).toBe(client === "messages" ? "error" : (undefined as never));
      expect(error.message).toBe("This request carries no API key.");
    }
  });
});

test("[P56] anthropic-version and anthropic-beta go as they are to a messages upstream, and to no other", async () => {
  const headers = {
    "anthropic-version": "2026-10-21",
    "anthropic-beta": "claude-code-20250219,context-1m-2025-08-07,unheard-of-2027-01-01",
    "x-claude-code-session-id": "session-1",
    "user-agent": "claude-cli/2.1.325 (external, cli)",
  };
  for (const client of DIALECTS) {
    for (const upstream of DIALECTS) {
      const response = await post(PATHS[client], { body: plainBody(client, rig.model(upstream)), headers });
      expect(response.status).toBe(200);
      const { headers: sent } = lastReceived();
      const passes = client === "messages" && upstream === "messages";
      expect(sent.get("anthropic-beta")).toBe(passes ? headers["anthropic-beta"] : (undefined as never));
      const own = upstream === "messages" ? "2023-06-01" : undefined;
      expect(sent.get("anthropic-version")).toBe(passes ? headers["anthropic-version"] : (own as never));
      expect(sent.has("x-claude-code-session-id")).toBe(false);
      expect(sent.get("user-agent") ?? "").not.toContain("claude-cli");
    }
  }
});

describe("[P57] counting tokens", () => {
  const anthropic = () => new Anthropic({ baseURL: rig.gateway.url, apiKey: rig.key(), maxRetries: 0 });
  const ask = (model: string) => ({
    model,
    system: "Be brief.",
    messages: [{ role: "user" as const, content: "How many tokens are these?" }],
  });

  test("is left to an upstream that speaks messages, and done here for others", async () => {
    const native = await anthropic().messages.countTokens(ask(rig.model("messages")));
    const { path, said } = rig.upstream.last(rig.upstreamModel("messages"));
    expect(path).toBe("count_tokens");
    expect(native.input_tokens).toBe((JSON.parse(said) as { input_tokens: number }).input_tokens);
    for (const upstream of ["chat", "responses"] as const) {
      const before = rig.upstream.heard.length;
      const { input_tokens: counted } = await anthropic().messages.countTokens(ask(rig.model(upstream)));
      expect(counted).toBeGreaterThan(5);
      expect(counted).toBeLessThan(40);
      expect(rig.upstream.heard.length).toBe(before);
    }
  });

  test("is open to 26 at once beside a running request of a key that may have one", async () => {
    const key = rig.key("single");
    const leave = new AbortController();
    const running = await fetch(`${rig.gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(plainBody("messages", rig.model("chat", "slow"), { stream: true })),
      signal: leave.signal,
    });
    expect(running.status).toBe(200);
    const counts = Array.from({ length: 26 }, (_, place) =>
      post("/v1/messages/count_tokens?beta=true", {
        body: ask(rig.model(place % 2 === 0 ? "messages" : "responses")),
        key,
      }),
    );
    for (const { status } of await Promise.all(counts)) expect(status).toBe(200);
    const second = await post("/v1/messages", { body: plainBody("messages", rig.model("chat")), key });
    expect(second.status).toBe(429);
    expect(second.headers.get("retry-after")).toMatch(/^\d+$/);
    leave.abort();
    const free = await eventually(async () => {
      const again = await post("/v1/messages", { body: plainBody("messages", rig.model("chat")), key });
      return again.status === 200;
    });
    expect(free).toBe(true);
    // Counting is not in the log.
    const rows = await usageRows(rig.dir, rig.keyId("single"));
    expect(rows.filter(({ state }) => state === "settled")).toHaveLength(2);
  });
});

describe("[P53] an instruction in mid conversation stays where it stands:", () => {
  const WORDS = "From now on speak German.";
  const places = async (client: Dialect, model: string): Promise<string[]> => {
    const talk = rig.talk(client);
    talk.say("Hello");
    await talk.hear({ model }, "whole");
    talk.instruct(WORDS);
    talk.say("And again");
    await talk.hear({ model }, "whole");
    const body = JSON.parse(lastReceived().body.toString()) as { messages?: Said[]; input?: Said[] };
    return (body.messages ?? body.input ?? []).map(({ role, content }) => {
      const text = JSON.stringify(content);
      return `${role}${text.includes(WORDS) ? "!" : ""}${text.includes("<system>") ? " in tags" : ""}`;
    });
  };
  type Said = { role: string; content: unknown };

  for (const client of DIALECTS) {
    test(`from a ${client} client`, async () => {
      const own = client === "responses" ? "developer!" : "system!";
      const inChat = client === "chat" ? own : "system!";
      expect(await places(client, rig.model("chat"))).toEqual(["user", "assistant", inChat, "user"]);
      const inResponses = ["user", "assistant", "developer!", "user"];
      expect(await places(client, rig.model("responses"))).toEqual(inResponses);
      // The newest Claudes alone have a role for it, and take it behind a user's turn; others get it in the user's words.
      const passed = ["user", "assistant", "system!", "user"];
      const behind = ["user", "assistant", "user", "system!"];
      const tagged = ["user", "assistant", "user! in tags"];
      const isSame = client === "messages";
      expect(await places(client, rig.model("messages", "claude"))).toEqual(isSame ? passed : behind);
      expect(await places(client, rig.model("messages"))).toEqual(isSame ? passed : tagged);
    });
  }
});

describe("responses that nobody keeps", () => {
  test("[P40] are refused by name on every upstream", async () => {
    for (const upstream of DIALECTS) {
      const body = plainBody("responses", rig.model(upstream), { previous_response_id: "resp_1" });
      const refused = await post("/v1/responses", { body });
      expect(refused.status).toBe(400);
      const { error } = (await refused.json()) as { error: { param: string; message: string } };
      expect(error.param).toBe("previous_response_id");
      expect(error.message).toContain("previous_response_id");
    }
  });

  test("[P40] so are references to items of theirs", async () => {
    const input = [
      { role: "user", content: "Hello" },
      { type: "item_reference", id: "msg_1" },
      { role: "user", content: "Again" },
    ];
    for (const upstream of DIALECTS) {
      const refused = await post("/v1/responses", { body: { model: rig.model(upstream), input } });
      expect(refused.status).toBe(400);
      const { error } = (await refused.json()) as { error: { param: string | null; message: string } };
      expect(error.message).toContain("input[1]");
      expect(error.message).toContain("refers to an item");
    }
  });

  test("are not to be had over a WebSocket, which is said with 426", async () => {
    const response = await fetch(`${rig.gateway.url}/v1/responses`, {
      headers: {
        authorization: `Bearer ${rig.key()}`,
        connection: "upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "openai-beta": "responses_websockets=2026-02-06",
      },
    });
    expect(response.status).toBe(426);
  });
});

test("a body of the responses dialect at the path of chat is answered as chat, by every upstream", async () => {
  const openai = new OpenAI({ baseURL: rig.gateway.base, apiKey: rig.key(), maxRetries: 0 });
  for (const upstream of DIALECTS) {
    const asked = { model: rig.model(upstream), input: [{ role: "user", content: "Hello, Cursor" }] };
    const whole = await openai.chat.completions.create(asked as never as { model: string; messages: [] });
    expect(whole.choices[0]?.message.content).toContain("Hello, Cursor");
    const streaming = { ...asked, stream: true } as never as { model: string; messages: []; stream: true };
    let text = "";
    for await (const chunk of await openai.chat.completions.create(streaming)) {
      expect(chunk).toMatchObject({ object: "chat.completion.chunk", model: rig.model(upstream) });
      text += chunk.choices[0]?.delta.content ?? "";
    }
    expect(text).toBe(whole.choices[0]?.message.content ?? "");
  }
});

test("the list of models is read by both SDKs", async () => {
  const options = { apiKey: rig.key(), maxRetries: 0 };
  const names: string[][] = [[], []];
  for await (const model of new OpenAI({ ...options, baseURL: rig.gateway.base }).models.list())
    names[0]?.push(model.id);
  for await (const model of new Anthropic({ ...options, baseURL: rig.gateway.url }).models.list()) {
    expect(Number.isNaN(Date.parse(model.created_at))).toBe(false);
    names[1]?.push(model.id);
  }
  expect(names[0]).toEqual(names[1] ?? []);
  expect(names[0]).toContain(rig.model("messages"));
});

test("answers in messages have their id under the name that its SDK reads", async () => {
  const anthropic = new Anthropic({ baseURL: rig.gateway.url, apiKey: rig.key(), maxRetries: 0 });
  for (const upstream of DIALECTS) {
    const body = plainBody("messages", rig.model(upstream)) as Anthropic.MessageCreateParamsNonStreaming;
    const { response, request_id: id } = await anthropic.messages.create(body).withResponse();
    expect(id).toMatch(/^req_/);
    expect(id).toBe(response.headers.get("x-request-id"));
  }
});

test("the built-in demo speaks every dialect to every client", async () => {
  for (const client of DIALECTS) {
    for (const upstream of DIALECTS) {
      for (const way of WAYS) {
        const talk = rig.talk(client);
        talk.say("Hello in there");
        expect((await talk.hear({ model: `inner-${upstream}` }, way)).text).toContain("Hello in there");
      }
    }
  }
});

test("[P46] a client that waits long for the first byte hears comments, and then its answer", async () => {
  for (const [place, [client]] of OTHERS.entries()) {
    const text = (await late[place]) ?? "";
    expect(text).toStartWith(": keep-alive\n\n");
    expect(text).toContain("Hello");
    expect(text).toContain(
      { chat: "[DONE]", responses: "response.completed", messages: "message_stop" }[client],
    );
  }
});
