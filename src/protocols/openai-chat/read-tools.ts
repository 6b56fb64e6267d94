import type { Tool, ToolChoice } from "../../domain/chat.ts";
import { booleanOrNull, isAbsent, isObject, listOf, objectOf, textOf, textOrNull } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";
import { readCacheMark } from "./read-cache-mark.ts";

type ToolSpot = { tool: Json; at: string; problems: Problems };

/** `functions` is the name of the time before tools. */
export function readTools({ tools, functions }: Json, problems: Problems): Tool[] {
  const legacy = listOf(functions).map(spec => ({ type: "function", function: spec }));
  if (!isAbsent(tools) && !Array.isArray(tools)) problems.add({ at: "tools", clause: "must be a list" });
  const read = (given: unknown, at: string): Tool[] => {
    if (!isObject(given)) problems.add({ at, clause: "must be an object" });
    const tool = isObject(given) ? readTool({ tool: given, at, problems }) : null;
    return tool === null ? [] : [tool];
  };
  return [
    ...listOf(tools).flatMap((tool, place) => read(tool, `tools[${place}]`)),
    ...legacy.flatMap((tool, place) => read(tool, `functions[${place}]`)),
  ];
}

function readTool(spot: ToolSpot): Tool | null {
  const { tool, at } = spot;
  const { type } = tool;
  if (type === "custom") return readCustom(spot);
  if (type === "function" || (isAbsent(type) && isObject(tool["function"]))) return readFunction(spot);
  if (typeof type === "string" && type !== "")
    return { kind: "hosted", type, name: textOrNull(tool["name"]) };
  spot.problems.add({ at: `${at}.type`, clause: "must be function or custom" });
  return null;
}

function readFunction({ tool, at, problems }: ToolSpot): Tool | null {
  const spec = objectOf(tool["function"]);
  const { name, description, parameters, strict } = spec;
  const inside = at.startsWith("functions") ? at : `${at}.function`;
  if (typeof name !== "string" || name === "") problems.add({ at: `${inside}.name`, clause: "is missing" });
  else if (!isAbsent(parameters) && !isObject(parameters))
    problems.add({ at: `${inside}.parameters`, clause: "must be a JSON schema" });
  else
    return {
      kind: "function",
      name,
      description: textOrNull(description),
      schema: parameters ?? null,
      strict: booleanOrNull(strict),
      namespace: null,
      cache: readCacheMark(tool) ?? readCacheMark(spec),
    };
  return null;
}

function readCustom({ tool, at, problems }: ToolSpot): Tool | null {
  const { name, description, format } = objectOf(tool["custom"]);
  if (typeof name === "string" && name !== "")
    return {
      kind: "custom",
      name,
      description: textOrNull(description),
      format: flat(format),
      cache: readCacheMark(tool),
    };
  problems.add({ at: `${at}.custom.name`, clause: "is missing" });
  return null;
}

/** Only here the grammar stands one step further in; elsewhere its fields stand beside the type. */
function flat(format: unknown): unknown {
  const { type, grammar } = objectOf(format);
  return type === "grammar" && isObject(grammar) ? { type, ...grammar } : (format ?? null);
}

/** `function_call` is the name of the time before tools. */
export function readToolChoice({ tool_choice, function_call }: Json, problems: Problems): ToolChoice | null {
  if (isAbsent(tool_choice))
    return isAbsent(function_call) ? null : readLegacyChoice(function_call, problems);
  if (tool_choice === "auto" || tool_choice === "none" || tool_choice === "required")
    return { kind: tool_choice };
  // Mistral's word for it.
  if (tool_choice === "any") return { kind: "required" };
  const { type, allowed_tools } = objectOf(tool_choice);
  if (type === "allowed_tools") return readAllowed(objectOf(allowed_tools), problems);
  const name = toolNameIn(tool_choice);
  if (name !== null) return { kind: "named", name };
  problems.add({ at: "tool_choice", clause: "must be auto, none, required, or an object that names a tool" });
  return null;
}

function readLegacyChoice(choice: unknown, problems: Problems): ToolChoice | null {
  if (choice === "auto" || choice === "none") return { kind: choice };
  const name = textOf(objectOf(choice)["name"]);
  if (name !== "") return { kind: "named", name };
  problems.add({ at: "function_call", clause: "must be auto, none, or an object that names a function" });
  return null;
}

function readAllowed({ mode, tools }: Json, problems: Problems): ToolChoice | null {
  const names = listOf(tools).map(toolNameIn);
  const known = names.filter(name => name !== null);
  if ((mode === "auto" || mode === "required") && known.length > 0 && known.length === names.length)
    return { kind: "allowed", mode, names: known };
  problems.add({
    at: "tool_choice.allowed_tools",
    clause: "must have a “mode” of auto or required, and “tools” with names",
  });
  return null;
}

function toolNameIn(given: unknown): string | null {
  const { function: fn, custom, name } = objectOf(given);
  return textOrNull(objectOf(fn)["name"]) ?? textOrNull(objectOf(custom)["name"]) ?? textOrNull(name);
}
