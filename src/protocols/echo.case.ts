import type { Dialect } from "../domain/usage.ts";
import type { Json } from "./protocol.ts";

/**
 * What a client sends next: the answer as it got it, a result for each of its calls, and a word of the user. This is
 * what agents do, turn after turn.
 */
export function echoed(dialect: Dialect, answer: Json): Json {
  return ECHOES[dialect](answer);
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const ECHOES: Record<Dialect, (answer: Json) => Json> = {
  chat: answer => {
    const [choice] = list(answer["choices"]) as { message: Json }[];
    const results = list(choice?.message["tool_calls"]).map(call => {
      return { role: "tool", tool_call_id: call["id"], content: `result of ${String(call["id"])}` };
    });
    const messages = [
      { role: "user", content: "Hello" },
      choice?.message,
      ...results,
      { role: "user", content: "Go on" },
    ];
    return { model: "asked-model", messages };
  },
  messages: answer => {
    const results = list(answer["content"])
      .filter(({ type }) => type === "tool_use")
      .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: `result of ${String(id)}` }));
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: answer["content"] },
      { role: "user", content: [...results, { type: "text", text: "Go on" }] },
    ];
    return { model: "asked-model", max_tokens: 1_000, messages };
  },
  responses: answer => {
    const results = list(answer["output"]).flatMap(({ type, call_id }) => {
      const output = `result of ${String(call_id)}`;
      if (type === "function_call") return [{ type: "function_call_output", call_id, output }];
      return type === "custom_tool_call" ? [{ type: "custom_tool_call_output", call_id, output }] : [];
    });
    const input = [
      { role: "user", content: "Hello" },
      ...list(answer["output"]),
      ...results,
      { role: "user", content: "Go on" },
    ];
    return { model: "asked-model", input };
  },
};
