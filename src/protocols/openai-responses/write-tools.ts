import type {
  CustomTool,
  FunctionTool,
  NamespaceTool,
  ResponseCreateParams,
  Tool as WireTool,
} from "openai/resources/responses/responses";
import type { Tool, ToolChoice } from "../../domain/chat.ts";
import { isObject } from "../json-value.ts";

type Callable = Exclude<Tool, { kind: "hosted" }>;

/** Tools that only another provider runs are left out. The functions of a namespace stand together. */
export function writeTools(tools: readonly Tool[]): WireTool[] {
  const written: WireTool[] = [];
  const spaces = new Map<string, NamespaceTool>();
  for (const tool of tools.filter(isCallable)) {
    if (tool.kind === "custom") written.push(writeCustom(tool));
    else if (tool.namespace === null) written.push(writeFunction(tool));
    else {
      const space = spaces.get(tool.namespace) ?? newSpace(tool.namespace);
      space.tools.push(writeFunction(tool));
      if (spaces.has(tool.namespace)) continue;
      spaces.set(tool.namespace, space);
      written.push(space);
    }
  }
  return written;
}

type WireChoice = NonNullable<ResponseCreateParams["tool_choice"]>;

export function writeToolChoice(choice: ToolChoice, tools: readonly Tool[]): WireChoice {
  const named = (name: string) => ({ type: typeOf(name, tools), name });
  switch (choice.kind) {
    case "named":
      return named(choice.name);
    case "allowed":
      return { type: "allowed_tools", mode: choice.mode, tools: choice.names.map(named) };
    default:
      return choice.kind;
  }
}

function typeOf(name: string, tools: readonly Tool[]): "custom" | "function" {
  return tools.some(tool => tool.kind === "custom" && tool.name === name) ? "custom" : "function";
}

function isCallable(tool: Tool): tool is Callable {
  return tool.kind !== "hosted";
}

/** Left out, `strict` would be true, and rewrite a schema that was not made for it. */
function writeFunction({
  name,
  description,
  schema,
  strict,
}: Extract<Tool, { kind: "function" }>): FunctionTool {
  return {
    type: "function",
    name,
    ...(description === null ? {} : { description }),
    parameters: writeSchema(schema),
    strict: strict ?? false,
  };
}

function writeCustom({ name, description, format }: Extract<Tool, { kind: "custom" }>): CustomTool {
  const grammar = writeFormat(format);
  return {
    type: "custom",
    name,
    ...(description === null ? {} : { description }),
    ...(grammar === null ? {} : { format: grammar }),
  };
}

/** Chat has a grammar one step further in. */
function writeFormat(format: unknown): NonNullable<CustomTool["format"]> | null {
  if (!isObject(format)) return null;
  const { definition, syntax } = isObject(format["grammar"]) ? format["grammar"] : format;
  if (format["type"] === "text") return { type: "text" };
  if (typeof definition !== "string" || (syntax !== "lark" && syntax !== "regex")) return null;
  return { type: "grammar", syntax, definition };
}

/** OpenAI wants an object to say so, and to name its properties. */
function writeSchema(schema: unknown): Record<string, unknown> {
  if (!isObject(schema)) return { type: "object", properties: {} };
  const { type = "object", properties = {} } = schema;
  return type === "object" ? { ...schema, type, properties } : { ...schema };
}

function newSpace(name: string): NamespaceTool {
  return { type: "namespace", name, description: `Tools in the ${name} namespace.`, tools: [] };
}
