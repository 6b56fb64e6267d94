import { pickModel } from "./pick-model.ts";
import { filePiece, KEY, shellPieces } from "./piece.ts";
import { jsonText } from "./safe-text.ts";
import { CLAUDE, type ClientWriter, contextOf, type Scene } from "./scene.ts";

/** It adds /v1/messages itself, so it gets the address without /v1. */
export const claudeCode: ClientWriter = {
  wishes: CLAUDE,
  write: scene => {
    const { root, words } = scene;
    const env = variables(scene);
    const list = Object.entries(env).map(([name, value]) => ({ name, value }));
    return {
      id: "claude-code",
      name: "Claude Code",
      kind: "terminal",
      dialect: "messages",
      base_url: root,
      pieces: [
        ...shellPieces({
          title: words.shellThenStart("claude"),
          unset: ["ANTHROPIC_API_KEY"],
          set: env,
        }),
        filePiece({
          title: words.orForGood,
          file: "~/.claude/settings.json",
          language: "json",
          text: jsonText({ env }),
        }),
        filePiece({
          title: words.claudeVsCode,
          file: "settings.json",
          language: "json",
          text: jsonText({ "claudeCode.environmentVariables": list }),
        }),
      ],
      warnings: [words.claudeOtherKey, words.claudeSettingsWin],
      notes: [
        words.claudeAliases,
        ...(/claude|anthropic/i.test(scene.model) ? [] : [words.claudeForeignModel]),
      ],
    };
  },
};

/** Its aliases and its small tasks name models of their own, which the group may not have. */
function variables(scene: Scene): Record<string, string> {
  const { root, model, models } = scene;
  const names = models.map(({ name }) => name);
  const alias = (wish: RegExp) => {
    const found = pickModel(names, [wish]);
    return found !== null && wish.test(found) ? found : model;
  };
  const context = contextOf(scene);
  return {
    ANTHROPIC_BASE_URL: root,
    ANTHROPIC_AUTH_TOKEN: KEY,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: alias(/claude.*opus/i),
    ANTHROPIC_DEFAULT_SONNET_MODEL: alias(/claude.*sonnet/i),
    ANTHROPIC_DEFAULT_HAIKU_MODEL: alias(/claude.*haiku/i),
    ANTHROPIC_DEFAULT_FABLE_MODEL: alias(/claude.*fable/i),
    ...(context === null || /claude|anthropic/i.test(model)
      ? {}
      : { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(context) }),
  };
}
