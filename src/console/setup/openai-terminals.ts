import { KEY, shellPieces } from "./piece.ts";
import { ANY, type ClientWriter } from "./scene.ts";

/** Terminal clients that read the variables of OpenAI's libraries. */

export const qwenCode: ClientWriter = {
  wishes: [/qwen.*coder/i, /qwen/i, ...ANY],
  write: ({ v1, model, words }) => ({
    id: "qwen-code",
    name: "Qwen Code",
    kind: "terminal",
    dialect: "chat",
    base_url: v1,
    pieces: shellPieces({
      title: words.shellAndStart,
      set: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: v1, OPENAI_MODEL: model },
      run: ["qwen", "--auth-type", "openai"],
    }),
    warnings: [words.openaiVariables("qwen")],
    notes: [words.noGemini],
  }),
};

export const aider: ClientWriter = {
  wishes: ANY,
  write: ({ v1, model, words }) => ({
    id: "aider",
    name: "Aider",
    kind: "terminal",
    dialect: "chat",
    base_url: v1,
    pieces: shellPieces({
      title: words.shellAndStart,
      set: { OPENAI_API_BASE: v1, OPENAI_API_KEY: KEY },
      run: ["aider", "--model", `openai/${model}`],
    }),
    warnings: [words.openaiVariables("aider")],
    notes: [words.aiderPrefix],
  }),
};
