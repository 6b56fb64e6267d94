import { isOpenAI, type UpstreamKind } from "../../domain/catalogue.ts";
import type { ReasoningAsk } from "../../domain/chat.ts";
import { effortOfBudget } from "../effort.ts";

/** What can only be told from the name of a model; routers put the maker before it, with a slash. */

export type TargetModel = { model: string; kind: UpstreamKind };

const O_SERIES = /(^|\/)o\d/i;
/** Azure writes 3.5 as 35. */
const GPT_5_AND_LATER = /(^|\/)gpt-(?!35)([5-9]|\d{2})/i;
const GPT_5_ITSELF = /(^|\/)gpt-5(-|$)/i;
const GEMINI_3_AND_LATER = /(^|\/)gemini-([3-9]|\d{2})/i;
const CLAUDE = /claude|anthropic/i;
/** Families that never think, and whose upstreams refuse to be asked how hard. */
const THOUGHTLESS = /(^|\/)(chat)?gpt-[34]|llama|gemma|mixtral|codestral|ministral/i;

/** OpenAI's newer models refuse `max_tokens`; most others do not know the new name. */
export function limitField({ model, kind }: TargetModel): "max_tokens" | "max_completion_tokens" {
  const isNewer = isOpenAI(kind) || O_SERIES.test(model) || GPT_5_AND_LATER.test(model);
  return isNewer ? "max_completion_tokens" : "max_tokens";
}

/** Routers pass cache marks on to Anthropic's models; others may refuse a field that they do not know. */
export function takesCacheMarks(model: string): boolean {
  return CLAUDE.test(model);
}

/** They refuse a tool call of theirs that comes back without the signature of the thought behind it. */
export function wantsThoughtSignature(model: string): boolean {
  return GEMINI_3_AND_LATER.test(model);
}

/** The first generations know one call at a time, and refuse to be told that they may make several. */
export function takesParallelTrue(model: string): boolean {
  return !O_SERIES.test(model);
}

/** The effort in the words that the model knows; null where nothing is to be said. */
export function effortFor(model: string, { effort, budgetTokens }: ReasoningAsk): string | null {
  const asked = effort ?? (budgetTokens === null ? null : effortOfBudget(budgetTokens));
  if (asked === null || THOUGHTLESS.test(model)) return null;
  const isFirst = O_SERIES.test(model);
  switch (asked) {
    case "none":
      return isFirst ? "low" : GPT_5_ITSELF.test(model) ? "minimal" : "none";
    case "minimal":
      return isFirst ? "low" : "minimal";
    case "xhigh":
    case "max":
      return isFirst || GPT_5_ITSELF.test(model) ? "high" : "xhigh";
    default:
      return asked;
  }
}
