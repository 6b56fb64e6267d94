import { anthropicPython, anthropicTypescript } from "./anthropic-sdk.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { curl } from "./curl.ts";
import { continueDev, zed } from "./editor-files.ts";
import { chatbox, cherryStudio, cline, cursor, lobeChat, openWebUi } from "./filled-in.ts";
import { openaiPython, openaiTypescript } from "./openai-sdk.ts";
import { aider, qwenCode } from "./openai-terminals.ts";
import { opencode } from "./opencode.ts";
import { pickModel } from "./pick-model.ts";
import { KEY } from "./piece.ts";
import { ANY, type ClientText, type ClientWriter, type SetupModel } from "./scene.ts";
import { type Language, wordsOf } from "./words.ts";

/** In the order in which they are offered. */
const WRITERS: readonly ClientWriter[] = [
  ...[claudeCode, codex, opencode, qwenCode, aider],
  ...[cursor, cline, continueDev, zed],
  ...[cherryStudio, openWebUi, lobeChat, chatbox],
  ...[curl, openaiPython, openaiTypescript, anthropicPython, anthropicTypescript],
];

export type SetupAsk = {
  root: string;
  /** What the key can call. */
  models: readonly SetupModel[];
  /** Null: each client gets the one that suits it. */
  model: string | null;
  language: Language;
};

export type SetupTexts = { models: string[]; model: string | null; clients: ClientText[] };

/** How each client is set up; none where there is no model to set it up with. */
export function setupTexts({ root, models, model, language }: SetupAsk): SetupTexts {
  // A name that looks like the place of the key would be taken for it.
  const usable = models.filter(({ name }) => !name.includes(KEY));
  const names = usable.map(({ name }) => name);
  const words = wordsOf(language);
  const clients = WRITERS.flatMap(writer => {
    const chosen = model ?? pickModel(names, writer.wishes);
    if (chosen === null) return [];
    return writer.write({ root, v1: `${root}/v1`, model: chosen, models: usable, words });
  });
  return { models: names, model: model ?? pickModel(names, ANY), clients };
}
