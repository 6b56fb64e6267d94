import Anthropic from "@anthropic-ai/sdk";
import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
  Tool,
  ToolChoice,
} from "@anthropic-ai/sdk/resources/messages";
import {
  type Ask,
  type Counts,
  type Talk,
  type TalkOptions,
  type Told,
  type Way,
  watchedFetch,
} from "./dialects-talk.ts";

/** A messages client: Anthropic's own SDK. */

const OUTPUT_TOKENS = 4_000;
const THOUGHT_TOKENS = 1_024;

export function messagesTalk({ url, key }: TalkOptions): Talk {
  const { fetch, requestId } = watchedFetch();
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0, fetch });
  const messages: MessageParam[] = [];
  let system: string | null = null;
  return {
    dialect: "messages",
    instruct: text => {
      if (messages.length === 0) system = text;
      else messages.push({ role: "system", content: text });
    },
    say: (text, { image, document, marked } = {}) => {
      const mark = marked === true ? { cache_control: { type: "ephemeral" as const } } : {};
      const content: ContentBlockParam[] = [{ type: "text", text, ...mark }];
      if (image !== undefined) content.push(imageBlock(image));
      if (document !== undefined) content.push(documentBlock(document));
      messages.push({ role: "user", content });
    },
    answer: results => {
      const content = results.map(({ id, text, failed, image }) => ({
        type: "tool_result" as const,
        tool_use_id: id,
        content: image === undefined ? text : [{ type: "text" as const, text }, imageBlock(image)],
        ...(failed === true && { is_error: true }),
      }));
      messages.push({ role: "user", content });
    },
    hear: async (ask, way) => {
      const body = { messages, ...(system !== null && { system }), ...fieldsOf(ask) };
      const message = await messageOf({ client, body, way });
      messages.push({ role: "assistant", content: message.content as ContentBlockParam[] });
      return toldBy(message, requestId());
    },
  };
}

function imageBlock(address: string): ImageBlockParam {
  const [, data] = address.split(";base64,");
  if (data === undefined) return { type: "image", source: { type: "url", url: address } };
  return { type: "image", source: { type: "base64", media_type: "image/png", data } };
}

function documentBlock(data: string): DocumentBlockParam {
  return { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
}

/** Whether several may be called is part of the choice. */
function choiceOf({ choice, oneAtATime }: Ask): ToolChoice | null {
  const one = oneAtATime === true ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return oneAtATime === true ? { type: "auto", ...one } : null;
  if (choice === "none") return { type: "none" };
  return choice === "required" ? { type: "any", ...one } : { type: "tool", ...choice, ...one };
}

function fieldsOf(ask: Ask) {
  const { model, tools, thinks, schema, stops, outputTokens } = ask;
  const choice = choiceOf(ask);
  return {
    model,
    max_tokens: outputTokens ?? OUTPUT_TOKENS,
    ...(tools !== undefined && {
      tools: tools.map(({ name, schema: given }) => ({ name, input_schema: given as Tool.InputSchema })),
    }),
    ...(choice !== null && { tool_choice: choice }),
    ...(thinks === true && { thinking: { type: "enabled" as const, budget_tokens: THOUGHT_TOKENS } }),
    ...(schema !== undefined && { output_config: { format: { type: "json_schema" as const, schema } } }),
    ...(stops !== undefined && { stop_sequences: [...stops] }),
  };
}

type Asked = { client: Anthropic; body: MessageCreateParamsNonStreaming; way: Way };

async function messageOf({ client, body, way }: Asked): Promise<Message> {
  if (way === "whole") return client.messages.create(body);
  return client.messages.stream(body).finalMessage();
}

function toldBy(message: Message, requestId: string): Told {
  const { content } = message;
  const texts = content.flatMap(block => (block.type === "text" ? [block.text] : [])).join("");
  const isRefusal = message.stop_reason === "refusal";
  return {
    id: message.id,
    model: message.model,
    text: isRefusal ? "" : texts,
    thought: content.map(block => (block.type === "thinking" ? block.thinking : "")).join(""),
    seals: content.flatMap(block => {
      if (block.type === "thinking") return block.signature === "" ? [] : [block.signature];
      return block.type === "redacted_thinking" ? [block.data] : [];
    }),
    refusal: isRefusal ? texts : "",
    calls: content.flatMap(block =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    stop: message.stop_reason ?? "",
    sequence: message.stop_sequence,
    usage: countsOf(message.usage),
    requestId,
  };
}

function countsOf(usage: Message["usage"]): Counts {
  return {
    input: usage.input_tokens,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
  };
}
