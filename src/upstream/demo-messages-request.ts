import { isObject, type JsonObject } from "./demo-json.ts";
import { together } from "./demo-messages-blocks.ts";
import { countPrompt, readMark } from "./demo-messages-cache.ts";
import { readToolChoice, readTools } from "./demo-messages-tools.ts";
import {
  callsWithoutThought,
  conversation,
  readContent,
  readTurns,
  type Turn,
} from "./demo-messages-turns.ts";
import type { DemoAsk, DemoMessage } from "./demo-plan.ts";
import type { DemoRefusal } from "./demo-settings.ts";
import { type Refuse, refusals } from "./demo-task.ts";

/** How the answer is to be written, beside what it says. */
export type MessagesDelivery = { stream: boolean; showsThoughts: boolean };

type Read = { ask: DemoAsk; delivery: MessagesDelivery } | { refusal: DemoRefusal };

// Other dialects' names. They come from a client that was pointed here by mistake, or from a bad translation.
const FOREIGN = [
  "frequency_penalty",
  "input",
  "instructions",
  "max_completion_tokens",
  "max_output_tokens",
  "n",
  "parallel_tool_calls",
  "presence_penalty",
  "reasoning_effort",
  "response_format",
  "seed",
  "stop",
  "stream_options",
] as const;

/** Reads a Messages request; a request to count its tokens is the same without a limit for the answer. */
export function readMessages(body: JsonObject, purpose: "answer" | "count"): Read {
  const { refuse, first } = refusals((param, message) => `${param}: ${message}`);
  for (const field of FOREIGN) {
    if (body[field] !== undefined) refuse(field, "is not a field of this dialect");
  }
  const tokensMax = readTokensMax({ value: body["max_tokens"], isNeeded: purpose === "answer" }, refuse);
  const { tools, stretches: toolStretches } = readTools(body["tools"], refuse);
  const system = readSystem(body["system"], refuse);
  const turns = readTurns(body["messages"], refuse);
  const stretches = [...toolStretches, ...system.stretches, ...turns.flatMap(turn => turn.stretches)];
  checkTemperature(body["temperature"], refuse);
  const thinking = readThinking({ body, turns, tokensMax }, refuse);
  const ask: DemoAsk = {
    messages: [...system.messages, ...conversation(turns)],
    tools,
    ...readToolChoice({ choice: body["tool_choice"], tools: body["tools"], known: tools }, refuse),
    format: readFormat(body["output_config"], refuse),
    tokensMax,
    stops: readStops(body["stop_sequences"], refuse),
    thinks: thinking.thinks,
    prompt: countPrompt({ stretches, whole: readMark({ holder: body, path: "" }, refuse) }, refuse),
  };
  const stream = body["stream"] ?? false;
  if (typeof stream !== "boolean") refuse("stream", "must be true or false");
  const refusal = first();
  if (refusal !== null) return { refusal };
  return { ask, delivery: { stream: stream === true, showsThoughts: thinking.shows } };
}

function readTokensMax(limit: { value: unknown; isNeeded: boolean }, refuse: Refuse): number | null {
  const { value, isNeeded } = limit;
  if (value === undefined && !isNeeded) return null;
  if (value === undefined) refuse("max_tokens", "is required");
  else if (typeof value === "number" && Number.isInteger(value) && value >= 1) return value;
  else refuse("max_tokens", "must be a whole number of at least 1");
  return null;
}

function readSystem(
  system: unknown,
  refuse: Refuse,
): { messages: DemoMessage[]; stretches: Turn["stretches"] } {
  if (system === undefined || system === null) return { messages: [], stretches: [] };
  const { blocks, stretches } = readContent({ content: system, path: "system", within: "system" }, refuse);
  const message: DemoMessage = { role: "instruction", ...together(blocks), calls: [], isError: false };
  return { messages: [message], stretches };
}

function checkTemperature(temperature: unknown, refuse: Refuse): void {
  if (temperature === undefined || temperature === null) return;
  if (typeof temperature === "number" && temperature >= 0 && temperature <= 1) return;
  refuse("temperature", "must be a number from 0 to 1");
}

const BUDGET_TOKENS_MIN = 1_024;
const DISPLAYS: readonly unknown[] = ["summarized", "omitted"];

type Asked = { body: JsonObject; turns: readonly Turn[]; tokensMax: number | null };

function readThinking(asked: Asked, refuse: Refuse): { thinks: boolean; shows: boolean } {
  const { body, turns } = asked;
  const config = body["thinking"];
  if (config === undefined || config === null) return { thinks: false, shows: true };
  const { type, display } = isObject(config) ? config : {};
  if (display !== undefined && display !== null && !DISPLAYS.includes(display)) {
    refuse("thinking.display", `must be one of ${DISPLAYS.join(", ")}`);
  }
  const shows = display !== "omitted";
  switch (type) {
    case "disabled":
      return { thinks: false, shows };
    case "adaptive":
      return { thinks: true, shows };
    case "between_tools":
      return { thinks: turns.at(-1)?.blocks.some(block => block.kind === "result") === true, shows };
    case "enabled":
      checkEnabled(asked, refuse);
      return { thinks: true, shows };
    default:
      refuse("thinking.type", "must be one of enabled, adaptive, between_tools, disabled");
      return { thinks: false, shows };
  }
}

/** The rules that come with a thinking budget. */
function checkEnabled({ body, turns, tokensMax }: Asked, refuse: Refuse): void {
  const { thinking, temperature, tool_choice: choice } = body;
  const budget = isObject(thinking) ? thinking["budget_tokens"] : undefined;
  if (typeof budget !== "number" || !Number.isInteger(budget) || budget < BUDGET_TOKENS_MIN) {
    refuse("thinking.budget_tokens", `must be a whole number of at least ${BUDGET_TOKENS_MIN}`);
  } else if (tokensMax !== null && tokensMax <= budget) {
    refuse("max_tokens", "must be greater than `thinking.budget_tokens`");
  }
  if ((temperature ?? 1) !== 1) refuse("temperature", "must be 1 with thinking");
  if (isObject(choice) && (choice["type"] === "any" || choice["type"] === "tool")) {
    refuse("tool_choice.type", "must be auto or none with thinking");
  }
  const thoughtless = callsWithoutThought(turns);
  if (thoughtless !== null) {
    refuse(
      `${thoughtless}.content.0.type`,
      "with thinking, a last turn that calls tools must begin with a thought",
    );
  }
}

const EFFORTS: readonly unknown[] = ["low", "medium", "high", "xhigh", "max"];

function readFormat(config: unknown, refuse: Refuse): DemoAsk["format"] {
  if (config === undefined || config === null) return { kind: "text" };
  if (!isObject(config)) refuse("output_config", "must be an object");
  const { effort, format } = isObject(config) ? config : {};
  if (effort !== undefined && effort !== null && !EFFORTS.includes(effort)) {
    refuse("output_config.effort", `must be one of ${EFFORTS.join(", ")}`);
  }
  if (format === undefined || format === null) return { kind: "text" };
  if (isObject(format) && format["type"] === "json_schema" && isObject(format["schema"])) {
    return { kind: "schema", schema: format["schema"] };
  }
  refuse("output_config.format", "must be of type json_schema with its schema");
  return { kind: "text" };
}

function readStops(stops: unknown, refuse: Refuse): string[] {
  if (stops === undefined || stops === null) return [];
  const texts = Array.isArray(stops) ? stops.filter(stop => typeof stop === "string") : [];
  if (!Array.isArray(stops) || texts.length !== stops.length)
    refuse("stop_sequences", "must be a list of texts");
  if (texts.some(text => text.trim() === "")) {
    refuse("stop_sequences", "each must hold more than blanks");
  }
  return texts;
}
