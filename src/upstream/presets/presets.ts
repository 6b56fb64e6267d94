import type { UpstreamKind } from "../../domain/catalogue.ts";
import { anthropic } from "./anthropic.ts";
import { anthropicCompatible } from "./anthropic-compatible.ts";
import { azureOpenai } from "./azure-openai.ts";
import { bedrock } from "./bedrock.ts";
import { deepseek } from "./deepseek.ts";
import { demo } from "./demo-preset.ts";
import { fireworks } from "./fireworks.ts";
import { gemini } from "./gemini.ts";
import { groq } from "./groq.ts";
import { llamaCpp } from "./llama-cpp.ts";
import { lmStudio } from "./lm-studio.ts";
import { minimax } from "./minimax.ts";
import { mistral } from "./mistral.ts";
import { moonshot } from "./moonshot.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openrouter } from "./openrouter.ts";
import type { Preset } from "./preset.ts";
import { qwen } from "./qwen.ts";
import { together } from "./together.ts";
import { vertexAnthropic, vertexGemini } from "./vertex.ts";
import { vllm } from "./vllm.ts";
import { xai } from "./xai.ts";
import { zhipu } from "./zhipu.ts";

/** Every kind of upstream. A new one is a file beside this one, a line here and its name in domain/catalogue.ts. */
export const PRESETS: Readonly<Record<UpstreamKind, Preset>> = {
  openai,
  "openai-compatible": openaiCompatible,
  anthropic,
  "anthropic-compatible": anthropicCompatible,
  "azure-openai": azureOpenai,
  bedrock,
  "vertex-anthropic": vertexAnthropic,
  "vertex-gemini": vertexGemini,
  gemini,
  openrouter,
  deepseek,
  moonshot,
  zhipu,
  qwen,
  minimax,
  mistral,
  groq,
  xai,
  together,
  fireworks,
  ollama,
  vllm,
  "lm-studio": lmStudio,
  "llama-cpp": llamaCpp,
  demo,
};
