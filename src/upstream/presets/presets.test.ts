import { describe, expect, test } from "bun:test";
import { UPSTREAM_KINDS, type Upstream, type UpstreamKind } from "../../domain/catalogue.ts";
import type { Dialect } from "../../domain/usage.ts";
import { UpstreamFailure } from "../answer.ts";
import { destinationOf } from "../destination.ts";
import { seal } from "../seal.ts";
import { modelsAddress } from "./address.ts";
import type { UpstreamPath } from "./preset.ts";
import { PRESETS } from "./presets.ts";

const KEY = "a-key-of-the-operator";
const sealKey = new Uint8Array(32).fill(7);

type Place = { path?: UpstreamPath; baseUrl?: string; model?: string; stream?: boolean };

function upstream(kind: UpstreamKind, given: string | undefined): Upstream {
  const baseUrl = given ?? PRESETS[kind].baseUrl;
  const boundTo = baseUrl === null ? "" : new URL(baseUrl).origin;
  return {
    id: "ups_1",
    name: kind,
    kind,
    baseUrl,
    speaks: PRESETS[kind].speaks,
    credentials: [{ id: "crd_1", sealed: seal(KEY, { key: sealKey, boundTo }) }],
    priority: 0,
    weight: 1,
    concurrencyMax: null,
    probeMinutes: null,
    resetAtMs: null,
    isPaused: false,
    cost: 10_000,
    models: new Map(),
  };
}

const own = ({ credentials }: Upstream) => credentials[0] ?? null;

function sent(kind: UpstreamKind, place: Place = {}) {
  const { path = "chat", model = "m", stream = false, baseUrl } = place;
  const given = upstream(kind, baseUrl);
  const found = destinationOf(given, { path, model, stream, credential: own(given), sealKey });
  if (found instanceof UpstreamFailure) throw found;
  return { url: found.url.href, headers: found.headers };
}

const urlOf = (kind: UpstreamKind, place: Place = {}) => sent(kind, place).url;

const JSON_TYPE = { "content-type": "application/json" };
const MESSAGES = { ...JSON_TYPE, "anthropic-version": "2023-06-01" };
const BEARER = { authorization: `Bearer ${KEY}` };
const X_KEY = { "x-api-key": KEY };

type Row = { kind: UpstreamKind; models: string } & Partial<Record<Dialect, string>>;

/** As the makers' own pages have them. */
const DOCUMENTED: readonly Row[] = [
  {
    kind: "openai",
    chat: "https://api.openai.com/v1/chat/completions",
    responses: "https://api.openai.com/v1/responses",
    models: "https://api.openai.com/v1/models",
  },
  {
    kind: "anthropic",
    messages: "https://api.anthropic.com/v1/messages",
    models: "https://api.anthropic.com/v1/models",
  },
  {
    kind: "gemini",
    chat: "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
    models: "https://generativelanguage.googleapis.com/v1beta/openai/models",
  },
  {
    kind: "openrouter",
    chat: "https://openrouter.ai/api/v1/chat/completions",
    responses: "https://openrouter.ai/api/v1/responses",
    messages: "https://openrouter.ai/api/v1/messages",
    models: "https://openrouter.ai/api/v1/models",
  },
  {
    kind: "deepseek",
    chat: "https://api.deepseek.com/chat/completions",
    messages: "https://api.deepseek.com/anthropic/v1/messages",
    models: "https://api.deepseek.com/models",
  },
  {
    kind: "moonshot",
    chat: "https://api.moonshot.ai/v1/chat/completions",
    messages: "https://api.moonshot.ai/anthropic/v1/messages",
    models: "https://api.moonshot.ai/v1/models",
  },
  {
    kind: "zhipu",
    chat: "https://api.z.ai/api/paas/v4/chat/completions",
    messages: "https://api.z.ai/api/anthropic/v1/messages",
    models: "https://api.z.ai/api/paas/v4/models",
  },
  {
    kind: "qwen",
    chat: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions",
    messages: "https://dashscope-intl.aliyuncs.com/apps/anthropic/v1/messages",
    models: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/models",
  },
  {
    kind: "minimax",
    chat: "https://api.minimax.io/v1/chat/completions",
    messages: "https://api.minimax.io/anthropic/v1/messages",
    models: "https://api.minimax.io/v1/models",
  },
  {
    kind: "mistral",
    chat: "https://api.mistral.ai/v1/chat/completions",
    models: "https://api.mistral.ai/v1/models",
  },
  {
    kind: "groq",
    chat: "https://api.groq.com/openai/v1/chat/completions",
    models: "https://api.groq.com/openai/v1/models",
  },
  {
    kind: "xai",
    chat: "https://api.x.ai/v1/chat/completions",
    responses: "https://api.x.ai/v1/responses",
    models: "https://api.x.ai/v1/models",
  },
  {
    kind: "together",
    chat: "https://api.together.ai/v1/chat/completions",
    models: "https://api.together.ai/v1/models",
  },
  {
    kind: "fireworks",
    chat: "https://api.fireworks.ai/inference/v1/chat/completions",
    responses: "https://api.fireworks.ai/inference/v1/responses",
    messages: "https://api.fireworks.ai/inference/v1/messages",
    models: "https://api.fireworks.ai/inference/v1/models",
  },
  {
    kind: "ollama",
    chat: "http://127.0.0.1:11434/v1/chat/completions",
    responses: "http://127.0.0.1:11434/v1/responses",
    messages: "http://127.0.0.1:11434/v1/messages",
    models: "http://127.0.0.1:11434/v1/models",
  },
  {
    kind: "vllm",
    chat: "http://127.0.0.1:8000/v1/chat/completions",
    responses: "http://127.0.0.1:8000/v1/responses",
    messages: "http://127.0.0.1:8000/v1/messages",
    models: "http://127.0.0.1:8000/v1/models",
  },
  {
    kind: "lm-studio",
    chat: "http://127.0.0.1:1234/v1/chat/completions",
    responses: "http://127.0.0.1:1234/v1/responses",
    messages: "http://127.0.0.1:1234/v1/messages",
    models: "http://127.0.0.1:1234/v1/models",
  },
  {
    kind: "llama-cpp",
    chat: "http://127.0.0.1:8080/v1/chat/completions",
    messages: "http://127.0.0.1:8080/v1/messages",
    models: "http://127.0.0.1:8080/v1/models",
  },
];

const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];

describe("a preset knows, from a key alone,", () => {
  for (const row of DOCUMENTED) {
    test(`the addresses of ${row.kind}, and the dialects that are spoken there`, () => {
      const { kind, models, ...addresses } = row;
      const spoken = DIALECTS.filter(dialect => PRESETS[kind].speaks.includes(dialect));
      const found = Object.fromEntries(spoken.map(path => [path, urlOf(kind, { path })]));
      expect(found).toEqual(addresses);
      expect(modelsAddress(PRESETS[kind], PRESETS[kind].baseUrl ?? "")).toBe(models);
    });
  }

  test("every maker but those whose address is the operator's own", () => {
    const known = new Set<UpstreamKind>(DOCUMENTED.map(({ kind }) => kind));
    const unknown = UPSTREAM_KINDS.filter(kind => !known.has(kind) && kind !== "demo");
    for (const kind of unknown) {
      expect({ kind, baseUrl: PRESETS[kind].baseUrl }).toEqual({ kind, baseUrl: null });
      expect(PRESETS[kind].addressExample).toBeString();
    }
  });
});

describe("a credential travels", () => {
  const chatters = UPSTREAM_KINDS.filter(
    kind => kind !== "demo" && PRESETS[kind].address === undefined && PRESETS[kind].speaks.includes("chat"),
  );
  test("as a bearer wherever chat is spoken", () => {
    for (const kind of chatters) {
      const { headers } = sent(kind, { baseUrl: PRESETS[kind].baseUrl ?? "https://api.example.org/v1" });
      expect({ kind, headers }).toEqual({ kind, headers: { ...JSON_TYPE, ...BEARER } });
    }
  });

  test("to Anthropic as x-api-key, and never beside a bearer", () => {
    expect(sent("anthropic", { path: "messages" }).headers).toEqual({ ...MESSAGES, ...X_KEY });
    expect(sent("anthropic", { path: "count_tokens" })).toEqual({
      url: "https://api.anthropic.com/v1/messages/count_tokens",
      headers: { ...MESSAGES, ...X_KEY },
    });
  });

  test("in both ways where makers of messages differ", () => {
    const kinds: readonly UpstreamKind[] = [
      "deepseek",
      "moonshot",
      "zhipu",
      "qwen",
      "minimax",
      "ollama",
      "vllm",
    ];
    for (const kind of kinds) {
      const { headers } = sent(kind, { path: "messages" });
      expect({ kind, headers }).toEqual({ kind, headers: { ...MESSAGES, ...X_KEY, ...BEARER } });
    }
  });

  test("as a bearer alone where messages are documented so", () => {
    for (const kind of ["openrouter", "fireworks"] as const) {
      const { headers } = sent(kind, { path: "messages" });
      expect({ kind, headers }).toEqual({ kind, headers: { ...MESSAGES, ...BEARER } });
    }
  });

  test("nowhere else than to the host it was saved for", () => {
    const mine = upstream("deepseek", undefined);
    const moved = { ...mine, baseUrl: "https://evil.example/v1" };
    const found = destinationOf(moved, {
      path: "chat",
      model: "m",
      stream: false,
      credential: own(mine),
      sealKey,
    });
    expect(found).toBeInstanceOf(UpstreamFailure);
    expect(String(found)).not.toContain(KEY);
  });

  test("and no address of a preset leaves the host of its base", () => {
    const paths: readonly UpstreamPath[] = [...DIALECTS, "count_tokens", "embeddings", "transcriptions"];
    for (const kind of UPSTREAM_KINDS) {
      const baseUrl = PRESETS[kind].baseUrl ?? "https://host.example/base";
      for (const path of kind === "demo" ? [] : paths) {
        const given = upstream(kind, baseUrl);
        const asked = { path, model: "../../x", stream: true, credential: own(given), sealKey };
        const found = destinationOf(given, asked);
        if (found instanceof UpstreamFailure) continue;
        const { origin } = found.url;
        expect({ kind, path, origin }).toEqual({ kind, path, origin: new URL(baseUrl).origin });
      }
    }
  });
});

describe("an address of the operator's own", () => {
  test.each<[UpstreamKind, string, UpstreamPath, string]>([
    ["openai", "https://eu.api.openai.com/v1", "chat", "https://eu.api.openai.com/v1/chat/completions"],
    ["openai", "https://a.example/x", "responses", "https://a.example/x/responses"],
    ["anthropic", "https://a.example", "messages", "https://a.example/v1/messages"],
    ["anthropic", "https://a.example/v1", "messages", "https://a.example/v1/messages"],
    ["openai-compatible", "http://127.0.0.1:1/v1", "messages", "http://127.0.0.1:1/v1/messages"],
    ["openai-compatible", "http://127.0.0.1:1/v1", "chat", "http://127.0.0.1:1/v1/chat/completions"],
    ["anthropic-compatible", "https://a.example/llm", "messages", "https://a.example/llm/v1/messages"],
    ["anthropic-compatible", "https://a.example/llm/v1", "messages", "https://a.example/llm/v1/messages"],
    ["vllm", "http://10.0.0.2:8000/v1", "messages", "http://10.0.0.2:8000/v1/messages"],
  ])("of %s at %s is taken as it is for %s", (kind, baseUrl, path, url) => {
    expect(urlOf(kind, { baseUrl, path })).toBe(url);
  });

  test("may be a host alone where the rest is known", () => {
    const baseUrl = "http://10.0.0.2:8000";
    for (const kind of ["ollama", "vllm", "lm-studio", "llama-cpp"] as const) {
      expect(urlOf(kind, { baseUrl })).toBe(`${baseUrl}/v1/chat/completions`);
      expect(urlOf(kind, { baseUrl, path: "messages" })).toBe(`${baseUrl}/v1/messages`);
    }
    const there = { baseUrl: "https://api.moonshot.cn" };
    expect(urlOf("moonshot", there)).toBe("https://api.moonshot.cn/v1/chat/completions");
    expect(urlOf("moonshot", { ...there, path: "messages" })).toBe(
      "https://api.moonshot.cn/anthropic/v1/messages",
    );
  });

  test.each<[UpstreamKind, string, string, string]>([
    [
      "moonshot",
      "https://api.moonshot.cn/v1",
      "https://api.moonshot.cn/v1/chat/completions",
      "https://api.moonshot.cn/anthropic/v1/messages",
    ],
    [
      "zhipu",
      "https://open.bigmodel.cn/api/paas/v4",
      "https://open.bigmodel.cn/api/paas/v4/chat/completions",
      "https://open.bigmodel.cn/api/anthropic/v1/messages",
    ],
    [
      "zhipu",
      "https://api.z.ai/api/coding/paas/v4",
      "https://api.z.ai/api/coding/paas/v4/chat/completions",
      "https://api.z.ai/api/anthropic/v1/messages",
    ],
    [
      "qwen",
      "https://dashscope.aliyuncs.com/apps/anthropic",
      "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions",
      "https://dashscope.aliyuncs.com/apps/anthropic/v1/messages",
    ],
    [
      "minimax",
      "https://api.minimaxi.com/anthropic/v1",
      "https://api.minimaxi.com/v1/chat/completions",
      "https://api.minimaxi.com/anthropic/v1/messages",
    ],
    [
      "deepseek",
      "https://api.deepseek.com/v1",
      "https://api.deepseek.com/v1/chat/completions",
      "https://api.deepseek.com/anthropic/v1/messages",
    ],
    [
      "moonshot",
      "https://proxy.example/moon/v1",
      "https://proxy.example/moon/v1/chat/completions",
      "https://proxy.example/moon/anthropic/v1/messages",
    ],
  ])("tells the other one too: %s at %s", (kind, baseUrl, chat, messages) => {
    expect(urlOf(kind, { baseUrl })).toBe(chat);
    expect(urlOf(kind, { baseUrl, path: "messages" })).toBe(messages);
  });
});

describe("Azure", () => {
  const AZURE = "https://res.openai.azure.com";
  const azure = (baseUrl: string, path: UpstreamPath = "chat") =>
    sent("azure-openai", { baseUrl, path, model: "my gpt" });

  test("is asked in its newer form, with its own header", () => {
    expect(azure(AZURE)).toEqual({
      url: `${AZURE}/openai/v1/chat/completions`,
      headers: { ...JSON_TYPE, "api-key": KEY },
    });
  });

  test.each([AZURE, `${AZURE}/openai`, `${AZURE}/openai/v1`])("is found at %s", baseUrl => {
    expect(azure(baseUrl, "responses").url).toBe(`${AZURE}/openai/v1/responses`);
    expect(azure(baseUrl, "embeddings").url).toBe(`${AZURE}/openai/v1/embeddings`);
  });

  test("has the deployment in the path where the address is that of deployments", () => {
    const old = `${AZURE}/openai/deployments`;
    expect(azure(old).url).toBe(`${old}/my%20gpt/chat/completions?api-version=2024-10-21`);
    expect(azure(old, "transcriptions").url).toBe(
      `${old}/my%20gpt/audio/transcriptions?api-version=2024-10-21`,
    );
    expect(azure(old, "responses").url).toBe(`${AZURE}/openai/v1/responses`);
  });

  test("lists no models, since its list is not that of the deployments", () => {
    expect(modelsAddress(PRESETS["azure-openai"], AZURE)).toBeNull();
  });
});
