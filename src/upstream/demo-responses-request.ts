import { EFFORTS } from "./demo-chat-request.ts";
import { isObject, type JsonObject, jsonText } from "./demo-json.ts";
import { type DemoAsk, type DemoMessage, promptTokens } from "./demo-plan.ts";
import { readInput } from "./demo-responses-input.ts";
import { readToolChoice, readTools } from "./demo-responses-tools.ts";
import type { DemoRefusal } from "./demo-settings.ts";
import { type Refuse, refusals } from "./demo-task.ts";
import { NO_MEDIA } from "./demo-text.ts";

/** How the answer is to be written, beside what it says. */
export type ResponsesDelivery = {
  stream: boolean;
  /** Whether a summary of the thoughts is wanted, and whether they are wanted sealed. */
  showsThoughts: boolean;
  sealsThoughts: boolean;
  /** The fields of the request that an answer repeats, as a JSON object. */
  echo: string;
};

// Other dialects' names. They come from a client that was pointed here by mistake, or from a bad translation.
const FOREIGN = [
  "frequency_penalty",
  "max_completion_tokens",
  "max_tokens",
  "messages",
  "n",
  "presence_penalty",
  "reasoning_effort",
  "response_format",
  "seed",
  "stop",
  "stop_sequences",
  "system",
  "thinking",
] as const;

const STATEFUL = ["previous_response_id", "conversation", "prompt"] as const;

/** Reads a Responses request; the first field at fault decides the refusal. */
export function readResponses(
  body: JsonObject,
): { ask: DemoAsk; delivery: ResponsesDelivery } | { refusal: DemoRefusal } {
  const { refuse, first } = refusals();
  for (const field of FOREIGN) {
    if (body[field] !== undefined) refuse(field, `'${field}' is not a parameter of this path.`);
  }
  for (const field of STATEFUL) {
    if (body[field] !== undefined && body[field] !== null) {
      refuse(field, `'${field}' refers to something kept, but nothing is kept here.`);
    }
  }
  const messages = [...readInstructions(body["instructions"], refuse), ...readInput(body["input"], refuse)];
  const tools = readTools(body["tools"], refuse);
  const reasoning = readReasoning(body["reasoning"], refuse);
  const ask: DemoAsk = {
    messages,
    ...readToolChoice({ choice: body["tool_choice"], tools }, refuse),
    parallelTools: body["parallel_tool_calls"] !== false,
    format: readFormat(body["text"], refuse),
    tokensMax: readTokensMax(body["max_output_tokens"], refuse),
    stops: [],
    thinks: reasoning.thinks,
    prompt: { tokens: promptTokens(messages, tools), marked: null },
  };
  const delivery = readDelivery({ body, showsThoughts: reasoning.shows }, refuse);
  const refusal = first();
  return refusal === null ? { ask, delivery } : { refusal };
}

function readInstructions(instructions: unknown, refuse: Refuse): DemoMessage[] {
  if (instructions === undefined || instructions === null) return [];
  if (typeof instructions !== "string") refuse("instructions", "'instructions' must be text.");
  const text = typeof instructions === "string" ? instructions : "";
  return [{ role: "instruction", text, media: NO_MEDIA, calls: [], isError: false }];
}

function readReasoning(reasoning: unknown, refuse: Refuse): { thinks: boolean; shows: boolean } {
  if (reasoning === undefined || reasoning === null) return { thinks: false, shows: false };
  if (!isObject(reasoning)) refuse("reasoning", "'reasoning' must be an object.");
  const { effort, summary } = isObject(reasoning) ? reasoning : {};
  const isGiven = effort !== undefined && effort !== null;
  if (isGiven && !EFFORTS.includes(effort)) {
    refuse("reasoning.effort", `'reasoning.effort' must be one of ${EFFORTS.join(", ")}.`);
  }
  return { thinks: isGiven && effort !== "none", shows: summary !== undefined && summary !== null };
}

function readFormat(text: unknown, refuse: Refuse): DemoAsk["format"] {
  const format = isObject(text) ? text["format"] : undefined;
  if (format === undefined || format === null) return { kind: "text" };
  const { type, schema, name } = isObject(format) ? format : {};
  if (type === "text") return { kind: "text" };
  if (type === "json_object") return { kind: "json" };
  if (type === "json_schema" && isObject(schema)) {
    if (typeof name !== "string" || name === "")
      refuse("text.format.name", "'text.format.name' must be text.");
    return { kind: "schema", schema };
  }
  refuse("text.format", "'text.format' must be of type text, json_object, or json_schema with its schema.");
  return { kind: "text" };
}

const TOKENS_MIN = 16;

function readTokensMax(value: unknown, refuse: Refuse): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isInteger(value) && value >= TOKENS_MIN) return value;
  refuse("max_output_tokens", `'max_output_tokens' must be a whole number of at least ${TOKENS_MIN}.`);
  return null;
}

const SEALED = "reasoning.encrypted_content";

function readDelivery(
  asked: { body: JsonObject; showsThoughts: boolean },
  refuse: Refuse,
): ResponsesDelivery {
  const { body, showsThoughts } = asked;
  const stream = body["stream"] ?? false;
  if (typeof stream !== "boolean") refuse("stream", "'stream' must be true or false.");
  const include = body["include"] ?? [];
  if (!Array.isArray(include)) refuse("include", "'include' must be a list.");
  const echo = jsonText(echoOf(body));
  if (echo === null) refuse("tools", "The request is nested too deeply.");
  return {
    stream: stream === true,
    showsThoughts,
    sealsThoughts: Array.isArray(include) && include.includes(SEALED),
    echo: echo ?? "{}",
  };
}

function echoOf(body: JsonObject): object {
  const { reasoning, text } = body;
  return {
    background: false,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    max_tool_calls: body["max_tool_calls"] ?? null,
    metadata: body["metadata"] ?? {},
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: null,
    prompt_cache_key: body["prompt_cache_key"] ?? null,
    reasoning: { effort: null, summary: null, ...(isObject(reasoning) ? reasoning : {}) },
    safety_identifier: body["safety_identifier"] ?? null,
    service_tier: "default",
    store: body["store"] ?? true,
    temperature: body["temperature"] ?? 1,
    text: { format: { type: "text" }, ...(isObject(text) ? text : {}) },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_logprobs: 0,
    top_p: body["top_p"] ?? 1,
    truncation: body["truncation"] ?? "disabled",
    user: body["user"] ?? null,
  };
}
