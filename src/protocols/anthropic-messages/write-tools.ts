import type { ToolChoice as WrittenChoice, Tool as WrittenTool } from "@anthropic-ai/sdk/resources/messages";
import type { Prompt, Tool } from "../../domain/chat.ts";
import { customAsFunction } from "../custom-tool.ts";
import { objectOf } from "../json-value.ts";
import { writeCache } from "./write-cache.ts";

export type WrittenTools = { tools: WrittenTool[]; choice: WrittenChoice | null; isForced: boolean };

export function writeTools(prompt: Prompt): WrittenTools {
  const { toolChoice } = prompt;
  const allowed = toolChoice?.kind === "allowed" ? toolChoice.names : null;
  const tools = prompt.tools.flatMap(writeTool).filter(({ name }) => allowed?.includes(name) ?? true);
  if (tools.length === 0) return formerTools(prompt);
  const choice = writeChoice(prompt);
  return { tools, choice, isForced: choice?.type === "any" || choice?.type === "tool" };
}

function writeTool(tool: Tool): WrittenTool[] {
  if (tool.kind === "hosted") return [];
  const { name, description, schema, cache } = tool.kind === "custom" ? customAsFunction(tool) : tool;
  const input_schema = { ...objectOf(schema), type: "object" as const };
  return [{ name, ...(description !== null && { description }), input_schema, ...writeCache(cache) }];
}

/** Calls in the conversation need tools, even where the model is to call none any more. */
function formerTools({ turns }: Prompt): WrittenTools {
  const parts = turns.flatMap(turn => turn.parts);
  const names = new Set(parts.flatMap(part => (part.kind === "tool-call" ? [part.name] : [])));
  const tools = [...names].map((name): WrittenTool => ({ name, input_schema: { type: "object" } }));
  return { tools, choice: tools.length === 0 ? null : { type: "none" }, isForced: false };
}

function writeChoice({ toolChoice, parallelTools }: Prompt): WrittenChoice | null {
  const alone = parallelTools === false ? { disable_parallel_tool_use: true } : {};
  switch (toolChoice?.kind) {
    case undefined:
      return parallelTools === false ? { type: "auto", ...alone } : null;
    case "auto":
      return { type: "auto", ...alone };
    case "required":
      return { type: "any", ...alone };
    case "none":
      return { type: "none" };
    case "named":
      return { type: "tool", name: toolChoice.name, ...alone };
    case "allowed":
      return { type: toolChoice.mode === "required" ? "any" : "auto", ...alone };
    default:
      return toolChoice satisfies never;
  }
}
