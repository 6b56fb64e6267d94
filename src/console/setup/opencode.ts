import { filePiece, KEY, shellPieces } from "./piece.ts";
import { jsonText } from "./safe-text.ts";
import { ANY, type ClientWriter } from "./scene.ts";

/** It fills in `{env:…}` and `{file:…}` before it reads the JSON, so a brace of a name is written as an escape. */
const BRACE = "\ue000";
const plain = (name: string) => name.replaceAll("{", BRACE);

export const opencode: ClientWriter = {
  wishes: ANY,
  write: ({ v1, model, models, words }) => {
    const config = {
      $schema: "https://opencode.ai/config.json",
      provider: {
        wicketgate: {
          npm: "@ai-sdk/openai-compatible",
          name: "Wicketgate",
          options: { baseURL: v1, apiKey: "{env:WICKETGATE_API_KEY}" },
          models: Object.fromEntries(models.map(({ name }) => [plain(name), {}])),
        },
      },
      model: `wicketgate/${plain(model)}`,
      small_model: `wicketgate/${plain(model)}`,
    };
    return {
      id: "opencode",
      name: "OpenCode",
      kind: "terminal",
      dialect: "chat",
      base_url: v1,
      pieces: [
        filePiece({
          title: words.fileOrMerge,
          file: "~/.config/opencode/opencode.json",
          language: "json",
          text: jsonText(config).replaceAll(BRACE, "\\u007b"),
        }),
        ...shellPieces({ title: words.shellThenStart("opencode"), set: { WICKETGATE_API_KEY: KEY } }),
      ],
      warnings: [words.opencodeOtherProviders],
      notes: [words.opencodeProject],
    };
  },
};
