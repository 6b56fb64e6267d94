import { isObject, type JsonObject } from "./demo-json.ts";
import { type DemoAsk, type DemoMessage, type DemoTool, promptTokens } from "./demo-plan.ts";
import type { DemoRefusal } from "./demo-settings.ts";
import { type Refuse, refusals } from "./demo-task.ts";
import type { DemoMedia } from "./demo-text.ts";

/** How the answer is to be written, beside what it says. */
export type ChatDelivery = { stream: boolean; usageChunk: boolean };

/** Reads a chat-completions request; the first field at fault decides the refusal. */
export function readChat(
  body: JsonObject,
): { ask: DemoAsk; delivery: ChatDelivery } | { refusal: DemoRefusal } {
  const { refuse, first } = refusals();
  const messages = readMessages(body["messages"], refuse);
  if (body["n"] !== undefined && body["n"] !== null && body["n"] !== 1) {
    refuse("n", "The demo model gives one choice; 'n' must be 1.");
  }
  const tools = readTools(body["tools"], refuse);
  const ask: DemoAsk = {
    messages,
    tools,
    toolChoice: readToolChoice({ choice: body["tool_choice"], tools }, refuse),
    parallelTools: body["parallel_tool_calls"] !== false,
    format: readFormat(body["response_format"], refuse),
    tokensMax: readTokensMax(body, refuse),
    stops: readStops(body["stop"], refuse),
    thinks: readsEffort(body["reasoning_effort"], refuse),
    prompt: { tokens: promptTokens(messages, tools), marked: null },
  };
  const delivery = readDelivery(body, refuse);
  const refusal = first();
  return refusal === null ? { ask, delivery } : { refusal };
}

function readMessages(messages: unknown, refuse: Refuse): DemoMessage[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    refuse("messages", "'messages' must be a list of at least one message.");
    return [];
  }
  return messages.map((message: unknown, index) =>
    readMessage({ message, param: `messages[${index}]` }, refuse),
  );
}

const ROLES: ReadonlyMap<unknown, DemoMessage["role"]> = new Map<unknown, DemoMessage["role"]>([
  ["system", "instruction"],
  ["developer", "instruction"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
]);

function readMessage(at: { message: unknown; param: string }, refuse: Refuse): DemoMessage {
  const message = isObject(at.message) ? at.message : {};
  const role = ROLES.get(message["role"]);
  if (role === undefined) {
    refuse(
      `${at.param}.role`,
      `'${at.param}' must be an object with a role: ${[...ROLES.keys()].join(", ")}.`,
    );
  }
  const text = readText(message["content"]);
  if (text === null) refuse(`${at.param}.content`, `'${at.param}.content' must be text or a list of parts.`);
  return {
    role: role ?? "user",
    text: text ?? "",
    media: readMedia(message["content"]),
    calls: readCalls(message["tool_calls"]),
    isError: false,
  };
}

function readText(content: unknown): string | null {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  return content
    .map((part: unknown) => (isObject(part) ? part["text"] : part))
    .filter(text => typeof text === "string")
    .join("\n");
}

function readMedia(content: unknown): DemoMedia {
  const types: unknown[] = Array.isArray(content)
    ? content.map((part: unknown) => (isObject(part) ? part["type"] : null))
    : [];
  const count = (wanted: string) => types.filter(type => type === wanted).length;
  return { images: count("image_url"), documents: count("file"), sounds: count("input_audio") };
}

function readCalls(calls: unknown): DemoMessage["calls"] {
  if (!Array.isArray(calls)) return [];
  return calls
    .map((call: unknown) => (isObject(call) ? call["function"] : null))
    .filter(isObject)
    .map(({ name, arguments: given }) => ({ name: textOf(name), arguments: textOf(given) }));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const NAME_CHARS_MAX = 64;

function readTools(tools: unknown, refuse: Refuse): DemoTool[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) {
    refuse("tools", "'tools' must be a list.");
    return [];
  }
  return tools.flatMap((tool: unknown, index): DemoTool[] => {
    if (isObject(tool) && tool["type"] !== "function") return [];
    const described = isObject(tool) && isObject(tool["function"]) ? tool["function"] : {};
    const { name, description, parameters } = described;
    if (typeof name === "string" && name !== "" && name.length <= NAME_CHARS_MAX) {
      return [{ kind: "function", name, namespace: null, description: textOf(description), parameters }];
    }
    refuse(
      `tools[${index}].function.name`,
      `'tools[${index}]' must be a function with a name of up to ${NAME_CHARS_MAX} characters.`,
    );
    return [];
  });
}

function readToolChoice(
  asked: { choice: unknown; tools: readonly DemoTool[] },
  refuse: Refuse,
): DemoAsk["toolChoice"] {
  const { choice, tools } = asked;
  if (choice === undefined || choice === null || choice === "auto") return { kind: "auto" };
  if (choice === "none") return { kind: "none" };
  if (choice === "required") {
    if (tools.length === 0) refuse("tool_choice", "'tool_choice' asks for a tool, but 'tools' has none.");
    return { kind: "required" };
  }
  const named = isObject(choice) && isObject(choice["function"]) ? choice["function"]["name"] : undefined;
  const tool = tools.find(one => one.name === named);
  if (tool !== undefined) return { kind: "named", name: tool.name };
  refuse("tool_choice", "'tool_choice' must be none, auto, required, or a function that 'tools' has.");
  return { kind: "auto" };
}

function readFormat(format: unknown, refuse: Refuse): DemoAsk["format"] {
  if (format === undefined || format === null) return { kind: "text" };
  const type = isObject(format) ? format["type"] : undefined;
  if (type === "text") return { kind: "text" };
  if (type === "json_object") return { kind: "json" };
  const described = isObject(format) ? format["json_schema"] : undefined;
  if (type === "json_schema" && isObject(described)) return { kind: "schema", schema: described["schema"] };
  refuse(
    "response_format",
    "'response_format' must be of type text, json_object, or json_schema with its schema.",
  );
  return { kind: "text" };
}

function readTokensMax(body: JsonObject, refuse: Refuse): number | null {
  let least: number | null = null;
  for (const field of ["max_completion_tokens", "max_tokens"]) {
    const value = body[field];
    if (value === undefined || value === null) continue;
    if (typeof value === "number" && Number.isInteger(value) && value >= 1) {
      least = Math.min(least ?? value, value);
    } else {
      refuse(field, `'${field}' must be a whole number of at least 1.`);
    }
  }
  return least;
}

const STOPS_MAX = 4;
const STOP_CHARS_MAX = 256;

function readStops(stop: unknown, refuse: Refuse): string[] {
  const stops: unknown[] = Array.isArray(stop) ? stop : [stop ?? ""];
  const texts = stops.filter(one => typeof one === "string").filter(text => text.length <= STOP_CHARS_MAX);
  if (texts.length !== stops.length || stops.length > STOPS_MAX) {
    refuse("stop", `'stop' must be up to ${STOPS_MAX} texts of up to ${STOP_CHARS_MAX} characters.`);
  }
  return texts.filter(text => text !== "");
}

export const EFFORTS: readonly unknown[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

function readsEffort(effort: unknown, refuse: Refuse): boolean {
  if (effort === undefined || effort === null) return false;
  if (!EFFORTS.includes(effort)) {
    refuse("reasoning_effort", `'reasoning_effort' must be one of ${EFFORTS.join(", ")}.`);
  }
  return effort !== "none" && effort !== "minimal";
}

function readDelivery(body: JsonObject, refuse: Refuse): ChatDelivery {
  const stream = body["stream"] ?? false;
  if (typeof stream !== "boolean") refuse("stream", "'stream' must be true or false.");
  const options = body["stream_options"] ?? {};
  if (!isObject(options)) refuse("stream_options", "'stream_options' must be an object.");
  return { stream: stream === true, usageChunk: isObject(options) && options["include_usage"] === true };
}
