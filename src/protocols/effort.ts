const LOW_TOKENS_MAX = 4_096;
const MEDIUM_TOKENS_MAX = 16_384;

/** The effort that a budget of tokens comes to, in OpenAI's dialects, which know no budgets. */
export function effortOfBudget(budgetTokens: number): string {
  if (budgetTokens <= LOW_TOKENS_MAX) return "low";
  return budgetTokens <= MEDIUM_TOKENS_MAX ? "medium" : "high";
}
