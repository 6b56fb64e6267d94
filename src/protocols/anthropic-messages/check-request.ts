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
import { isAbsent, isObject } from "../json-value.ts";
import type { Json, Problem } from "../protocol.ts";

const ROLES = ["user", "assistant", "system"];
const PART_TYPES: ReadonlySet<string> = new Set([
  "text",
  "image",
  "document",
  "search_result",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "container_upload",
  "compaction",
  "tool_addition",
  "tool_removal",
  "mcp_tool_listing",
  "fallback",
]);
const NUMBERS: Readonly<Record<string, Range>> = {
  max_tokens: { min: 1, max: TOKENS_MAX, isWhole: true },
  temperature: { min: 0, max: 1 },
  top_p: { min: 0, max: 1 },
  top_k: { min: 0, max: TOKENS_MAX, isWhole: true },
};

/** What is wrong with a messages request, as far as it can be known before anybody is asked. */
export function messagesProblem(body: Json): Problem | null {
  const problem = countProblem(body);
  return problem === null && isAbsent(body["max_tokens"]) ? named("max_tokens", "is missing") : problem;
}

/** The same for a request that is only to be counted, which needs no limit. */
export function countProblem(body: Json): Problem | null {
  return (
    modelProblem(body) ??
    listProblem(body, "messages") ??
    systemProblem(body["system"]) ??
    turnsProblem(body) ??
    streamProblem(body) ??
    numbersProblem(body, NUMBERS) ??
    toolsProblem(body)
  );
}

function systemProblem(system: unknown): Problem | null {
  return isAbsent(system) ? null : contentProblem(system, "system");
}

function contentProblem(content: unknown, at: string): Problem | null {
  if (typeof content === "string") return null;
  return Array.isArray(content)
    ? partsProblem(content, { at, types: PART_TYPES })
    : named(at, "must be a text or a list of parts");
}

/** What the conversation has brought so far. */
type Seen = { calls: Set<string>; addsTools: boolean };
type Place = { at: string; seen: Seen };

function turnsProblem(body: Json): Problem | null {
  const { messages } = body;
  if (!Array.isArray(messages)) return null;
  const seen: Seen = { calls: new Set(), addsTools: false };
  for (let index = 0; index < messages.length; index++) {
    const problem = turnProblem(messages[index], { at: `messages[${index}]`, seen });
    if (problem !== null) return problem;
  }
  return seen.addsTools ? null : chosenProblem(body);
}

function turnProblem(message: unknown, { at, seen }: Place): Problem | null {
  if (!isObject(message)) return named(at, "must be an object");
  const { role, content } = message;
  const problem = roleProblem(role, { at, roles: ROLES }) ?? contentProblem(content, `${at}.content`);
  if (problem !== null || !Array.isArray(content)) return problem;
  for (let index = 0; index < content.length; index++) {
    const found = blockProblem(content[index], { at: `${at}.content[${index}]`, seen });
    if (found !== null) return found;
  }
  return null;
}

/** The tools that the upstream runs itself answer for themselves, and are not looked at. */
function blockProblem(block: Json, { at, seen }: Place): Problem | null {
  const { type, id, name, tool_use_id: answers, content } = block;
  switch (type) {
    case "tool_use":
      seen.calls.add(String(id));
      return textProblem(id, `${at}.id`) ?? textProblem(name, `${at}.name`);
    case "tool_result": {
      const problem = callIdProblem(answers, { param: `${at}.tool_use_id`, calls: seen.calls });
      return problem !== null || isAbsent(content) ? problem : contentProblem(content, `${at}.content`);
    }
    case "tool_addition":
      seen.addsTools = true;
      return null;
    default:
      return null;
  }
}

/** A set of tools, or a server of them, has names that are not written here. */
function chosenProblem({ tools, tool_choice: choice, mcp_servers: servers }: Json): Problem | null {
  if (!isObject(choice) || choice["type"] !== "tool") return null;
  const given: readonly unknown[] = Array.isArray(tools) ? tools : [];
  if (!isAbsent(servers) || given.some(isUnnamed)) return null;
  return choiceProblem([choice["name"]], new Set(given.map(tool => isObject(tool) && tool["name"])));
}

function isUnnamed(tool: unknown): boolean {
  return isObject(tool) && typeof tool["name"] !== "string";
}
