import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { UPSTREAM_KINDS } from "../src/domain/catalogue.ts";
import {
  applyYaml,
  freshDir,
  type Gateway,
  keyOf,
  removeDir,
  settledRow,
  startGateway,
  verifyClean,
} from "./harness.ts";
import { answerOf, chat, chatBody } from "./harness-client.ts";
import { type MockUpstream, mockUpstream } from "./harness-upstream.ts";
import { MESSAGES_EVENTS, MESSAGES_PATHS, SAID, WIRE_FORMS } from "./presets-wire.ts";

/** Every kind of upstream behind the gateway, answering in the form that its maker documents. */

const CREDENTIAL = "canary-credential-1f2e3d4c";
/** The clouds have paths of their own, and tests of their own. */
const KINDS = UPSTREAM_KINDS.filter(
  kind => WIRE_FORMS.some(form => form.kind === kind) || MESSAGES_PATHS[kind] !== undefined,
);

let dir: string;
let upstream: MockUpstream;
let gateway: Gateway;
let key: string;

beforeAll(async () => {
  dir = freshDir();
  upstream = await mockUpstream();
  const { origin } = new URL(upstream.baseUrl);
  const upstreams = KINDS.map(
    kind =>
      `  - { name: at-${kind}, kind: ${kind}, base_url: "${origin}", api_key: ${CREDENTIAL}, models: { ${kind}: their-${kind} } }`,
  );
  const models = KINDS.map(
    kind => `  - { name: ${kind}, max_output_tokens: 1000, price: { input: 1, output: 10 } }`,
  );
  const keys = await applyYaml(
    dir,
    `
upstreams:
${upstreams.join("\n")}
models:
${models.join("\n")}
groups: [{ name: default, models: ["*"] }]
accounts: [{ email: ann@example.org, balance: 1000 }]
keys: [{ account: ann@example.org, name: laptop, group: default }]
`,
  );
  key = keyOf(keys, "laptop").key;
  gateway = await startGateway(dir, { WICKETGATE_DEMO: "off" });
});

afterAll(async () => {
  try {
    await verifyClean(dir);
  } finally {
    await upstream.close();
    await gateway.stop();
    removeDir(dir);
  }
});

function textOf(stream: string): string {
  const lines = stream.split("\n").filter(line => line.startsWith("data: {"));
  const chunks = lines.map(line => JSON.parse(line.slice("data: ".length)));
  return chunks.map(chunk => chunk.choices?.[0]?.delta?.content ?? chunk.delta?.text ?? "").join("");
}

function heard() {
  const last = upstream.received.at(-1);
  if (last === undefined) throw new Error("the upstream heard nothing");
  return { line: last.requestLine, headers: last.headers, body: JSON.parse(last.body.toString("utf8")) };
}

/** In pieces that end where no event does. */
function pieces(events: readonly string[]): string[] {
  return events.join("").match(/[\s\S]{1,97}/g) ?? [];
}

describe("a chat stream", () => {
  for (const { kind, path, events, tokens } of WIRE_FORMS) {
    test(`of ${kind} is passed on, counted and settled`, async () => {
      upstream.script(exchange => exchange.stream(pieces(events)));
      const seen = await chat(gateway.base, { key, body: chatBody(kind, { stream: true }) });
      expect(seen.status).toBe(200);
      expect(textOf(seen.text)).toBe(SAID);
      expect(seen.text).toEndWith("data: [DONE]\n\n");
      expect(seen.text).not.toContain(CREDENTIAL);
      const { line, headers, body } = heard();
      expect(line).toBe(`POST ${path} HTTP/1.1`);
      expect(body.model).toBe(`their-${kind}`);
      expect(JSON.stringify([...headers])).not.toContain(key);
      expect(JSON.stringify([...headers])).toContain(CREDENTIAL);
      expect(await settledRow(dir, seen.requestId)).toMatchObject({
        state: "settled",
        source: "reported",
        upstream: `at-${kind}`,
        input_tokens: tokens.input,
        output_tokens: tokens.output,
      });
    });
  }

  test("is asked for with its usage everywhere but where that is refused", async () => {
    const asked = async (kind: string) => {
      const found = WIRE_FORMS.find(form => form.kind === kind);
      upstream.script(exchange => exchange.stream(found?.events ?? []));
      await chat(gateway.base, { key, body: chatBody(kind, { stream: true }) });
      return heard().body.stream_options;
    };
    expect(await asked("vllm")).toEqual({ include_usage: true });
    expect(await asked("mistral")).toBeUndefined();
  });
});

describe("a messages stream", () => {
  for (const [kind, path] of Object.entries(MESSAGES_PATHS)) {
    test(`of ${kind} is spoken natively`, async () => {
      upstream.script(exchange => exchange.stream(pieces(MESSAGES_EVENTS)));
      const body = {
        model: kind,
        max_tokens: 100,
        stream: true,
        messages: [{ role: "user", content: "Hello" }],
      };
      const seen = await answerOf(
        await fetch(`${gateway.url}/v1/messages`, {
          method: "POST",
          headers: { "x-api-key": key, "content-type": "application/json", "anthropic-beta": "some-beta" },
          body: JSON.stringify(body),
        }),
      );
      expect(seen.status).toBe(200);
      expect(textOf(seen.text)).toBe(SAID);
      const { line, headers, body: sent } = heard();
      expect(line).toBe(`POST ${path} HTTP/1.1`);
      expect(sent).toEqual({ ...body, model: `their-${kind}` });
      expect(headers.get("anthropic-version")).toBe("2023-06-01");
      expect(headers.get("anthropic-beta")).toBe("some-beta");
      expect(JSON.stringify([...headers])).not.toContain(key);
      const row = await settledRow(dir, seen.requestId);
      expect(row).toMatchObject({ state: "settled", input_tokens: 12, output_tokens: 3 });
    });
  }
});

describe("a client of another dialect", () => {
  test("reaches Mistral with ids that it takes", async () => {
    const events = WIRE_FORMS.find(({ kind }) => kind === "mistral")?.events ?? [];
    upstream.script(exchange => exchange.stream(events));
    const call = { type: "tool_use", id: "toolu_01ABCDEF", name: "look", input: {} };
    const body = {
      model: "mistral",
      max_tokens: 100,
      stream: true,
      tools: [{ name: "look", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "Look" },
        { role: "assistant", content: [call] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "seen" }] },
      ],
    };
    const seen = await answerOf(
      await fetch(`${gateway.url}/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    expect(textOf(seen.text)).toBe(SAID);
    const { body: sent } = heard();
    const id = sent.messages[1].tool_calls[0].id;
    expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(sent.messages[2].tool_call_id).toBe(id);
    expect(sent.stream_options).toBeUndefined();
    expect(sent.max_tokens).toBe(100);
  });
});
