import { filePiece, KEY, shellPieces } from "./piece.ts";
import { jsonText, quoted } from "./safe-text.ts";
import { ANY, type ClientWriter } from "./scene.ts";

/** Where a model's context is not known, an editor is told this. */
const CONTEXT_TOKENS_USUAL = 128_000;

/** Editors that are set up by a file. */

export const continueDev: ClientWriter = {
  wishes: ANY,
  write: ({ v1, model, words }) => ({
    id: "continue",
    name: "Continue",
    kind: "editor",
    dialect: "chat",
    base_url: v1,
    pieces: [
      filePiece({
        title: words.continueFile,
        file: "~/.continue/config.yaml",
        language: "yaml",
        text: [
          "name: Wicketgate",
          "version: 1.0.0",
          "schema: v1",
          "models:",
          `  - name: ${quoted(`${model} (Wicketgate)`)}`,
          "    provider: openai",
          `    model: ${quoted(model)}`,
          `    apiBase: ${quoted(v1)}`,
          `    apiKey: "${KEY}"`,
          "    roles: [chat, edit, apply]",
        ].join("\n"),
      }),
    ],
    warnings: [words.continueOtherModels],
    notes: [],
  }),
};

export const zed: ClientWriter = {
  wishes: ANY,
  write: ({ v1, models, words }) => ({
    id: "zed",
    name: "Zed",
    kind: "editor",
    dialect: "chat",
    base_url: v1,
    pieces: [
      filePiece({
        title: words.zedFile,
        file: "settings.json",
        language: "json",
        text: jsonText({
          language_models: {
            openai_compatible: { Wicketgate: { api_url: v1, available_models: models.map(zedModel) } },
          },
        }),
      }),
      ...shellPieces({ title: words.zedKey, set: { WICKETGATE_API_KEY: KEY } }),
    ],
    warnings: [words.zedOwnProvider],
    notes: [words.zedKeychain],
  }),
};

function zedModel({ name, contextTokens }: { name: string; contextTokens: number | null }) {
  return {
    name,
    display_name: name,
    max_tokens: contextTokens ?? CONTEXT_TOKENS_USUAL,
    capabilities: {
      tools: true,
      images: false,
      parallel_tool_calls: false,
      prompt_cache_key: false,
      chat_completions: true,
    },
  };
}
