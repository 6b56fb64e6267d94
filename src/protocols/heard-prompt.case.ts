import { expect } from "bun:test";
import type { Part, Prompt, Tool, ToolResultPart, Turn } from "../domain/chat.ts";
import type { Dialect } from "../domain/usage.ts";
import type { PromptTarget } from "./protocol.ts";

/**
 * What is left of a prompt that was written in a dialect and read again. It is everything of a usual conversation; the
 * exceptions stand here with their reasons.
 */
export const heardPrompt: Record<Dialect, (prompt: Prompt) => Prompt> = {
  chat: prompt => ({
    ...prompt,
    model: PROMPT_TARGETS.chat.model,
    turns: splitTurns(prompt.turns.map(turn => ({ ...turn, parts: turn.parts.map(flagless) }))),
    tools: prompt.tools.map(lax),
    format: namedFormat(prompt.format),
  }),
  messages: prompt => ({
    ...prompt,
    model: PROMPT_TARGETS.messages.model,
    // Users and the model take turns.
    turns: joinedTurns(prompt.turns.map(turn => ({ ...turn, parts: turn.parts.map(plain) }))),
    tools: prompt.tools.map(lax),
    ...messagesChoice(prompt),
    format: bareFormat(prompt.format),
    // A limit must be given.
    outputTokensMax: prompt.outputTokensMax ?? expect.any(Number),
    seed: null,
  }),
  responses: prompt => ({
    ...prompt,
    model: PROMPT_TARGETS.responses.model,
    turns: splitTurns(prompt.turns.map(turn => ({ ...turn, parts: turn.parts.map(flagless).map(stored) }))),
    tools: prompt.tools.map(explicit),
    format: namedFormat(prompt.format),
    seed: null,
  }),
};

export const PROMPT_TARGETS: Record<Dialect, PromptTarget> = {
  chat: { model: "some-model", kind: "openai-compatible", outputTokensMax: null },
  messages: { model: "claude-sonnet-4-5", kind: "anthropic", outputTokensMax: null },
  responses: { model: "gpt-5.1", kind: "openai", outputTokensMax: null },
};

/** Without what is only said to the gateway: where things stood in the body, and whether the usage is wanted. */
export function placeless(prompt: Prompt): Prompt {
  return { ...prompt, wantsUsage: true, turns: prompt.turns.map(turn => ({ ...turn, at: "" })) };
}

/** OpenAI's dialects have no field for a tool's failure: its text says it. */
function flagless(part: Part): Part {
  if (part.kind !== "tool-result" || !part.isError) return part;
  const parts = part.parts.map((inner, place): ToolResultPart["parts"][number] => {
    if (inner.kind !== "text" || place > 0 || /^\s*error\b/i.test(inner.text)) return inner;
    return { ...inner, text: `Error: ${inner.text}` };
  });
  return { ...part, parts, isError: false };
}

/** An image always has a detail here. And nothing is stored, so no item has an id. */
function stored(part: Part): Part {
  if (part.kind === "image") return { ...part, detail: part.detail ?? "auto" };
  if (part.kind !== "reasoning" || part.seal === null) return part;
  return { ...part, seal: { ...part.seal, id: null } };
}

/** An image has no detail here. */
function plain(part: Part): Part {
  return part.kind === "image" ? { ...part, detail: null } : part;
}

/** Not strict is what it is anyway, and many upstreams do not know the field. */
function lax(tool: Tool): Tool {
  return tool.kind === "function" && tool.strict === false ? { ...tool, strict: null } : tool;
}

/** Left out, it would be true here. */
function explicit(tool: Tool): Tool {
  return tool.kind === "function" ? { ...tool, strict: tool.strict ?? false } : tool;
}

/** A schema has a name here. */
function namedFormat(format: Prompt["format"]): Prompt["format"] {
  return format?.kind === "schema" ? { ...format, name: format.name ?? expect.any(String) } : format;
}

/** Nothing but the schema is taken here. */
function bareFormat(format: Prompt["format"]): Prompt["format"] {
  return format?.kind === "schema" ? { ...format, name: null, description: null, strict: null } : format;
}

/** Results are messages of their own here. */
function splitTurns(turns: readonly Turn[]): Turn[] {
  return turns.flatMap(turn => {
    const results = turn.parts.filter(part => part.kind === "tool-result");
    const rest = turn.parts.filter(part => part.kind !== "tool-result");
    const split = [results, rest].filter(parts => parts.length > 0);
    return split.map(parts => ({ ...turn, parts }));
  });
}

function joinedTurns(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role === turn.role) last.parts.push(...turn.parts);
    else joined.push({ ...turn, parts: [...turn.parts] });
  }
  return joined;
}

/** That tools are not to be called at once is said inside the choice, and only that. */
function messagesChoice({ toolChoice, parallelTools }: Prompt): Pick<Prompt, "toolChoice" | "parallelTools"> {
  if (parallelTools !== false || toolChoice?.kind === "none") return { toolChoice, parallelTools: null };
  return { toolChoice: toolChoice ?? { kind: "auto" }, parallelTools: false };
}
