import { isObject, jsonText } from "./demo-json.ts";
import { readMark, type Stretch } from "./demo-messages-cache.ts";
import { type DemoAsk, type DemoTool, toolTokens } from "./demo-plan.ts";
import type { Refuse } from "./demo-task.ts";

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
// Such as web_search_20250305: the provider knows what they take. The demo never calls one.
const BUILT_IN = /^[a-z_]+_\d{8}$/;

export type MessagesTools = { tools: DemoTool[]; stretches: Stretch[] };

export function readTools(tools: unknown, refuse: Refuse): MessagesTools {
  if (tools === undefined || tools === null) return { tools: [], stretches: [] };
  if (!Array.isArray(tools)) {
    refuse("tools", "must be a list");
    return { tools: [], stretches: [] };
  }
  const read: MessagesTools = { tools: [], stretches: [] };
  for (const [index, value] of tools.entries()) {
    const path = `tools.${index}`;
    const tool = readTool({ value, path }, refuse);
    const mark = readMark({ holder: value, path }, refuse);
    read.stretches.push({ tokens: tool === null ? 0 : toolTokens(tool), mark });
    if (tool === null) continue;
    if (read.tools.some(other => other.name === tool.name)) refuse(`${path}.name`, "must not be used twice");
    read.tools.push(tool);
  }
  return read;
}

function readTool({ value, path }: { value: unknown; path: string }, refuse: Refuse): DemoTool | null {
  if (!isObject(value)) {
    refuse(path, "must be an object");
    return null;
  }
  const { type, name, description, input_schema: parameters } = value;
  if (typeof type === "string" && BUILT_IN.test(type)) return null;
  if (type !== undefined && type !== null && type !== "custom") refuse(`${path}.type`, "must be 'custom'");
  if (typeof name !== "string" || !NAME.test(name)) refuse(`${path}.name`, `must match ${NAME.source}`);
  if (!isObject(parameters) || parameters["type"] !== "object") {
    refuse(`${path}.input_schema.type`, "must be 'object'");
  } else if (jsonText(parameters) === null) {
    refuse(`${path}.input_schema`, "is nested too deeply");
  }
  return {
    kind: "function",
    name: typeof name === "string" ? name : "",
    namespace: null,
    description: typeof description === "string" ? description : "",
    parameters,
  };
}

export function readToolChoice(
  asked: { choice: unknown; tools: unknown; known: readonly DemoTool[] },
  refuse: Refuse,
): Pick<DemoAsk, "toolChoice" | "parallelTools"> {
  const { choice, known } = asked;
  if (choice === undefined || choice === null) return { toolChoice: { kind: "auto" }, parallelTools: true };
  if (!Array.isArray(asked.tools) || asked.tools.length === 0) {
    refuse("tool_choice", "may only be given together with tools");
  }
  const { type, name, disable_parallel_tool_use: alone } = isObject(choice) ? choice : {};
  const parallelTools = alone !== true;
  switch (type) {
    case "auto":
    case "none":
      return { toolChoice: { kind: type }, parallelTools };
    case "any":
      return { toolChoice: { kind: "required" }, parallelTools };
    case "tool":
      if (!known.some(tool => tool.name === name)) refuse("tool_choice.name", "must be the name of a tool");
      return { toolChoice: { kind: "named", name: typeof name === "string" ? name : "" }, parallelTools };
    default:
      refuse("tool_choice.type", "must be one of auto, any, tool, none");
      return { toolChoice: { kind: "auto" }, parallelTools };
  }
}
