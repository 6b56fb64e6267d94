import type { Reasoning } from "openai/resources/shared";
import { isOpenAI } from "../../domain/catalogue.ts";
import type { Prompt, ReasoningAsk, Turn } from "../../domain/chat.ts";
import { effortOfBudget } from "../effort.ts";
import type { Json, Problem, PromptTarget } from "../protocol.ts";
import { toCallId } from "../tool-id.ts";
import { type SentItem, writeInput } from "./write-input.ts";
import { writeText } from "./write-text.ts";
import { writeToolChoice, writeTools } from "./write-tools.ts";

/** OpenAI takes no smaller limit. */
const OUTPUT_TOKENS_MIN = 16;
const SERVICE_TIERS = new Set(["auto", "default", "flex", "scale", "priority"]);

/** They do not think, and refuse a request that speaks of it. */
const THOUGHTLESS = /^(gpt-3|gpt-4|chatgpt|gpt-5[\d.]*-chat)/;

export function writeResponsesPrompt(
  prompt: Prompt,
  target: PromptTarget,
): { body: Json } | { problem: Problem } {
  if (prompt.stops.length > 0)
    return {
      problem: {
        param: "stop",
        problem:
          "the upstream of this model knows no stop sequences, so leave “stop” or “stop_sequences” out",
      },
    };
  const { instructions, turns } = splitInstructions(prompt.turns);
  const input = writeInput(turns);
  if ("problem" in input) return input;
  return {
    body: {
      model: target.model,
      ...conversation(instructions, input.items),
      ...(prompt.stream ? { stream: true } : {}),
      store: false,
      ...writeToolFields(prompt),
      ...writeAnswerFields(prompt, target),
      ...writeCallerFields(prompt, target),
    },
  };
}

/** The first instructions are the ones for the whole conversation; those that come later stay where they stand. */
function splitInstructions(turns: readonly Turn[]): { instructions: string; turns: readonly Turn[] } {
  const [first, ...rest] = turns;
  if (first?.role !== "system") return { instructions: "", turns };
  const texts = first.parts.map(part => (part.kind === "text" ? part.text : null));
  if (texts.includes(null)) return { instructions: "", turns };
  return { instructions: texts.filter(text => text !== "").join("\n\n"), turns: rest };
}

/** There has to be an input, and instructions can be one. */
function conversation(instructions: string, items: readonly SentItem[]): Json {
  if (instructions === "") return { input: items };
  if (items.length > 0) return { instructions, input: items };
  const content = [{ type: "input_text", text: instructions }];
  return { input: [{ type: "message", role: "developer", content }] };
}

function writeToolFields({ tools, toolChoice, parallelTools }: Prompt): Json {
  const written = writeTools(tools);
  if (written.length === 0) return {};
  return {
    tools: written,
    ...(toolChoice === null ? {} : { tool_choice: writeToolChoice(toolChoice, tools) }),
    ...(parallelTools === null ? {} : { parallel_tool_calls: parallelTools }),
  };
}

/** A default is left out: models that take no other value would refuse even that. */
function writeAnswerFields(prompt: Prompt, target: PromptTarget): Json {
  const { temperature, topP, format, verbosity } = prompt;
  const limit = target.outputTokensMax ?? prompt.outputTokensMax;
  const text = writeText(format, verbosity);
  return {
    ...(limit === null ? {} : { max_output_tokens: Math.max(limit, OUTPUT_TOKENS_MIN) }),
    ...(temperature === null || temperature === 1 ? {} : { temperature }),
    ...(topP === null || topP === 1 ? {} : { top_p: topP }),
    ...(text === null ? {} : { text }),
    ...writeReasoningFields(prompt.reasoning, target.model),
  };
}

function writeReasoningFields(ask: ReasoningAsk | null, model: string): Json {
  if (THOUGHTLESS.test(model)) return {};
  const reasoning = ask === null ? null : writeReasoningAsk(ask, model);
  return {
    include: ["reasoning.encrypted_content"],
    ...(reasoning === null ? {} : { reasoning }),
  };
}

function writeReasoningAsk(ask: ReasoningAsk, model: string): { effort?: string; summary?: "auto" } | null {
  const effort = effortFor(ask, model);
  const reasoning = {
    ...(effort === null ? {} : { effort }),
    ...(ask.shows === true ? { summary: "auto" as const satisfies Reasoning["summary"] } : {}),
  };
  return Object.keys(reasoning).length === 0 ? null : reasoning;
}

function effortFor({ effort, budgetTokens }: ReasoningAsk, model: string): string | null {
  if (effort === "none") return leastEffort(model);
  if (effort !== null) return effort;
  return budgetTokens === null ? null : effortOfBudget(budgetTokens);
}

/** The first models that think cannot be told not to. */
function leastEffort(model: string): string {
  if (/^o\d|^gpt-5-codex|^codex/.test(model)) return "low";
  return /^gpt-5(-|$)/.test(model) ? "minimal" : "none";
}

function writeCallerFields({ user, cacheKey, serviceTier }: Prompt, { kind }: PromptTarget): Json {
  const caller = isOpenAI(kind) ? "safety_identifier" : "user";
  return {
    ...(user === null || user === "" ? {} : { [caller]: toCallId(user) }),
    ...(cacheKey === null || cacheKey === "" ? {} : { prompt_cache_key: toCallId(cacheKey) }),
    ...(serviceTier !== null && SERVICE_TIERS.has(serviceTier) ? { service_tier: serviceTier } : {}),
  };
}
