import type { Prompt } from "../domain/chat.ts";
import type { Dialect } from "../domain/usage.ts";
import type { Problem, PromptTarget, Protocol } from "./protocol.ts";
import { type ToolBook, type ToolRules, toolBook } from "./tool-book.ts";

/** All three take names of 64 characters; longer ones are taken by some of their models, or not everywhere. */
const NAME_CHARACTERS_MAX = 64;

const RULES: Record<Dialect, ToolRules> = {
  // Custom tools are known to OpenAI's own models alone, and chat is what everybody else speaks too.
  chat: { custom: false, namespaces: false, nameCharactersMax: NAME_CHARACTERS_MAX },
  messages: { custom: false, namespaces: false, nameCharactersMax: NAME_CHARACTERS_MAX },
  responses: { custom: true, namespaces: true, nameCharactersMax: NAME_CHARACTERS_MAX },
};

export type PromptTranslation = { prompt: Prompt; to: Protocol; target: PromptTarget };

/** A client's prompt in the dialect of an upstream, and the book that its answer has to be read with. */
export function translatePrompt({
  prompt,
  to,
  target,
}: PromptTranslation): { bytes: Uint8Array; book: ToolBook } | { problem: Problem } {
  const { prompt: rewritten, book } = toolBook(prompt, RULES[to.dialect]);
  const written = to.writePrompt(rewritten, target);
  if ("problem" in written) return written;
  return { bytes: Buffer.from(JSON.stringify(written.body)), book };
}
