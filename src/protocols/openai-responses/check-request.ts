import {
  callIdProblem,
  choiceProblem,
  isKnownType,
  modelProblem,
  named,
  numbersProblem,
  partsProblem,
  type Range,
  roleProblem,
  streamProblem,
  TOKENS_MAX,
  textProblem,
  toolsProblem,
  unknownType,
} from "../check-fields.ts";
import { isAbsent, isObject, isText } from "../json-value.ts";
import type { Json, Problem } from "../protocol.ts";

const ROLES = ["system", "developer", "user", "assistant"];
const ITEM_TYPES: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "compaction",
  "compaction_summary",
  "compaction_trigger",
  "additional_tools",
  "configuration_update",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "program",
]);
/** Those of a message that is sent, of one that was answered, and of both as they are kept in a conversation. */
const PART_TYPES: ReadonlySet<string> = new Set([
  "input_text",
  "input_image",
  "input_file",
  "input_audio",
  "output_text",
  "output_audio",
  "refusal",
  "text",
  "summary_text",
  "reasoning_text",
  "computer_screenshot",
  "encrypted_content",
]);
const NUMBERS: Readonly<Record<string, Range>> = {
  max_output_tokens: { min: 1, max: TOKENS_MAX, isWhole: true },
  temperature: { min: 0, max: 2 },
  top_p: { min: 0, max: 1 },
};
/** With one of these the conversation says less than the model reads, so calls and tools may stand elsewhere. */
const REFERS = new Set<unknown>(["item_reference", "compaction", "compaction_summary"]);
const BRINGS_TOOLS = new Set<unknown>(["additional_tools", "tool_search_output", "configuration_update"]);

/** What is wrong with a responses request, as far as it can be known before anybody is asked. */
export function responsesProblem(body: Json): Problem | null {
  return (
    modelProblem(body) ??
    stateProblem(body) ??
    inputProblem(body) ??
    streamProblem(body) ??
    numbersProblem(body, NUMBERS) ??
    toolsProblem(body) ??
    chosenProblem(body)
  );
}

/** Answers are not kept here, and the next request may go to another upstream. */
function stateProblem({ previous_response_id: previous, conversation, background }: Json): Problem | null {
  const instead = "since no answers are kept here: send the whole conversation in “input” instead";
  if (!isAbsent(previous) && previous !== "")
    return named("previous_response_id", `cannot be used, ${instead}`);
  if (!isAbsent(conversation)) return named("conversation", `cannot be used, ${instead}`);
  return background === true ? named("background", "cannot be true, since no answers are kept here") : null;
}

function inputProblem({ input, prompt }: Json): Problem | null {
  // A prompt that the upstream keeps may be all there is to say.
  if (isAbsent(input)) return isObject(prompt) ? null : named("input", "is missing");
  if (typeof input !== "string" && !Array.isArray(input)) return named("input", "must be a text or a list");
  if (input.length === 0) return named("input", "is empty");
  return typeof input === "string" ? null : itemsProblem(input);
}

/** Where an item stands, and the calls that came before it; null where not all of them can be known. */
type Place = { at: string; calls: Set<string> | null };

function itemsProblem(items: readonly unknown[]): Problem | null {
  const calls = items.some(item => isObject(item) && REFERS.has(typeOf(item))) ? null : new Set<string>();
  for (let index = 0; index < items.length; index++) {
    const problem = itemProblem(items[index], { at: `input[${index}]`, calls });
    if (problem !== null) return problem;
  }
  return null;
}

/** A message may leave its type out, and so may the mere id of an item. */
function typeOf(item: Json): unknown {
  const { type, role, id } = item;
  if (!isAbsent(type)) return type;
  return role !== undefined ? "message" : typeof id === "string" ? "item_reference" : undefined;
}

function itemProblem(item: unknown, place: Place): Problem | null {
  const { at } = place;
  if (!isObject(item)) return named(at, "must be an object");
  const type = typeOf(item);
  if (type === undefined) return named(`${at}.type`, "is missing");
  if (typeof type !== "string") return named(`${at}.type`, "must be a text");
  if (type === "message") return messageProblem(item, at);
  if (!isKnownType(type, ITEM_TYPES)) return unknownType({ at, type });
  if (type.endsWith("_call")) return callProblem(item, { ...place, type });
  return type.endsWith("_call_output") ? resultProblem(item, { ...place, type }) : null;
}

function messageProblem({ role, content }: Json, at: string): Problem | null {
  const problem = roleProblem(role, { at, roles: ROLES });
  if (problem !== null || typeof content === "string") return problem;
  return Array.isArray(content)
    ? partsProblem(content, { at: `${at}.content`, types: PART_TYPES })
    : named(`${at}.content`, "must be a text or a list of parts");
}

/** Notes the call, for the result that follows. Only those that the client runs need to be told apart. */
function callProblem(item: Json, { type, at, calls }: Place & { type: string }): Problem | null {
  const { call_id: id, name } = item;
  if (isText(id)) calls?.add(id);
  if (type !== "function_call" && type !== "custom_tool_call") return null;
  return textProblem(id, `${at}.call_id`) ?? textProblem(name, `${at}.name`);
}

function resultProblem(item: Json, { type, at, calls }: Place & { type: string }): Problem | null {
  const { call_id: id, output } = item;
  // One kind of call is known by the id of its item.
  if (type === "local_shell_call_output" && isAbsent(id)) return null;
  if (calls === null) return textProblem(id, `${at}.call_id`);
  const problem = callIdProblem(id, { param: `${at}.call_id`, calls });
  if (problem !== null || !type.startsWith("function_") || !Array.isArray(output)) return problem;
  return partsProblem(output, { at: `${at}.output`, types: PART_TYPES });
}

function chosenProblem({ tools, tool_choice: choice, input, prompt }: Json): Problem | null {
  if (!isObject(choice) || isObject(prompt)) return null;
  if (Array.isArray(input) && input.some(item => isObject(item) && BRINGS_TOOLS.has(item["type"])))
    return null;
  const chosen = Array.isArray(choice["tools"]) ? choice["tools"] : [choice];
  const names = new Set<unknown>();
  if (Array.isArray(tools)) for (const tool of tools) addNames(names, tool);
  return choiceProblem(chosen.filter(isOwn).map(nameOf), names);
}

/** Those that the client defines; the others are known to the upstream by their type. */
function isOwn(tool: unknown): boolean {
  return isObject(tool) && (tool["type"] === "function" || tool["type"] === "custom");
}

function nameOf(tool: unknown): unknown {
  return isObject(tool) ? tool["name"] : undefined;
}

function addNames(names: Set<unknown>, tool: unknown): void {
  if (!isObject(tool)) return;
  names.add(tool["name"]);
  if (Array.isArray(tool["tools"])) for (const inner of tool["tools"]) names.add(nameOf(inner));
}
