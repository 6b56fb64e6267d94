import { filePiece, KEY, NODE_ENVIRONMENT, type Piece, shellPieces } from "./piece.ts";
import { quoted } from "./safe-text.ts";
import { ANY, type ClientText, type ClientWriter, type Scene } from "./scene.ts";

/** OpenAI's own libraries. */

export const openaiPython: ClientWriter = {
  wishes: ANY,
  write: scene => ({
    ...about(scene, { id: "openai-python", name: "OpenAI SDK (Python)" }),
    pieces: [
      install(scene, "pip install openai"),
      ...keyPieces(scene),
      filePiece({
        ...{ title: scene.words.code, file: "hello.py", language: "python" },
        text: [
          "import os",
          "",
          "from openai import OpenAI",
          "",
          `client = OpenAI(base_url=${quoted(scene.v1)}, api_key=os.environ["WICKETGATE_API_KEY"])`,
          "",
          "completion = client.chat.completions.create(",
          `    model=${quoted(scene.model)},`,
          `    messages=[{"role": "user", "content": "Say hello in five words."}],`,
          ")",
          "print(completion.choices[0].message.content)",
        ].join("\n"),
      }),
    ],
  }),
};

export const openaiTypescript: ClientWriter = {
  wishes: ANY,
  write: scene => ({
    ...about(scene, { id: "openai-typescript", name: "OpenAI SDK (TypeScript)" }),
    pieces: [
      install(scene, "npm install openai"),
      ...keyPieces(scene),
      filePiece({
        ...{ title: scene.words.code, file: "hello.mts", language: "typescript" },
        text: [
          `import OpenAI from "openai";`,
          "",
          "const client = new OpenAI({",
          `  baseURL: ${quoted(scene.v1)},`,
          `  apiKey: ${NODE_ENVIRONMENT}["WICKETGATE_API_KEY"],`,
          "});",
          "",
          "const completion = await client.chat.completions.create({",
          `  model: ${quoted(scene.model)},`,
          `  messages: [{ role: "user", content: "Say hello in five words." }],`,
          "});",
          "console.log(completion.choices[0]?.message.content);",
        ].join("\n"),
      }),
    ],
  }),
};

function about({ v1, words }: Scene, named: Pick<ClientText, "id" | "name">) {
  return {
    ...named,
    kind: "code" as const,
    dialect: "chat" as const,
    base_url: v1,
    warnings: [words.sdkBaseUrl("OpenAI")],
    notes: [words.sdkAlsoResponses],
  };
}

/** Both libraries of a language begin the same way. */
export function install({ words }: Scene, command: string): Piece {
  return { title: words.install, shell: null, file: null, language: "bash", text: command };
}

export function keyPieces({ words }: Scene): Piece[] {
  return shellPieces({ title: words.keyInEnvironment, set: { WICKETGATE_API_KEY: KEY } });
}
