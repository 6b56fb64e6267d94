import { expect } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import { type Pair, sent } from "./dialects-checks.ts";
import { CREDENTIAL } from "./dialects-gateway.ts";
import { type Counts, type Told, WAYS, type Way } from "./dialects-talk.ts";
import { nanos, type UsageRow } from "./harness.ts";

/** What is told and charged of a request, and how it is refused. */

export type Metered = { pair: Pair; way: Way; told: Told };

/** What is cached is told inside the input, outside of it, or beside it, and is the same in the end. */
export async function checkUsage(pair: Pair): Promise<Metered[]> {
  const metered: Metered[] = [];
  const model = pair.rig.model(pair.upstream, "cached");
  for (const way of WAYS) {
    const talk = pair.rig.talk(pair.client);
    talk.say("A long story that is worth keeping", { marked: true });
    talk.say("And what comes after it");
    metered.push({ pair, way, told: await talk.hear({ model, thinks: true }, way) });
    if (way === "whole") expect(metered[0]?.told.usage).toEqual(reported(pair));
  }
  const [whole, streamed] = metered;
  expect(streamed?.told.usage).toEqual(whole?.told.usage as Counts);
  expect(whole?.told.usage.reasoning).toBeGreaterThan(0);
  expect(whole?.told.usage.cacheRead).toBeGreaterThan(0);
  return metered;
}

/** As the upstream has told it, in its own words. */
function reported(pair: Pair): Counts {
  sent(pair, "cached");
  const { said } = pair.rig.upstream.last(pair.rig.upstreamModel(pair.upstream, "cached"));
  const { usage } = JSON.parse(said) as { usage: unknown };
  const number = (...path: string[]) =>
    path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], usage) as number;
  switch (pair.upstream) {
    case "chat": {
      const cacheRead = number("prompt_tokens_details", "cached_tokens");
      return {
        input: number("prompt_tokens") - cacheRead,
        cacheRead,
        cacheWrite: 0,
        output: number("completion_tokens"),
        reasoning: number("completion_tokens_details", "reasoning_tokens"),
      };
    }
    case "responses": {
      const cacheRead = number("input_tokens_details", "cached_tokens");
      return {
        input: number("input_tokens") - cacheRead,
        cacheRead,
        cacheWrite: 0,
        output: number("output_tokens"),
        reasoning: number("output_tokens_details", "reasoning_tokens"),
      };
    }
    case "messages":
      return {
        input: number("input_tokens"),
        cacheRead: number("cache_read_input_tokens"),
        cacheWrite: number("cache_creation_input_tokens"),
        output: number("output_tokens"),
        reasoning: number("output_tokens_details", "thinking_tokens"),
      };
  }
}

/** In nano-dollars for a token, as the rig sets it. */
const PRICE = { input: 1_000n, cacheRead: 100n, cacheWrite: 1_250n, output: 10_000n };

export type MeteredRow = UsageRow & { dialect: string; cache_read_tokens: number };

export function checkRow({ pair, way, told }: Metered, row: MeteredRow): void {
  const { input, cacheRead, cacheWrite, output } = told.usage;
  expect(row).toMatchObject({
    dialect: pair.client,
    upstream: `hidden-${pair.upstream}`,
    model: told.model,
    stream: way === "stream",
    state: "settled",
    status: 200,
    reason: null,
    source: "reported",
    input_tokens: input,
    cache_read_tokens: cacheRead,
    output_tokens: output,
  });
  const charge =
    BigInt(input) * PRICE.input +
    BigInt(cacheRead) * PRICE.cacheRead +
    BigInt(cacheWrite) * PRICE.cacheWrite +
    BigInt(output) * PRICE.output;
  expect(nanos(row.cost)).toBe(charge);
}

type Refused = { status: number; headers: Headers; text: string; body: Record<string, unknown> };

export const PATHS: Record<Dialect, string> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

export function plainBody(client: Dialect, model: string, more: Record<string, unknown> = {}) {
  const messages = [{ role: "user", content: "Hello" }];
  switch (client) {
    case "chat":
      return { model, messages, ...more };
    case "responses":
      return { model, input: "Hello", ...more };
    case "messages":
      return { model, max_tokens: 1_000, messages, ...more };
  }
}

async function post(pair: Pair, ask: { key: string; body: unknown }): Promise<Refused> {
  const response = await fetch(pair.rig.gateway.url + PATHS[pair.client], {
    method: "POST",
    headers: { authorization: `Bearer ${ask.key}`, "content-type": "application/json" },
    body: JSON.stringify(ask.body),
  });
  const { status, headers } = response;
  const text = await response.text();
  expect(text).not.toContain(CREDENTIAL);
  expect(text).not.toContain("hidden-");
  const isJson = headers.get("content-type")?.startsWith("application/json") === true;
  return { status, headers, text, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {} };
}

type Wanted = {
  status: number;
  openai: { type: string; code?: string | null };
  messages: { type: string; status?: number };
};

function expectShape(pair: Pair, refused: Refused, wanted: Wanted): void {
  const { client } = pair;
  const isMessages = client === "messages";
  expect(refused.status).toBe(isMessages ? (wanted.messages.status ?? wanted.status) : wanted.status);
  const requestId = refused.headers.get("x-request-id");
  if (isMessages) {
    const error = expect.objectContaining({ type: wanted.messages.type, message: expect.any(String) });
    expect(refused.body).toMatchObject({ type: "error", error });
    expect(refused.headers.get("request-id")).toBe(requestId);
    return;
  }
  expect(refused.body).toMatchObject({ error: { ...wanted.openai, message: expect.any(String) } });
  expect(refused.body).not.toHaveProperty("type");
  expect(refused.headers.has("request-id")).toBe(false);
}

export async function checkErrors(pair: Pair): Promise<void> {
  const { rig, client, upstream } = pair;
  const ask = (variant: Parameters<typeof rig.model>[1], key = rig.key(), more = {}) =>
    post(pair, { key, body: plainBody(client, rig.model(upstream, variant), more) });
  const request = { openai: { type: "invalid_request_error" }, messages: { type: "invalid_request_error" } };
  const failed = { openai: { type: "server_error" }, messages: { type: "api_error" } };

  for (const stream of [false, true]) {
    const bad = await ask("bad", rig.key(), { stream });
    expectShape(pair, bad, { status: 400, ...request });
    expect(bad.text).toContain("The demo model was asked to fail with status 400.");
    const down = await ask("down", rig.key(), { stream });
    expectShape(pair, down, { status: 502, ...failed });
    expect(down.text).not.toContain("The demo model");
    const busy = await ask("busy", rig.key(), { stream });
    const overloaded = { type: "overloaded_error", status: 529 };
    expectShape(pair, busy, { status: 503, openai: { type: "server_error" }, messages: overloaded });
    expect(busy.headers.get("retry-after")).toMatch(/^\d+$/);
  }
  await checkRefusals(pair, ask);
  expectShape(pair, await ask("cut"), { status: 502, ...failed });
  checkCut(client, (await ask("cut", rig.key(), { stream: true })).text);
  const talk = rig.talk(client);
  talk.say("Hello");
  await expect(talk.hear({ model: rig.model(upstream, "cut") }, "stream")).rejects.toThrow(
    "failed to answer this request",
  );
}

type Asking = (variant: "plain", key: string) => Promise<Refused>;

async function checkRefusals(pair: Pair, ask: Asking): Promise<void> {
  const { rig, client } = pair;
  const openai = { type: "invalid_request_error" };
  const final = async (key: string, wanted: Wanted) => {
    const refused = await ask("plain", key);
    expectShape(pair, refused, wanted);
    expect(refused.headers.get("x-should-retry")).toBe("false");
  };
  const unknown = { type: "authentication_error" };
  await final("wgk_short", {
    status: 401,
    openai: { ...openai, code: "invalid_api_key" },
    messages: unknown,
  });
  const quota = { type: "insufficient_quota", code: "insufficient_quota" };
  await final(rig.key("poor"), { status: 402, openai: quota, messages: { type: "billing_error" } });
  const model = { ...openai, code: "model_not_found" };
  await final(rig.key("other"), { status: 403, openai: model, messages: { type: "permission_error" } });

  await ask("plain", rig.key(`once-${client}`));
  const limited = await ask("plain", rig.key(`once-${client}`));
  const rate = { type: "rate_limit_error" };
  expectShape(pair, limited, {
    status: 429,
    openai: { ...rate, code: "rate_limit_exceeded" },
    messages: rate,
  });
  expect(limited.headers.get("retry-after")).toMatch(/^\d+$/);
}

/** A stream that failed ends with its dialect's own error, and with no word of a good end. */
export function checkCut(client: Dialect, text: string): void {
  expect(text).toContain("Hello");
  expect(text).toContain("failed to answer this request.");
  expect(text).toEndWith("\n\n");
  const last = text.trimEnd().split("\n\n").at(-1) ?? "";
  switch (client) {
    case "chat":
      expect(last).toStartWith('data: {"error":');
      expect(text).not.toContain("[DONE]");
      break;
    case "responses":
      expect(last).toStartWith("event: response.failed\n");
      expect(text).not.toContain("response.completed");
      break;
    case "messages":
      expect(last).toStartWith("event: error\n");
      expect(text).not.toContain("message_stop");
      break;
  }
}
