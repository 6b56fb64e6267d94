import { UPSTREAM_KINDS, type UpstreamKind } from "../../../domain/catalogue.ts";
import { PRESETS } from "../../../upstream/presets/presets.ts";
import type { Calls } from "../../contract/contract.ts";
import type { Handlers } from "../visit.ts";

type PresetView = Calls["GET /operator/presets"]["answer"]["presets"][number];
type Told = { name: string; keysUrl?: string; note?: string };

const SERVICE_ACCOUNT =
  "The key is the JSON file of a service account in base64, or an access token. Models are entered by name.";

/** What people call them, and where their keys are made. */
const TOLD: Readonly<Record<Exclude<UpstreamKind, "demo">, Told>> = {
  openai: { name: "OpenAI", keysUrl: "https://platform.openai.com/api-keys" },
  anthropic: { name: "Anthropic", keysUrl: "https://platform.claude.com/settings/keys" },
  gemini: { name: "Google Gemini", keysUrl: "https://aistudio.google.com/apikey" },
  "azure-openai": {
    name: "Azure OpenAI",
    keysUrl: "https://ai.azure.com",
    note: "Models are entered by the names of their deployments.",
  },
  bedrock: {
    name: "Amazon Bedrock",
    keysUrl: "https://console.aws.amazon.com/bedrock/home#/api-keys",
    note: "Claude models, entered by name. The key is a Bedrock API key, or ACCESS_KEY_ID:SECRET_ACCESS_KEY.",
  },
  "vertex-anthropic": {
    name: "Google Vertex AI: Claude",
    keysUrl: "https://console.cloud.google.com/iam-admin/serviceaccounts",
    note: SERVICE_ACCOUNT,
  },
  "vertex-gemini": {
    name: "Google Vertex AI: Gemini",
    keysUrl: "https://console.cloud.google.com/iam-admin/serviceaccounts",
    note: SERVICE_ACCOUNT,
  },
  openrouter: { name: "OpenRouter", keysUrl: "https://openrouter.ai/settings/keys" },
  deepseek: { name: "DeepSeek", keysUrl: "https://platform.deepseek.com/api_keys" },
  moonshot: {
    name: "Moonshot AI (Kimi)",
    keysUrl: "https://platform.moonshot.ai/console/api-keys",
    note: "A key of the platform in China needs the address https://api.moonshot.cn/v1.",
  },
  zhipu: {
    name: "Zhipu (Z.ai)",
    keysUrl: "https://z.ai/manage-apikey/apikey-list",
    note: "A key of the platform in China needs the address https://open.bigmodel.cn/api/paas/v4.",
  },
  qwen: {
    name: "Qwen (DashScope)",
    keysUrl: "https://bailian.console.alibabacloud.com/?tab=model#/api-key",
    note: "A key of the platform in China needs the address https://dashscope.aliyuncs.com/compatible-mode/v1.",
  },
  minimax: {
    name: "MiniMax",
    keysUrl: "https://platform.minimax.io/user-center/basic-information/interface-key",
    note: "A key of the platform in China needs the address https://api.minimaxi.com/v1.",
  },
  mistral: { name: "Mistral", keysUrl: "https://console.mistral.ai/api-keys" },
  groq: { name: "Groq", keysUrl: "https://console.groq.com/keys" },
  xai: { name: "xAI", keysUrl: "https://console.x.ai" },
  together: { name: "Together AI", keysUrl: "https://api.together.ai/settings/api-keys" },
  fireworks: { name: "Fireworks AI", keysUrl: "https://app.fireworks.ai/settings/users/api-keys" },
  ollama: { name: "Ollama" },
  vllm: { name: "vLLM" },
  "lm-studio": { name: "LM Studio" },
  "llama-cpp": { name: "llama.cpp" },
  "openai-compatible": { name: "Anything that speaks OpenAI's API" },
  "anthropic-compatible": { name: "Anything that speaks Anthropic's API" },
};

export const presetHandlers = {
  "GET /operator/presets": async () => ({
    presets: UPSTREAM_KINDS.flatMap(kind => (kind === "demo" ? [] : [view(kind)])),
  }),
} satisfies Pick<Handlers, "GET /operator/presets">;

function view(kind: Exclude<UpstreamKind, "demo">): PresetView {
  const { baseUrl, addressExample, needsCredential, speaks } = PRESETS[kind];
  const { name, keysUrl, note } = TOLD[kind];
  const example = addressExample === undefined ? [] : [`Its address looks like ${addressExample}.`];
  const notes = [...example, ...(note === undefined ? [] : [note])];
  return {
    ...{ kind, name, base_url: baseUrl, needs_base_url: baseUrl === null, needs_key: needsCredential },
    speaks: [...speaks],
    keys_url: keysUrl ?? null,
    note: notes.length === 0 ? null : notes.join(" "),
  };
}
