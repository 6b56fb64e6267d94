import type {
  ChatCompletionFunctionTool,
  ChatCompletionToolChoiceOption,
} from "openai/resources/chat/completions";
import { isOpenAI } from "../../domain/catalogue.ts";
import type { Prompt, Tool, ToolChoice } from "../../domain/chat.ts";
import { isObject, objectOf } from "../json-value.ts";
import type { Json, Problem, PromptTarget } from "../protocol.ts";
import { takesParallelTrue } from "./model-traits.ts";

type OwnTool = Exclude<Tool, { kind: "hosted" }>;

/** Tools and what is said of their use; all of it is left out where there are none, for OpenAI refuses it then. */
export function writeTools(prompt: Prompt, target: PromptTarget): { body: Json } | { problem: Problem } {
  const { parallelTools } = prompt;
  const own = prompt.tools.filter(tool => tool.kind !== "hosted");
  const names = namesOf(prompt.toolChoice);
  const known = names.filter(name => own.some(tool => tool.name === name));
  if (names.length > 0 && known.length === 0) {
    const problem = `“tool_choice” names “${names[0]}”, which is no tool that the upstream of this model can be given`;
    return { problem: { param: "tool_choice", problem } };
  }
  if (own.length === 0) return { body: {} };
  // A tool that its provider would run is not there to be allowed.
  const toolChoice =
    prompt.toolChoice?.kind === "allowed" ? { ...prompt.toolChoice, names: known } : prompt.toolChoice;
  const isNarrowed = toolChoice?.kind === "allowed" && !isOpenAI(target.kind);
  const tools = isNarrowed ? own.filter(({ name }) => toolChoice.names.includes(name)) : own;
  const isTold = parallelTools === false || (parallelTools === true && takesParallelTrue(target.model));
  return {
    body: {
      tools: tools.map(writeTool),
      ...(toolChoice === null ? {} : { tool_choice: writeChoice({ choice: toolChoice, isNarrowed, own }) }),
      ...(isTold ? { parallel_tool_calls: parallelTools } : {}),
    },
  };
}

function namesOf(choice: ToolChoice | null): readonly string[] {
  if (choice?.kind === "named") return [choice.name];
  return choice?.kind === "allowed" ? choice.names : [];
}

function writeTool(tool: OwnTool): Json {
  const about = tool.description === null ? {} : { description: tool.description };
  if (tool.kind === "custom")
    return { type: "custom", custom: { name: tool.name, ...about, ...formatOf(tool.format) } };
  const spec = { name: tool.name, ...about, parameters: parametersOf(tool.schema) };
  // Not strict is what it is anyway, and many do not know the field.
  const strict = tool.strict === true ? { strict: true } : {};
  return { type: "function", function: { ...spec, ...strict } } satisfies ChatCompletionFunctionTool;
}

/** OpenAI takes an object's schema alone, and with its properties. */
function parametersOf(schema: unknown): Record<string, unknown> {
  const given = objectOf(schema);
  const type = given["type"] ?? "object";
  return type === "object" ? { ...given, type, properties: given["properties"] ?? {} } : { ...given, type };
}

/** The grammar's fields stand one step further in here. */
function formatOf(format: unknown): Json {
  if (!isObject(format)) return {};
  const { type, ...grammar } = format;
  return { format: type === "grammar" && grammar["grammar"] === undefined ? { type, grammar } : format };
}

type Choosing = { choice: ToolChoice; isNarrowed: boolean; own: readonly OwnTool[] };

/** Only OpenAI knows how to allow some of the tools; others are given none but these. */
function writeChoice({ choice, isNarrowed, own }: Choosing): ChatCompletionToolChoiceOption {
  const isCustom = (name: string) => own.some(tool => tool.kind === "custom" && tool.name === name);
  switch (choice.kind) {
    case "named":
      return isCustom(choice.name)
        ? { type: "custom", custom: { name: choice.name } }
        : { type: "function", function: { name: choice.name } };
    case "allowed": {
      if (isNarrowed) return choice.mode;
      const tools = choice.names.map(name =>
        isCustom(name) ? { type: "custom", custom: { name } } : { type: "function", function: { name } },
      );
      return { type: "allowed_tools", allowed_tools: { mode: choice.mode, tools } };
    }
    default:
      return choice.kind;
  }
}
