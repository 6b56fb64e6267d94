import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { diagnoseKeyString } from "./key-string.ts";
import { recogniseProviderKey } from "./provider-key.ts";

/** Letters and digits in the wanted number; made here, so that no real-looking key stands in the source. */
function alnum(count: number): string {
  const text = createHash("sha512").update("provider").digest("base64").replace(/[+/=]/g, "");
  return text.repeat(4).slice(0, count);
}

const hex = createHash("sha256").update("provider").digest("hex");

const KEYS: readonly (readonly [string, string, string])[] = [
  ["Anthropic", `sk-ant-api03-${alnum(80)}-${alnum(12)}AA`, "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"],
  ["Anthropic (a Claude sign-in)", `sk-ant-oat01-${alnum(80)}`, "CLAUDE_CODE_OAUTH_TOKEN"],
  ["OpenAI", `sk-proj-${alnum(74)}T3BlbkFJ${alnum(74)}`, "OPENAI_API_KEY"],
  ["OpenAI", `sk-svcacct-${alnum(60)}`, "OPENAI_API_KEY"],
  ["OpenAI", `sk-admin-${alnum(60)}`, "OPENAI_API_KEY"],
  ["OpenAI", `sk-${alnum(20)}T3BlbkFJ${alnum(20)}`, "OPENAI_API_KEY"],
  ["OpenAI or Moonshot AI", `sk-${alnum(48)}`, "OPENAI_API_KEY"],
  ["OpenRouter", `sk-or-v1-${hex}`, "OPENROUTER_API_KEY"],
  ["DeepSeek or Alibaba Cloud", `sk-${hex.slice(0, 32)}`, "DEEPSEEK_API_KEY"],
  ["Google", `AIza${alnum(35)}`, "GEMINI_API_KEY"],
  ["Google", `AQ.${alnum(50)}`, "GEMINI_API_KEY"],
  ["Groq", `gsk_${alnum(52)}`, "GROQ_API_KEY"],
  ["xAI", `xai-${alnum(80)}`, "XAI_API_KEY"],
  ["Perplexity", `pplx-${alnum(48)}`, "PERPLEXITY_API_KEY"],
  ["Hugging Face", `hf_${alnum(34)}`, "HF_TOKEN"],
  ["GitHub", `ghp_${alnum(36)}`, "GITHUB_TOKEN"],
  ["GitHub", `github_pat_${alnum(22)}_${alnum(59)}`, "GITHUB_TOKEN"],
  ["Fireworks AI", `fw_${alnum(24)}`, "FIREWORKS_API_KEY"],
  ["Together AI", `tgp_v1_${alnum(43)}`, "TOGETHER_API_KEY"],
  ["Cerebras", `csk-${alnum(48)}`, "CEREBRAS_API_KEY"],
  ["NVIDIA", `nvapi-${alnum(64)}`, "NVIDIA_API_KEY"],
  ["AWS", `AKIA${alnum(60).toUpperCase().slice(0, 16)}`, "AWS_ACCESS_KEY_ID"],
  ["AWS Bedrock", `ABSKQmVkcm9ja0FQSUtleS${alnum(80)}`, "AWS_BEARER_TOKEN_BEDROCK"],
];

test.each(KEYS)("a key of %s is named, with the setting to check", (provider, key, setting) => {
  expect(recogniseProviderKey(key)).toMatchObject({ provider, setting: expect.stringContaining(setting) });
  expect(diagnoseKeyString(key)).toMatchObject({ kind: "provider", provider });
  expect(diagnoseKeyString(`"${key}" `).kind).toBe("provider");
});

test("the diagnosis does not repeat the key", () => {
  for (const [, key] of KEYS) expect(JSON.stringify(diagnoseKeyString(key))).not.toContain(key.slice(-6));
});

test("what only resembles a provider's key is not taken for one", () => {
  for (const text of [
    "",
    "sk-",
    "sk-my-own-key-for-the-house",
    `sk-${alnum(47)}`,
    "AIzaShort",
    alnum(32),
    hex,
  ]) {
    expect(recogniseProviderKey(text)).toBeNull();
  }
});
