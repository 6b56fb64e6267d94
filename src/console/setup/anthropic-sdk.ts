import { install, keyPieces } from "./openai-sdk.ts";
import { filePiece, NODE_ENVIRONMENT } from "./piece.ts";
import { quoted } from "./safe-text.ts";
import { CLAUDE, type ClientText, type ClientWriter, type Scene } from "./scene.ts";

/** Anthropic's own libraries, which add /v1/messages themselves. */

export const anthropicPython: ClientWriter = {
  wishes: CLAUDE,
  write: scene => ({
    ...about(scene, { id: "anthropic-python", name: "Anthropic SDK (Python)" }),
    pieces: [
      install(scene, "pip install anthropic"),
      ...keyPieces(scene),
      filePiece({
        ...{ title: scene.words.code, file: "hello.py", language: "python" },
        text: [
          "import os",
          "",
          "from anthropic import Anthropic",
          "",
          `client = Anthropic(base_url=${quoted(scene.root)}, api_key=os.environ["WICKETGATE_API_KEY"])`,
          "",
          "message = client.messages.create(",
          `    model=${quoted(scene.model)},`,
          "    max_tokens=200,",
          `    messages=[{"role": "user", "content": "Say hello in five words."}],`,
          ")",
          `print("".join(block.text for block in message.content if block.type == "text"))`,
        ].join("\n"),
      }),
    ],
  }),
};

export const anthropicTypescript: ClientWriter = {
  wishes: CLAUDE,
  write: scene => ({
    ...about(scene, { id: "anthropic-typescript", name: "Anthropic SDK (TypeScript)" }),
    pieces: [
      install(scene, "npm install @anthropic-ai/sdk"),
      ...keyPieces(scene),
      filePiece({
        ...{ title: scene.words.code, file: "hello.mts", language: "typescript" },
        text: [
          `import Anthropic from "@anthropic-ai/sdk";`,
          "",
          "const client = new Anthropic({",
          `  baseURL: ${quoted(scene.root)},`,
          `  apiKey: ${NODE_ENVIRONMENT}["WICKETGATE_API_KEY"],`,
          "});",
          "",
          "const message = await client.messages.create({",
          `  model: ${quoted(scene.model)},`,
          "  max_tokens: 200,",
          `  messages: [{ role: "user", content: "Say hello in five words." }],`,
          "});",
          `console.log(message.content.map(block => (block.type === "text" ? block.text : "")).join(""));`,
        ].join("\n"),
      }),
    ],
  }),
};

function about({ root, words }: Scene, named: Pick<ClientText, "id" | "name">) {
  return {
    ...named,
    kind: "code" as const,
    dialect: "messages" as const,
    base_url: root,
    warnings: [words.sdkBaseUrl("Anthropic"), words.anthropicVariables],
    notes: [],
  };
}
