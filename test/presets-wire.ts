import type { UpstreamKind } from "../src/domain/catalogue.ts";

/** Streams as their makers document them: the same two words, each framed, finished and counted in its own way. */

export const SAID = "Good day";

/** What stands in the body that was sent: a path, and what must not be there. */
export type WireForm = {
  kind: UpstreamKind;
  path: string;
  events: readonly string[];
  tokens: { input: number; output: number };
};

type Chunk = Record<string, unknown>;

const data = (chunk: Chunk) => `data: ${JSON.stringify(chunk)}\n\n`;
const DONE = "data: [DONE]\n\n";

function framed(head: Chunk, chunks: readonly Chunk[]): string[] {
  const written = chunks.map(chunk =>
    data({
      id: "abc",
      object: "chat.completion.chunk",
      created: 1_755_000_000,
      model: "m",
      ...head,
      ...chunk,
    }),
  );
  return [...written, DONE];
}

const say = (delta: Chunk, more: Chunk = {}): Chunk => {
  return { choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }] };
};
const stop = (delta: Chunk = {}, more: Chunk = {}): Chunk => say(delta, { finish_reason: "stop", ...more });
const usage = (prompt: number, completion: number, more: Chunk = {}): Chunk => {
  const counted = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  return { usage: { ...counted, ...more } };
};
const alone = (counted: Chunk): Chunk => ({ choices: [], ...counted });

const CHAT = "/v1/chat/completions";
const TOKENS = { input: 12, output: 3 };
const COUNTED = usage(12, 3);

function form(kind: UpstreamKind, path: string, events: readonly string[]): WireForm {
  return { kind, path, events, tokens: TOKENS };
}

const filters = { hate: { filtered: false, severity: "safe" } };

export const WIRE_FORMS: readonly WireForm[] = [
  form(
    "openai",
    CHAT,
    framed({ system_fingerprint: "fp_1", service_tier: "default", usage: null }, [
      say({ role: "assistant", content: "", refusal: null }),
      say({ content: "Good" }),
      say({ content: " day" }),
      stop(),
      alone(usage(12, 3, { prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 } })),
    ]),
  ),
  // The first event has no choice at all, and filters stand beside every word.
  form(
    "azure-openai",
    "/openai/v1/chat/completions",
    framed({ system_fingerprint: null }, [
      {
        id: "",
        model: "",
        choices: [],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: filters }],
      },
      say({ role: "assistant", content: "" }, { content_filter_results: {} }),
      say({ content: "Good day" }, { content_filter_results: filters }),
      stop({}, { content_filter_results: {} }),
      alone(COUNTED),
    ]),
  ),
  // Every event counts what has been used so far.
  form(
    "gemini",
    "/v1beta/openai/chat/completions",
    framed({}, [
      { ...say({ content: "Good", role: "assistant" }), ...usage(12, 1) },
      { ...stop({ content: " day", role: "assistant" }), ...COUNTED },
    ]),
  ),
  // Comments keep the line open, and the usage comes with a choice that says nothing.
  form("openrouter", "/api/v1/chat/completions", [
    ": OPENROUTER PROCESSING\n\n",
    ": OPENROUTER PROCESSING\n\n",
    ...framed({ provider: "Someone" }, [
      say({ role: "assistant", content: "Good" }, { native_finish_reason: null }),
      say({ role: "assistant", content: " day" }, { native_finish_reason: null }),
      stop({ role: "assistant", content: "" }, { native_finish_reason: "stop" }),
      { ...say({ role: "assistant", content: "" }), ...usage(12, 3, { cost: 0.000_1, is_byok: false }) },
    ]),
  ]),
  // What it thought comes first, and the usage with the end.
  form(
    "deepseek",
    "/chat/completions",
    framed({ system_fingerprint: "fp_2" }, [
      say({ role: "assistant", content: null, reasoning_content: "" }),
      say({ content: null, reasoning_content: "Polite." }),
      say({ content: "Good", reasoning_content: null }),
      say({ content: " day", reasoning_content: null }),
      {
        ...stop({ content: "", reasoning_content: null }),
        ...usage(12, 3, { prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 12 }),
      },
    ]),
  ),
  // The usage also stands inside the last choice.
  form(
    "moonshot",
    CHAT,
    framed({ system_fingerprint: "fpv0_1" }, [
      say({ role: "assistant", content: "" }),
      say({ content: "Good day" }),
      stop({}, COUNTED),
      alone(usage(12, 3, { cached_tokens: 0 })),
    ]),
  ),
  // Neither an object nor a creation time of OpenAI's.
  form(
    "zhipu",
    "/api/paas/v4/chat/completions",
    framed({ object: undefined }, [
      say({ role: "assistant", reasoning_content: "Polite." }),
      say({ role: "assistant", content: "Good day" }),
      {
        ...stop({ role: "assistant", content: "" }),
        ...usage(12, 3, { prompt_tokens_details: { cached_tokens: 0 } }),
      },
    ]),
  ),
  form(
    "qwen",
    "/compatible-mode/v1/chat/completions",
    framed({ system_fingerprint: null, usage: null }, [
      say({ content: "", role: "assistant" }),
      say({ content: "Good day" }),
      stop({ content: "" }),
      alone(COUNTED),
    ]),
  ),
  // A word about sensitive content and the state of the call in every event.
  form(
    "minimax",
    CHAT,
    framed({ input_sensitive: false, output_sensitive: false, usage: null }, [
      say({ content: "Good", role: "assistant", name: "MiniMax AI", audio_content: "" }),
      stop({ content: " day", role: "assistant", name: "MiniMax AI", audio_content: "" }),
      { ...alone(usage(12, 3, { total_characters: 0 })), base_resp: { status_code: 0, status_msg: "" } },
    ]),
  ),
  // The usage comes unasked, with the end.
  form(
    "mistral",
    CHAT,
    framed({}, [
      say({ role: "assistant", content: "" }),
      say({ content: "Good day" }),
      { ...stop({ content: "" }), ...COUNTED },
    ]),
  ),
  // What it has of its own counts the same once more.
  form(
    "groq",
    "/openai/v1/chat/completions",
    framed({ system_fingerprint: "fp_3" }, [
      { ...say({ role: "assistant", content: "" }), x_groq: { id: "req_1" } },
      say({ content: "Good day" }),
      { ...stop(), x_groq: { id: "req_1", ...usage(12, 3, { queue_time: 0.01 }) } },
      alone(usage(12, 3, { queue_time: 0.01, total_time: 0.02 })),
    ]),
  ),
  form(
    "xai",
    CHAT,
    framed({ system_fingerprint: "fp_4" }, [
      say({ role: "assistant", content: "Good" }),
      say({ content: " day" }),
      stop(),
      alone(usage(12, 3, { completion_tokens_details: { reasoning_tokens: 0 }, num_sources_used: 0 })),
    ]),
  ),
  form(
    "together",
    CHAT,
    framed({ usage: null }, [
      say({ token_id: 1, role: "assistant", content: "Good" }, { text: "Good" }),
      say({ token_id: 2, role: "assistant", content: " day" }, { text: " day" }),
      { ...stop({ token_id: 3, role: "assistant", content: "" }, { text: "", seed: 7 }), ...COUNTED },
    ]),
  ),
  form(
    "fireworks",
    "/inference/v1/chat/completions",
    framed({}, [
      say({ role: "assistant" }),
      say({ content: "Good day" }),
      stop(),
      alone(usage(12, 3, { prompt_tokens_details: { cached_tokens: 0 } })),
    ]),
  ),
  // A fingerprint of its own, and the role in every event.
  form(
    "ollama",
    CHAT,
    framed({ id: "chatcmpl-812", system_fingerprint: "fp_ollama" }, [
      say({ role: "assistant", content: "", reasoning: "Polite." }),
      say({ role: "assistant", content: "Good" }),
      say({ role: "assistant", content: " day" }),
      stop({ role: "assistant", content: "" }),
      alone(COUNTED),
    ]),
  ),
  // Why it stopped stands twice, and details are null.
  form(
    "vllm",
    CHAT,
    framed({ id: "chatcmpl-5a9d" }, [
      say({ role: "assistant", content: "", reasoning_content: null }),
      say({ content: "Good" }, { token_ids: null }),
      say({ content: " day" }, { token_ids: null }),
      stop({ content: "" }, { stop_reason: null, token_ids: null }),
      alone(usage(12, 3, { prompt_tokens_details: null })),
    ]),
  ),
  form(
    "lm-studio",
    CHAT,
    framed({ id: "chatcmpl-x7", system_fingerprint: "m" }, [
      say({ role: "assistant", content: "Good" }),
      say({ role: "assistant", content: " day" }),
      stop(),
      alone(COUNTED),
    ]),
  ),
  // Its own timings come with the usage.
  form(
    "llama-cpp",
    CHAT,
    framed({ id: "chatcmpl-k2", system_fingerprint: "b8681-1" }, [
      say({ role: "assistant", content: null }),
      say({ content: "Good" }),
      say({ content: " day" }),
      stop(),
      { ...alone(COUNTED), timings: { prompt_n: 12, prompt_ms: 20.5, predicted_n: 3, predicted_ms: 30.25 } },
    ]),
  ),
];

const event = (body: Chunk) => `event: ${String(body["type"])}\n${data(body)}`;

/** A messages stream as all of them have it. */
export const MESSAGES_EVENTS: readonly string[] = [
  event({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 0 },
    },
  }),
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Good" } }),
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " day" } }),
  event({ type: "content_block_stop", index: 0 }),
  event({
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { input_tokens: 12, output_tokens: 3 },
  }),
  event({ type: "message_stop" }),
];

export const MESSAGES_PATHS: Partial<Record<UpstreamKind, string>> = {
  anthropic: "/v1/messages",
  "anthropic-compatible": "/v1/messages",
  openrouter: "/api/v1/messages",
  deepseek: "/anthropic/v1/messages",
  moonshot: "/anthropic/v1/messages",
  zhipu: "/api/anthropic/v1/messages",
  qwen: "/apps/anthropic/v1/messages",
  minimax: "/anthropic/v1/messages",
  fireworks: "/inference/v1/messages",
  ollama: "/v1/messages",
  vllm: "/v1/messages",
  "lm-studio": "/v1/messages",
  "llama-cpp": "/v1/messages",
};
