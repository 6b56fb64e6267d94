import type { z } from "zod";
import type { setupClient } from "../contract/keys.ts";
import type { Words } from "./words.ts";

export type ClientText = z.output<typeof setupClient>;

export type SetupModel = { name: string; contextTokens: number | null };

/** What every text is written from. */
export type Scene = {
  /** The address of the house, without /v1. */
  root: string;
  /** What OpenAI-style clients are given. */
  v1: string;
  /** The one to begin with. */
  model: string;
  /** All that the key can call. */
  models: readonly SetupModel[];
  words: Words;
};

/** One client: how it likes its model, and what has to be told to it. */
export type ClientWriter = {
  wishes: readonly RegExp[];
  write: (scene: Scene) => ClientText;
};

/** Models of the makers whose own clients these are, the strongest common one first. */
export const CLAUDE = [/claude.*sonnet/i, /claude.*opus/i, /claude/i] as const;
export const GPT = [/codex/i, /^gpt-[\d.]+$/i, /^gpt-/i] as const;
export const ANY = [...CLAUDE, ...GPT] as const;

export function contextOf({ models, model }: Scene): number | null {
  return models.find(({ name }) => name === model)?.contextTokens ?? null;
}
