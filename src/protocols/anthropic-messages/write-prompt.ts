import type { TextBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { CacheMark, Format, Prompt } from "../../domain/chat.ts";
import { Problems } from "../problems.ts";
import type { Json, Problem, PromptTarget } from "../protocol.ts";
import { type ClaudeTraits, claudeTraits } from "./claude-traits.ts";
import { outputSchema } from "./output-schema.ts";
import { planThinking, type ThinkingPlan } from "./thinking.ts";
import { limitMarks, type Markable, writeCache } from "./write-cache.ts";
import { writeTools } from "./write-tools.ts";
import { isThought, type WrittenMessage, writeTurns } from "./write-turns.ts";

/** For clients that set no limit: the dialect must have one. */
const OUTPUT_TOKENS_DEFAULT = 4_096;
const USER_CHARACTERS_MAX = 256;
/** With thinking, fewer choices than these are refused. */
const THINKING_TOP_P_MIN = 0.95;
const SERVICE_TIERS = ["auto", "standard_only"];

export function writeMessagesPrompt(
  prompt: Prompt,
  target: PromptTarget,
): { body: Json } | { problem: Problem } {
  const problems = new Problems();
  const traits = claudeTraits(target.model);
  const { system, messages } = writeTurns(prompt.turns, { traits, problems });
  if (problems.first !== null) return { problem: problems.first };
  const { tools, choice, isForced } = writeTools(prompt);
  const outputTokensMax = target.outputTokensMax ?? prompt.outputTokensMax ?? OUTPUT_TOKENS_DEFAULT;
  const isBegun = messages.at(-1)?.role === "assistant";
  const hasForgotten = hasForgottenThoughts(messages);
  const wish = { ask: prompt.reasoning, traits, outputTokensMax, isForced, isBegun, hasForgotten };
  const plan = planThinking(wish);
  const instructions = [...system, ...formatSentence(prompt.format, traits)];
  const cache = wholeMark(prompt, [...tools, ...system, ...markables(messages)]);
  limitMarks({ front: [...tools, ...system], messages: markables(messages), isWhole: cache !== null });
  return {
    body: {
      model: target.model,
      max_tokens: outputTokensMax,
      ...(prompt.stream && { stream: true }),
      ...(instructions.length > 0 && { system: instructions }),
      messages,
      ...(tools.length > 0 && { tools }),
      ...(choice !== null && { tool_choice: choice }),
      ...(plan.thinking !== null && { thinking: plan.thinking }),
      ...outputConfig(prompt.format, { plan, traits }),
      ...sampling(prompt, { plan, traits }),
      ...plainSettings(prompt),
      ...writeCache(cache),
    },
  };
}

/**
 * Other dialects cache by themselves and only give a key for it. Here nothing is kept without a mark, and the same long
 * conversation would be paid for in full at every turn.
 */
function wholeMark({ cache, cacheKey }: Prompt, blocks: readonly Markable[]): CacheMark | null {
  if (cache !== null || cacheKey === null) return cache;
  return blocks.some(block => (block.cache_control ?? null) !== null) ? null : { ttl: null };
}

/**
 * The model is in the middle of using tools, and what it thought before the first of them cannot be given back. All
 * that it does until it answers is one turn to the upstream, and a turn with thoughts begins with one.
 */
function hasForgottenThoughts(messages: readonly WrittenMessage[]): boolean {
  const begin = messages.findLastIndex(
    ({ role, content }) => role === "user" && !content.some(({ type }) => type === "tool_result"),
  );
  const first = messages.slice(begin + 1).find(({ role }) => role === "assistant")?.content[0];
  return first !== undefined && !isThought(first);
}

function markables(messages: readonly WrittenMessage[]): Markable[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block): Markable[] => {
      if (block.type !== "tool_result" || !Array.isArray(block.content)) return [block as Markable];
      return [...(block.content as Markable[]), block];
    }),
  );
}

function outputConfig(
  format: Format | null,
  { plan, traits }: { plan: ThinkingPlan; traits: ClaudeTraits },
): Json {
  const schema = format?.kind === "schema" && traits.takesSchema ? outputSchema(format.schema) : null;
  const config = {
    ...(plan.effort !== null && { effort: plan.effort }),
    ...(schema !== null && { format: { type: "json_schema", schema } }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

/** What the dialect has no field for, the model is told. */
function formatSentence(format: Format | null, { takesSchema }: ClaudeTraits): TextBlockParam[] {
  if (format === null || format.kind === "text") return [];
  const wanted = "Answer with one JSON object and nothing else: no words around it and no code fence.";
  if (format.kind !== "schema") return [{ type: "text", text: wanted }];
  if (takesSchema) return [];
  return [
    { type: "text", text: `${wanted} It must match this JSON schema:\n${JSON.stringify(format.schema)}` },
  ];
}

function sampling(prompt: Prompt, { plan, traits }: { plan: ThinkingPlan; traits: ClaudeTraits }): Json {
  if (traits.sampling === "none") return {};
  const { temperature, topP, topK } = prompt;
  const isThinking = plan.thinking !== null && plan.thinking.type !== "disabled";
  if (isThinking) return topP !== null && topP >= THINKING_TOP_P_MIN ? { top_p: topP } : {};
  const hasTopP = topP !== null && (temperature === null || traits.sampling === "all");
  return {
    // Other dialects go up to 2.
    ...(temperature !== null && { temperature: Math.min(1, temperature) }),
    ...(hasTopP && { top_p: topP }),
    ...(topK !== null && { top_k: topK }),
  };
}

function plainSettings({ stops, user, serviceTier }: Prompt): Json {
  const told = stops.filter(stop => stop.trim() !== "");
  return {
    ...(told.length > 0 && { stop_sequences: told }),
    ...(user !== null &&
      user !== "" &&
      user.length <= USER_CHARACTERS_MAX && { metadata: { user_id: user } }),
    ...(serviceTier !== null && SERVICE_TIERS.includes(serviceTier) && { service_tier: serviceTier }),
  };
}
