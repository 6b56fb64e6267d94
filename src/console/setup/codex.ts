import { filePiece, KEY, shellPieces } from "./piece.ts";
import { quoted } from "./safe-text.ts";
import { type ClientWriter, GPT } from "./scene.ts";

/** It speaks responses alone, and reads its provider from its own file. */
export const codex: ClientWriter = {
  wishes: GPT,
  write: ({ v1, model, words }) => ({
    id: "codex",
    name: "Codex",
    kind: "terminal",
    dialect: "responses",
    base_url: v1,
    pieces: [
      filePiece({
        title: words.codexFile,
        file: "~/.codex/config.toml",
        language: "toml",
        text: [
          `model = ${quoted(model)}`,
          `model_provider = "wicketgate"`,
          "",
          "[model_providers.wicketgate]",
          `name = "Wicketgate"`,
          `base_url = ${quoted(v1)}`,
          `env_key = "WICKETGATE_API_KEY"`,
          `wire_api = "responses"`,
        ].join("\n"),
      }),
      ...shellPieces({ title: words.shellThenStart("codex"), set: { WICKETGATE_API_KEY: KEY } }),
    ],
    warnings: [words.codexBaseUrlIgnored],
    notes: [words.codexTopOfFile, words.codexMetadata],
  }),
};
