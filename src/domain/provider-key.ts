/** What is known of a key that belongs to an official provider: who made it, and which setting holds it. */
export type ProviderKey = { provider: string; setting: string };

type Row = ProviderKey & { pattern: RegExp };

/** The first match wins, so a narrow shape stands before the wide one that would take it too. */
const PROVIDER_KEYS: readonly Row[] = [
  {
    pattern: /^sk-ant-(?:oat|ort|sid)/,
    provider: "Anthropic (a Claude sign-in)",
    setting: "CLAUDE_CODE_OAUTH_TOKEN or ANTHROPIC_AUTH_TOKEN",
  },
  { pattern: /^sk-ant-/, provider: "Anthropic", setting: "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN" },
  { pattern: /^sk-or-/, provider: "OpenRouter", setting: "OPENROUTER_API_KEY" },
  { pattern: /^sk-(?:proj|svcacct|admin|None)-/, provider: "OpenAI", setting: "OPENAI_API_KEY" },
  { pattern: /^sk-[\w-]{8,}T3BlbkFJ/, provider: "OpenAI", setting: "OPENAI_API_KEY" },
  // Moonshot hands out the shape that OpenAI's oldest keys have, and Alibaba the one of DeepSeek.
  {
    pattern: /^sk-[A-Za-z0-9]{48}$/,
    provider: "OpenAI or Moonshot AI",
    setting: "OPENAI_API_KEY or MOONSHOT_API_KEY",
  },
  {
    pattern: /^sk-[0-9a-f]{32}$/,
    provider: "DeepSeek or Alibaba Cloud",
    setting: "DEEPSEEK_API_KEY or DASHSCOPE_API_KEY",
  },
  { pattern: /^AIza[\w-]{35}$/, provider: "Google", setting: "GEMINI_API_KEY or GOOGLE_API_KEY" },
  { pattern: /^AQ\.[\w-]{30,}$/, provider: "Google", setting: "GEMINI_API_KEY or GOOGLE_API_KEY" },
  { pattern: /^gsk_/, provider: "Groq", setting: "GROQ_API_KEY" },
  { pattern: /^xai-/, provider: "xAI", setting: "XAI_API_KEY" },
  { pattern: /^pplx-/, provider: "Perplexity", setting: "PERPLEXITY_API_KEY" },
  { pattern: /^hf_/, provider: "Hugging Face", setting: "HF_TOKEN" },
  { pattern: /^(?:gh[opsu]_|github_pat_)/, provider: "GitHub", setting: "GITHUB_TOKEN" },
  { pattern: /^fw_/, provider: "Fireworks AI", setting: "FIREWORKS_API_KEY" },
  { pattern: /^tgp_/, provider: "Together AI", setting: "TOGETHER_API_KEY" },
  { pattern: /^csk-/, provider: "Cerebras", setting: "CEREBRAS_API_KEY" },
  { pattern: /^nvapi-/, provider: "NVIDIA", setting: "NVIDIA_API_KEY" },
  { pattern: /^(?:AKIA|ASIA)[A-Z0-9]{16}$/, provider: "AWS", setting: "AWS_ACCESS_KEY_ID" },
  {
    pattern: /^(?:ABSKQmVkcm9ja0FQSUtle|bedrock-api-key-)/,
    provider: "AWS Bedrock",
    setting: "AWS_BEARER_TOKEN_BEDROCK",
  },
];

/** Null where the text does not begin like the key of a provider that we know. */
export function recogniseProviderKey(text: string): ProviderKey | null {
  for (const { pattern, provider, setting } of PROVIDER_KEYS) {
    if (pattern.test(text)) return { provider, setting };
  }
  return null;
}
