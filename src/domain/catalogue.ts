import type { Group } from "./group.ts";
import type { Id } from "./ids.ts";
import type { Model } from "./model.ts";
import type { BasisPoints } from "./money.ts";
import type { Dialect } from "./usage.ts";

/** How an upstream is spoken to; what is known of each is in upstream/presets. */
export const UPSTREAM_KINDS = [
  "openai",
  "openai-compatible",
  "anthropic",
  "anthropic-compatible",
  "azure-openai",
  "bedrock",
  "vertex-anthropic",
  "vertex-gemini",
  "gemini",
  "openrouter",
  "deepseek",
  "moonshot",
  "zhipu",
  "qwen",
  "minimax",
  "mistral",
  "groq",
  "xai",
  "together",
  "fireworks",
  "ollama",
  "vllm",
  "lm-studio",
  "llama-cpp",
  "demo",
] as const;
export type UpstreamKind = (typeof UPSTREAM_KINDS)[number];

/** OpenAI's own models behind OpenAI's own rules, whoever runs them. */
export function isOpenAI(kind: UpstreamKind): boolean {
  return kind === "openai" || kind === "azure-openai";
}

/** One of an upstream's keys: sealed, and opened only by the module that makes outbound calls. */
export type Credential = { id: Id<"crd">; sealed: Uint8Array };

const SHORT_ID_CHARACTERS = 8;

/** Enough of its id to tell it from the others in a log or a list. */
export function shortId(id: Id<"crd">): string {
  return id.slice(-SHORT_ID_CHARACTERS);
}

export type Upstream = {
  id: Id<"ups">;
  name: string;
  kind: UpstreamKind;
  baseUrl: string | null;
  speaks: readonly Dialect[];
  /** Its keys, which requests take turns with; none where it needs none. */
  credentials: readonly Credential[];
  priority: number;
  weight: number;
  /** How many requests each instance has there at once; null is as many as come. */
  concurrencyMax: number | null;
  /** How often it is asked something small while nobody else asks; null is never. */
  probeMinutes: number | null;
  /** When the operator last put it back to work; what it did before is forgotten. */
  resetAtMs: number | null;
  /** The operator asks nothing of it for now. */
  isPaused: boolean;
  /** What it asks of us, as a part of the list price. */
  cost: BasisPoints;
  /** Public model name to the name the upstream knows. */
  models: ReadonlyMap<string, string>;
};

/** A versioned picture of what the gateway offers, re-read within 250 ms of a change. */
export type Catalogue = {
  revision: number;
  groups: ReadonlyMap<Id<"grp">, Group>;
  models: ReadonlyMap<string, Model>;
  upstreams: readonly Upstream[];
};
