import type { Group } from "./group.ts";
import type { Id } from "./ids.ts";
import type { Model } from "./model.ts";
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

export type Upstream = {
  id: Id<"ups">;
  name: string;
  kind: UpstreamKind;
  baseUrl: string | null;
  speaks: readonly Dialect[];
  /** Sealed; opened only by the module that makes outbound calls. */
  credential: Uint8Array | null;
  priority: number;
  weight: number;
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
