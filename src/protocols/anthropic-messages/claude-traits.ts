/** What a model of this dialect takes, told by its name. A wrong field is refused, so each is sent only where it is known. */
export type ClaudeTraits = {
  /** By a budget of tokens, or as the model sees fit, with an effort at most. */
  thinking: "none" | "budget" | "adaptive";
  canStopThinking: boolean;
  /** Temperature and its like: all of them, one of temperature and top_p, or none. */
  sampling: "all" | "one" | "none";
  /** Instructions in the middle of the conversation. */
  takesInstructions: boolean;
  takesSchema: boolean;
  takesExtraEffort: boolean;
  /** Its maker is Anthropic, and so are the newest fields known. */
  isClaude: boolean;
};

/** Others who speak the dialect do so as it was when Claude 4 was new. */
const OTHERS: ClaudeTraits = {
  thinking: "budget",
  canStopThinking: false,
  sampling: "all",
  takesInstructions: false,
  takesSchema: true,
  takesExtraEffort: false,
  isClaude: false,
};

const NAME = /claude-(?:([a-z]+)-)?v?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/;
const NEWEST = 99_99;

/** A Claude whose number cannot be told is taken for the newest. */
export function claudeTraits(model: string): ClaudeTraits {
  const name = model.toLowerCase();
  if (!name.includes("claude")) return OTHERS;
  const [, family = "", major, minor = "0"] = NAME.exec(name) ?? [];
  const version = major === undefined ? NEWEST : Number(major) * 100 + Number(minor);
  const isUsual = family === "" || ["opus", "sonnet", "haiku"].includes(family);
  return {
    thinking: version >= 4_06 ? "adaptive" : version >= 3_07 ? "budget" : "none",
    canStopThinking: version >= 4_06 && version < 5_05 && isUsual,
    sampling: version >= 4_07 ? "none" : version >= 4_01 ? "one" : "all",
    takesInstructions: version >= 4_08,
    takesSchema: version >= 4_01,
    takesExtraEffort: version >= 4_07,
    isClaude: true,
  };
}
