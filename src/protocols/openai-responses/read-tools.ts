import type { Tool, ToolChoice } from "../../domain/chat.ts";
import { booleanOrNull, isAbsent, isObject, listOf, objectOf, textOf, textOrNull } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";
import { requiredText } from "./required-text.ts";

export type PlacedTool = { tool: unknown; at: string };

/** OpenAI's own name for the space of all tools that stand in no other: a call into it needs no namespace. */
const DEFAULT_NAMESPACE = "functions";

export function placedTools(tools: unknown, at: string): PlacedTool[] {
  return listOf(tools).map((tool, place) => ({ tool, at: `${at}[${place}]` }));
}

export function readNamespace(namespace: unknown): string | null {
  const name = textOrNull(namespace);
  return name === DEFAULT_NAMESPACE ? null : name;
}

/** A tool that is declared again replaces the one before. */
export function readTools(placed: readonly PlacedTool[], problems: Problems): Tool[] {
  const tools = new Map<string, Tool>();
  for (const { tool, at } of placed)
    for (const read of readTool({ tool, at, namespace: null, problems })) tools.set(keyOf(read), read);
  return [...tools.values()];
}

type Reading = PlacedTool & { namespace: string | null; problems: Problems };

function readTool({ tool, at, namespace, problems }: Reading): Tool[] {
  if (!isObject(tool)) {
    problems.add({ at, clause: "must be an object" });
    return [];
  }
  const type = textOf(tool["type"]);
  const name = () => requiredText(tool, { field: "name", at, problems });
  switch (type) {
    case "function":
      return [readFunction({ tool, name: name(), namespace })];
    case "custom":
      return [readCustom({ tool, name: name(), namespace })];
    case "namespace": {
      const space = readNamespace(name());
      return placedTools(tool["tools"], `${at}.tools`).flatMap(inner =>
        readTool({ ...inner, namespace: space, problems }),
      );
    }
    default:
      if (type === "") problems.add({ at: `${at}.type`, clause: "is missing" });
      return [{ kind: "hosted", type, name: textOrNull(tool["name"]) ?? textOrNull(tool["server_label"]) }];
  }
}

type Named = { tool: Json; name: string; namespace: string | null };

function readFunction({ tool, name, namespace }: Named): Tool {
  const { description, parameters, strict } = tool;
  return {
    kind: "function",
    name,
    description: textOrNull(description),
    schema: isObject(parameters) ? parameters : null,
    strict: booleanOrNull(strict),
    namespace,
    cache: null,
  };
}

/** In a namespace of its own it could not be called by its name alone, so it is not offered. */
function readCustom({ tool, name, namespace }: Named): Tool {
  const { description, format } = tool;
  if (namespace !== null) return { kind: "hosted", type: "custom", name: `${namespace}.${name}` };
  return { kind: "custom", name, description: textOrNull(description), format: format ?? null, cache: null };
}

function keyOf(tool: Tool): string {
  return JSON.stringify([
    tool.kind,
    tool.kind === "function" ? tool.namespace : null,
    tool.name,
    typeOf(tool),
  ]);
}

function typeOf(tool: Tool): string {
  return tool.kind === "hosted" ? tool.type : "";
}

export type Choosing = { choice: unknown; tools: readonly Tool[]; problems: Problems };

export function readToolChoice({ choice, tools, problems }: Choosing): ToolChoice | null {
  if (isAbsent(choice)) return null;
  if (choice === "auto" || choice === "none" || choice === "required") return { kind: choice };
  const { type, name } = objectOf(choice);
  if (type === "allowed_tools") return readAllowed({ choice: objectOf(choice), tools, problems });
  if (type === "function" || type === "custom") {
    if (!isCallable(tools, name))
      problems.add({ at: "tool_choice.name", clause: "names a tool that is not in “tools”" });
    return { kind: "named", name: textOf(name) };
  }
  if (typeof type === "string")
    problems.add({
      at: "tool_choice.type",
      clause: `asks for a tool that the upstream of this model does not have: ${type}`,
    });
  else
    problems.add({
      at: "tool_choice",
      clause: "must be auto, none, required, or an object that names a tool",
    });
  return null;
}

/** Those that cannot be called here are left out: what remains may still be used. */
function readAllowed({ choice, tools, problems }: Choosing & { choice: Json }): ToolChoice | null {
  const mode = choice["mode"] === "required" ? "required" : "auto";
  const given = listOf(choice["tools"]).map(tool => textOf(objectOf(tool)["name"]));
  const names = given.filter(name => isCallable(tools, name));
  if (names.length > 0) return { kind: "allowed", mode, names };
  if (mode === "auto") return { kind: "none" };
  problems.add({ at: "tool_choice.tools", clause: "names no tool that is in “tools”" });
  return null;
}

function isCallable(tools: readonly Tool[], name: unknown): boolean {
  return tools.some(tool => tool.kind !== "hosted" && tool.name === name);
}
