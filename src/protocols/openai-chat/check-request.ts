import {
  callIdProblem,
  choiceProblem,
  listProblem,
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
} from "../check-fields.ts";
import { isAbsent, isObject, objectOf } from "../json-value.ts";
import type { Json, Problem } from "../protocol.ts";

const CHOICES_MAX = 128;
const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];
/** Those of OpenAI, and what others who speak this dialect have added. */
const PART_TYPES: ReadonlySet<string> = new Set([
  "text",
  "image_url",
  "input_audio",
  "file",
  "refusal",
  "video_url",
  "audio_url",
  "document_url",
  "thinking",
]);
const NUMBERS: Readonly<Record<string, Range>> = {
  n: { min: 1, max: CHOICES_MAX, isWhole: true },
  max_tokens: { min: 1, max: TOKENS_MAX, isWhole: true },
  max_completion_tokens: { min: 1, max: TOKENS_MAX, isWhole: true },
  temperature: { min: 0, max: 2 },
  top_p: { min: 0, max: 1 },
  // Some write -1 for none.
  top_k: { min: -1, max: TOKENS_MAX, isWhole: true },
  frequency_penalty: { min: -2, max: 2 },
  presence_penalty: { min: -2, max: 2 },
};

/** What is wrong with a chat request, as far as it can be known before anybody is asked; null where nothing is. */
export function chatProblem(body: Json): Problem | null {
  return (
    modelProblem(body) ??
    listProblem(body, "messages") ??
    messagesProblem(body["messages"]) ??
    streamProblem(body) ??
    numbersProblem(body, NUMBERS) ??
    limitsProblem(body) ??
    toolsProblem(body) ??
    chosenProblem(body)
  );
}

function limitsProblem({ max_tokens: old, max_completion_tokens: asked }: Json): Problem | null {
  if (isAbsent(old) || isAbsent(asked) || old === asked) return null;
  const problem = "“max_tokens” and “max_completion_tokens” differ: give one of them";
  return { param: "max_tokens", problem };
}

/** Where something stands, and the calls that came before it. */
type Place = { at: string; calls: Set<string> };

function messagesProblem(messages: unknown): Problem | null {
  if (!Array.isArray(messages)) return null;
  const calls = new Set<string>();
  for (let index = 0; index < messages.length; index++) {
    const problem = messageProblem(messages[index], { at: `messages[${index}]`, calls });
    if (problem !== null) return problem;
  }
  return null;
}

function messageProblem(message: unknown, { at, calls }: Place): Problem | null {
  if (!isObject(message)) return named(at, "must be an object");
  const { role, content } = message;
  const problem = roleProblem(role, { at, roles: ROLES }) ?? contentProblem(content, `${at}.content`);
  if (problem !== null) return problem;
  if (role === "tool") return callIdProblem(message["tool_call_id"], { param: `${at}.tool_call_id`, calls });
  return role === "assistant" ? callsProblem(message, { at, calls }) : null;
}

function contentProblem(content: unknown, at: string): Problem | null {
  if (typeof content === "string" || isAbsent(content)) return null;
  return Array.isArray(content)
    ? partsProblem(content, { at, types: PART_TYPES })
    : named(at, "must be a text or a list of parts");
}

/** Notes the calls, for the results that follow. */
function callsProblem(message: Json, { at, calls }: Place): Problem | null {
  const { tool_calls: made, function_call: old } = message;
  if (!isAbsent(old)) return textProblem(objectOf(old)["name"], `${at}.function_call.name`);
  if (isAbsent(made)) return null;
  if (!Array.isArray(made)) return named(`${at}.tool_calls`, "must be a list");
  for (let index = 0; index < made.length; index++) {
    const problem = callProblem(made[index], { at: `${at}.tool_calls[${index}]`, calls });
    if (problem !== null) return problem;
  }
  return null;
}

function callProblem(call: unknown, { at, calls }: Place): Problem | null {
  if (!isObject(call)) return named(at, "must be an object");
  const kind = isObject(call["custom"]) ? "custom" : "function";
  calls.add(String(call["id"]));
  return textProblem(call["id"], `${at}.id`) ?? textProblem(nameOf(call), `${at}.${kind}.name`);
}

/** A tool, a call of one and the choice of one all have their name in the same place. */
function nameOf(tool: unknown): unknown {
  const { function: called, custom } = objectOf(tool);
  return objectOf(isObject(custom) ? custom : called)["name"];
}

function chosenProblem({ tools, tool_choice: choice }: Json): Problem | null {
  if (!isObject(choice)) return null;
  const allowed = objectOf(choice["allowed_tools"])["tools"];
  const chosen = Array.isArray(allowed) ? allowed : [choice];
  return choiceProblem(chosen.map(nameOf), new Set(Array.isArray(tools) ? tools.map(nameOf) : []));
}
