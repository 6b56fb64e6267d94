import type { Tool, ToolChoice } from "../../domain/chat.ts";
import { booleanOrNull, isObject, objectOf, stringOrNull, textOf } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";
import { readCache } from "./read-cache.ts";
import { type Reading, required } from "./reading.ts";

export function readTools(tools: unknown, problems: Problems): Tool[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) {
    problems.add({ at: "tools", clause: "must be a list" });
    return [];
  }
  return tools.flatMap((tool: unknown, place) => {
    const at = `tools[${place}]`;
    if (isObject(tool)) return readTool({ block: tool, at, problems });
    problems.add({ at, clause: "must be an object" });
    return [];
  });
}

/** A tool with a type of its own is one that Anthropic runs, or that its models were taught. */
function readTool(reading: Reading): Tool[] {
  const { block, at, problems } = reading;
  const type = block["type"] ?? "custom";
  if (type !== "custom") return [{ kind: "hosted", type: textOf(type), name: stringOrNull(block["name"]) }];
  const name = required(reading, "name");
  const schema = block["input_schema"] ?? null;
  if (schema !== null && !isObject(schema))
    problems.add({ at: `${at}.input_schema`, clause: "must be a JSON schema" });
  if (name === null) return [];
  const strict = booleanOrNull(block["strict"]);
  const description = stringOrNull(block["description"]);
  return [{ kind: "function", name, description, schema, strict, namespace: null, cache: readCache(block) }];
}

export type ToolWishes = { toolChoice: ToolChoice | null; parallelTools: boolean | null };

export function readToolChoice(body: Json, problems: Problems): ToolWishes {
  const given = body["tool_choice"];
  if (given === undefined || given === null) return { toolChoice: null, parallelTools: null };
  const choice = objectOf(given);
  const alone = choice["disable_parallel_tool_use"];
  const parallelTools = typeof alone === "boolean" ? !alone : null;
  switch (choice["type"]) {
    case "auto":
      return { toolChoice: { kind: "auto" }, parallelTools };
    case "any":
      return { toolChoice: { kind: "required" }, parallelTools };
    case "none":
      return { toolChoice: { kind: "none" }, parallelTools };
    case "tool": {
      const name = required({ block: choice, at: "tool_choice", problems }, "name");
      return { toolChoice: name === null ? null : { kind: "named", name }, parallelTools };
    }
    default:
      problems.add({ at: "tool_choice.type", clause: "must be one of auto, any, tool, none" });
      return { toolChoice: null, parallelTools };
  }
}
