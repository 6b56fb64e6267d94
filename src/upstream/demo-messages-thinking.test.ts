import { describe, expect, test } from "bun:test";
import { type Block, HELLO, message, messageEvents, refusedMessage, SAY } from "./demo-messages.case.ts";
import { demoTokens } from "./demo-text.ts";

const ENABLED = { max_tokens: 3_000, thinking: { type: "enabled", budget_tokens: 1_024 } };
const tools = [{ name: "clock", input_schema: { type: "object" } }];

describe("a thinking answer", () => {
  test.each<[string, { [field: string]: unknown }, string]>([
    ["enabled", ENABLED, "demo"],
    ["adaptive", { thinking: { type: "adaptive" } }, "demo"],
    ["by the setting", { demo: { thinking: true } }, "demo"],
    ["by the model's name", {}, "demo-think"],
  ])("%s: begins with a signed thought, and counts it", async (_, ask, model) => {
    const { content, usage } = await message(ask, model);
    expect(content.map(block => block.type)).toEqual(["thinking", "text"]);
    const [thought, text] = content;
    expect(thought?.thinking).toContain("I should");
    expect(thought?.signature).toMatch(/^[A-Za-z0-9+/]{200,}=*$/);
    const thoughts = demoTokens(thought?.thinking ?? "").length;
    expect(usage.output_tokens_details).toEqual({ thinking_tokens: thoughts });
    expect(usage.output_tokens).toBe(thoughts + demoTokens(text?.text ?? "").length);
  });

  test("the signature comes before the block stops", async () => {
    const events = await messageEvents(ENABLED);
    const stop = events.findIndex(event => event.type === "content_block_stop");
    expect(events[stop - 1]?.delta?.["type"]).toBe("signature_delta");
    expect(events[2]?.content_block).toEqual({ type: "thinking", thinking: "", signature: "" });
  });

  test("omitted: there is a signature, and no text", async () => {
    const thinking = { type: "adaptive", display: "omitted" };
    const { content, usage } = await message({ thinking });
    expect(content[0]).toEqual({ type: "thinking", thinking: "", signature: expect.any(String) });
    expect(usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0);
    const deltas = (await messageEvents({ thinking })).filter(event => event.index === 0 && event.delta);
    expect(deltas.map(event => event.delta?.["type"])).toEqual(["signature_delta"]);
  });

  test("redacted: there is data alone", async () => {
    const { content } = await message({ demo: { thinking: "redacted" } });
    expect(content[0]).toEqual({ type: "redacted_thinking", data: expect.any(String) });
  });

  test("not where it is not asked for, and between tools only after a tool", async () => {
    for (const thinking of [undefined, null, { type: "disabled" }, { type: "between_tools" }]) {
      expect((await message({ thinking })).content.map(block => block.type)).toEqual(["text"]);
    }
    const use = { type: "tool_use", id: "a", name: "clock", input: {} };
    const result = { type: "tool_result", tool_use_id: "a", content: "nine" };
    const messages = [...HELLO, { role: "assistant", content: [use] }, { role: "user", content: [result] }];
    const { content } = await message({ thinking: { type: "between_tools" }, messages });
    expect(content.map(block => block.type)).toEqual(["thinking", "text"]);
  });
});

describe("thoughts that come back", () => {
  /** The answer to a call, with the turn of the assistant as `change` leaves it. */
  const replay = async (
    ask: { [field: string]: unknown },
    change: (content: Block[]) => Block[] = content => content,
  ) => {
    const { content } = await message({ tools, messages: SAY("clock"), ...ask });
    const id = content.at(-1)?.id;
    return {
      tools,
      ...ask,
      messages: [
        ...SAY("clock"),
        { role: "assistant", content: change(content) },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "nine" }] },
      ],
    };
  };

  test.each<[string, { [field: string]: unknown }]>([
    ["shown", ENABLED],
    ["omitted", { thinking: { type: "adaptive", display: "omitted" } }],
    ["redacted", { demo: { thinking: "redacted" } }],
  ])("%s: are taken as they were", async (_, ask) => {
    expect((await message(await replay(ask))).stop_reason).toBe("end_turn");
  });

  test.each<[string, (thought: Block) => Block]>([
    ["another's signature", thought => ({ ...thought, signature: "EvQBCkYICxgCKkAxhD4NUKFzudtZ6NzbZdEi" })],
    ["a broken signature", thought => ({ ...thought, signature: `A${thought.signature?.slice(1)}` })],
    ["no signature", ({ signature: _, ...thought }) => thought],
    ["other words", thought => ({ ...thought, thinking: "I did not think this" })],
    ["somebody's data", () => ({ type: "redacted_thinking", data: "EvQBCkYICxgC" })],
    ["a signature as data", ({ signature }) => ({ type: "redacted_thinking", data: String(signature) })],
  ])("with %s: are refused", async (_, change) => {
    const ask = await replay(ENABLED, ([thought, ...rest]) => [change(thought ?? { type: "" }), ...rest]);
    expect(await refusedMessage(ask)).toStartWith("messages.1.content.0: ");
  });

  test("may not be left out of the last turn that called tools, where thinking has a budget", async () => {
    const without = (content: Block[]) => content.filter(block => block.type !== "thinking");
    expect(await refusedMessage(await replay(ENABLED, without))).toStartWith("messages.1.content.0.type: ");
    const adaptive = await replay({ thinking: { type: "adaptive" } }, without);
    expect((await message(adaptive)).stop_reason).toBe("end_turn");
  });

  test("may be left out of a turn that called none", async () => {
    const messages = [...HELLO, { role: "assistant", content: "Hello" }, ...HELLO];
    expect((await message({ ...ENABLED, messages })).stop_reason).toBe("end_turn");
  });
});

describe("the rules of a thinking budget", () => {
  const budget = (budget_tokens: unknown) => ({ thinking: { type: "enabled", budget_tokens } });
  test.each<[string, { [field: string]: unknown }]>([
    ["thinking.budget_tokens", budget(undefined)],
    ["thinking.budget_tokens", budget(1_023)],
    ["max_tokens", { ...budget(2_000), max_tokens: 2_000 }],
    ["temperature", { ...ENABLED, temperature: 0.5 }],
    ["tool_choice.type", { ...ENABLED, tools, tool_choice: { type: "any" } }],
    ["tool_choice.type", { ...ENABLED, tools, tool_choice: { type: "tool", name: "clock" } }],
  ])("%s %j", async (path, ask) => {
    expect(await refusedMessage(ask)).toStartWith(`${path}: `);
  });
});
