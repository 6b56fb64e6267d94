import type { ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages";
import type { ReasoningAsk } from "../../domain/chat.ts";
import type { ClaudeTraits } from "./claude-traits.ts";

/** Less than this the dialect does not take. */
export const BUDGET_TOKENS_MIN = 1_024;
const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

export type ThinkingPlan = { thinking: ThinkingConfigParam | null; effort: string | null };

export type ThinkingWish = {
  ask: ReasoningAsk | null;
  traits: ClaudeTraits;
  outputTokensMax: number;
  /** The model has to call a tool, which it may not think about. */
  isForced: boolean;
  /** The answer was begun for it: it can think no more. */
  isBegun: boolean;
  /** It is between a call and its answer, and what it thought before that call is not here. */
  hasForgotten: boolean;
};

const NOTHING: ThinkingPlan = { thinking: null, effort: null };

/** How much the model is to think, in the words that it knows. What cannot be said to it is left out. */
export function planThinking(wish: ThinkingWish): ThinkingPlan {
  const { ask, traits, isForced, isBegun } = wish;
  if (ask === null || traits.thinking === "none") return NOTHING;
  const isOff = ask.effort === "none" || isForced || isBegun;
  if (traits.thinking === "budget") return isOff || wish.hasForgotten ? NOTHING : byBudget(ask, wish);
  if (!isOff) return { thinking: { type: "adaptive", ...display(ask.shows) }, effort: effortOf(ask, traits) };
  if (traits.canStopThinking) return { thinking: { type: "disabled" }, effort: null };
  // It always thinks: the least of it is all that can be asked for.
  return { thinking: null, effort: ask.effort === "none" ? "low" : effortOf(ask, traits) };
}

function byBudget(ask: ReasoningAsk, { traits, outputTokensMax }: ThinkingWish): ThinkingPlan {
  const budget = budgetOf(ask, outputTokensMax);
  if (budget < BUDGET_TOKENS_MIN) return NOTHING;
  // It is told by default, and others may not know the field.
  const hidden = ask.shows === false && traits.isClaude ? display(false) : {};
  return { thinking: { type: "enabled", budget_tokens: budget, ...hidden }, effort: null };
}

/** Zero where there is none. The budget is part of the limit, and an effort leaves half of that for the answer. */
function budgetOf({ effort, budgetTokens }: ReasoningAsk, outputTokensMax: number): number {
  if (budgetTokens !== null) return Math.min(budgetTokens, outputTokensMax - 1);
  if (effort === null) return 0;
  const asked = Object.hasOwn(BUDGETS, effort) ? (BUDGETS[effort] ?? 0) : 0;
  const half = Math.floor(outputTokensMax / 2);
  return Math.min(asked, Math.max(half, Math.min(BUDGET_TOKENS_MIN, outputTokensMax - 1)));
}

function effortOf({ effort, budgetTokens }: ReasoningAsk, { takesExtraEffort }: ClaudeTraits): string | null {
  switch (effort) {
    case null:
      return budgetTokens === null ? null : effortFor(budgetTokens);
    case "minimal":
      return "low";
    case "xhigh":
      return takesExtraEffort ? "xhigh" : "high";
    case "low":
    case "medium":
    case "high":
    case "max":
      return effort;
    default:
      return null;
  }
}

function effortFor(budgetTokens: number): string {
  if (budgetTokens < 4_096) return "low";
  return budgetTokens < 12_288 ? "medium" : "high";
}

function display(shows: boolean | null): { display?: "summarized" | "omitted" } {
  return shows === null ? {} : { display: shows ? "summarized" : "omitted" };
}
