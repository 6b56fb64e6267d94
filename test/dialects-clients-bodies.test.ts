import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import { PATHS } from "./dialects-checks-money.ts";
import { type Dialects, startDialects } from "./dialects-gateway.ts";
import { DIALECTS } from "./dialects-talk.ts";

/** Bodies as the clients really write them, with fields that only their own provider knows. */

let rig: Dialects;
beforeAll(async () => {
  rig = await startDialects();
});
afterAll(() => rig.stop());

type Json = Record<string, unknown>;

async function ask(client: Dialect, body: Json): Promise<Json> {
  const response = await fetch(rig.gateway.url + PATHS[client], {
    method: "POST",
    headers: { authorization: `Bearer ${rig.key()}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const told = (await response.json()) as Json;
  if (!response.ok) throw new Error(JSON.stringify(told));
  return told;
}

const sent = (upstream: Dialect) => rig.upstream.last(rig.upstreamModel(upstream)).body;

describe("Claude Code", () => {
  const body = (model: string) => ({
    model,
    max_tokens: 32_000,
    system: [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.325;" },
      { type: "text", text: "You are Claude Code.", cache_control: { type: "ephemeral", ttl: "1h" } },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "Say hello" }] },
      { role: "system", content: "A reminder." },
    ],
    tools: [
      {
        name: "mcp__a_server_with_a_long_name__and_a_tool_with_a_name_that_is_longer_still",
        description: "Reads.",
        input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
        defer_loading: true,
      },
      { type: "web_search_20250305", name: "web_search", max_uses: 8 },
    ],
    metadata: { user_id: `user_${"a".repeat(120)}_session_1` },
    thinking: { type: "adaptive", display: "summarized" },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    output_config: { effort: "high" },
    safeguards: { enabled: true },
  });

  test("[P56] is answered by every upstream, whatever else its request has", async () => {
    for (const upstream of ["chat", "responses"] as const) {
      const told = await ask("messages", body(rig.model(upstream)));
      expect(told).toMatchObject({ type: "message", stop_reason: "end_turn" });
      const written = JSON.stringify(sent(upstream));
      for (const unknown of [
        "context_management",
        "safeguards",
        "defer_loading",
        "cache_control",
        "web_search",
      ])
        expect(written).not.toContain(unknown);
      expect(written).toContain("A reminder.");
    }
  });

  test("[P58] has its long tool names back", async () => {
    for (const upstream of ["chat", "responses"] as const) {
      const asked = body(rig.model(upstream));
      const name = asked.tools[0]?.name ?? "";
      const forced = { ...asked, thinking: { type: "disabled" }, tool_choice: { type: "tool", name } };
      const told = await ask("messages", forced);
      expect(told["content"]).toMatchObject([{ type: "tool_use", name, input: { path: "demo" } }]);
      expect(JSON.stringify(sent(upstream)["tools"])).not.toContain(name);
    }
  });
});

describe("Codex", () => {
  const body = (model: string, more: Json = {}) => ({
    model,
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be precise." }] },
      { role: "user", content: [{ type: "input_text", text: "apply_patch now" }] },
    ],
    tools: [
      { type: "function", name: "shell", strict: false, parameters: { type: "object", properties: {} } },
      {
        type: "custom",
        name: "apply_patch",
        description: "Edits files.",
        format: { type: "grammar", syntax: "lark", definition: 'start: "x"' },
      },
      {
        type: "namespace",
        name: "files",
        description: "Files.",
        tools: [{ type: "function", name: "read", parameters: { type: "object", properties: {} } }],
      },
      { type: "web_search" },
    ],
    tool_choice: "auto",
    parallel_tool_calls: false,
    reasoning: { effort: "medium", summary: "auto" },
    store: false,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "thread-1",
    client_metadata: { originator: "codex_exec" },
    ...more,
  });

  test("has its custom tool called with free text, and reads its result, on every upstream", async () => {
    for (const upstream of ["chat", "messages"] as const) {
      const asked = body(rig.model(upstream));
      const told = await ask("responses", asked);
      const output = told["output"] as Json[];
      const call = output.find(({ type }) => type === "custom_tool_call");
      expect(call).toMatchObject({ name: "apply_patch", input: "demo" });
      expect(JSON.stringify(sent(upstream))).not.toContain("client_metadata");
      const result = { type: "custom_tool_call_output", call_id: call?.["call_id"], output: "Done!" };
      const after = await ask("responses", { ...asked, input: [...asked.input, ...output, result] });
      expect(JSON.stringify(after["output"])).toContain('The tool returned: \\"Done!\\"');
    }
  });

  test("has a tool of a namespace called by its own name", async () => {
    for (const upstream of ["chat", "messages"] as const) {
      const input = [{ role: "user", content: "Use files__read please" }];
      const { output } = await ask("responses", body(rig.model(upstream), { input }));
      const call = (output as Json[]).find(({ type }) => type === "function_call");
      expect(call).toMatchObject({ name: "read", namespace: "files" });
    }
  });
});

describe("claude-code-router", () => {
  test("sends reasoning as an object and a system prompt in marked parts", async () => {
    for (const upstream of DIALECTS) {
      const told = await ask("chat", {
        model: rig.model(upstream),
        messages: [
          {
            role: "system",
            content: [{ type: "text", text: "You are Claude Code.", cache_control: { type: "ephemeral" } }],
          },
          { role: "user", content: [{ type: "text", text: "Say hello" }] },
        ],
        reasoning: { effort: "high", enabled: true },
        max_tokens: 8_000,
      });
      expect(told).toMatchObject({ object: "chat.completion", choices: [{ finish_reason: "stop" }] });
      const marks = JSON.stringify(sent(upstream)).match(/cache_control/g) ?? [];
      expect(marks).toHaveLength(upstream === "responses" ? 0 : 1);
    }
  });
});

test("[P55] cache marks reach a Claude behind a chat upstream", async () => {
  const cache_control = { type: "ephemeral" };
  await ask("messages", {
    model: rig.model("chat", "claude"),
    max_tokens: 100,
    system: [{ type: "text", text: "Keep this.", cache_control }],
    messages: [{ role: "user", content: "Hello" }],
  });
  const { body } = rig.upstream.last(rig.upstreamModel("chat", "claude"));
  expect(body["messages"]).toMatchObject([
    { role: "system", content: [{ type: "text", text: "Keep this.", cache_control }] },
    { role: "user" },
  ]);
});

test("prompt_cache_key goes on to a responses upstream", async () => {
  const messages = [{ role: "user", content: "Hello" }];
  await ask("chat", { model: rig.model("responses"), messages, prompt_cache_key: "thread-1" });
  expect(sent("responses")["prompt_cache_key"]).toBe("thread-1");
});
