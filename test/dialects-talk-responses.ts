import OpenAI from "openai";
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import {
  type Ask,
  type Counts,
  parsed,
  type Talk,
  type TalkOptions,
  type Told,
  type Way,
  watchedFetch,
} from "./dialects-talk.ts";

/** A responses client that keeps its own conversation, as Codex does. */

export function responsesTalk({ url, key }: TalkOptions): Talk {
  const { fetch, requestId } = watchedFetch();
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0, fetch });
  const input: ResponseInputItem[] = [];
  let instructions: string | null = null;
  return {
    dialect: "responses",
    instruct: text => {
      if (input.length === 0) instructions = text;
      else input.push({ type: "message", role: "developer", content: text });
    },
    say: (text, { image, document, marked } = {}) => {
      const mark = marked === true ? { prompt_cache_breakpoint: { mode: "explicit" as const } } : {};
      const content: ResponseInputContent[] = [{ type: "input_text", text, ...mark }];
      if (image !== undefined) content.push({ type: "input_image", image_url: image, detail: "auto" });
      if (document !== undefined) content.push(fileOf(document));
      input.push({ type: "message", role: "user", content });
    },
    answer: results => {
      // The dialect has no word for a failure, so its clients say it in the text.
      for (const { id, text, failed, image } of results) {
        const said = failed === true ? `Error: ${text}` : text;
        const output = image === undefined ? said : withImage(said, image);
        input.push({ type: "function_call_output", call_id: id, output });
      }
    },
    hear: async (ask, way) => {
      const body = { input, instructions, store: false, ...fieldsOf(ask) };
      const response = await responseOf({ client, body, way });
      if (response.status === "failed") throw new Error(response.error?.message ?? "it failed");
      input.push(...(response.output as ResponseInputItem[]));
      return toldBy(response, requestId());
    },
  };
}

function fileOf(document: string): ResponseInputContent {
  return { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${document}` };
}

function withImage(text: string, url: string): ResponseFunctionCallOutputItem[] {
  return [
    { type: "input_text", text },
    { type: "input_image", image_url: url },
  ];
}

function fieldsOf({ model, tools, thinks, schema, outputTokens, choice, oneAtATime }: Ask) {
  return {
    model,
    ...(tools !== undefined && {
      tools: tools.map(({ name, schema: parameters }) => ({
        type: "function" as const,
        name,
        parameters,
        strict: false,
      })),
    }),
    ...(choice !== undefined && {
      tool_choice: typeof choice === "string" ? choice : { type: "function" as const, ...choice },
    }),
    ...(oneAtATime === true && { parallel_tool_calls: false }),
    ...(thinks === true && {
      reasoning: { effort: "medium" as const, summary: "auto" as const },
      include: ["reasoning.encrypted_content" as const],
    }),
    ...(schema !== undefined && {
      text: { format: { type: "json_schema" as const, name: "answer", schema, strict: true } },
    }),
    ...(outputTokens !== undefined && { max_output_tokens: outputTokens }),
  };
}

type Asked = { client: OpenAI; body: ResponseCreateParamsNonStreaming; way: Way };

async function responseOf({ client, body, way }: Asked): Promise<Response> {
  if (way === "whole") return client.responses.create(body);
  return client.responses.stream({ ...body, stream: true }).finalResponse();
}

function toldBy(response: Response, requestId: string): Told {
  const items = response.output;
  const parts = items.flatMap(item => (item.type === "message" ? item.content : []));
  const thoughts = items.flatMap(item => (item.type === "reasoning" ? [item] : []));
  return {
    id: response.id,
    model: response.model,
    text: parts.map(part => (part.type === "output_text" ? part.text : "")).join(""),
    thought: thoughts.flatMap(({ summary }) => summary.map(({ text }) => text)).join("\n\n"),
    seals: thoughts.flatMap(({ encrypted_content: sealed }) => (sealed ? [sealed] : [])),
    refusal: parts.map(part => (part.type === "refusal" ? part.refusal : "")).join(""),
    calls: items.flatMap(item => {
      if (item.type === "custom_tool_call") return [{ id: item.call_id, name: item.name, input: item.input }];
      if (item.type !== "function_call") return [];
      return [{ id: item.call_id, name: item.name, input: parsed(item.arguments) }];
    }),
    stop: response.incomplete_details?.reason ?? response.status ?? "",
    sequence: null,
    usage: countsOf(response.usage),
    requestId,
  };
}

function countsOf(usage: Response["usage"]): Counts {
  if (usage === undefined) throw new Error("no usage was told");
  // Recordings of former years know nothing of what was written.
  const { cached_tokens: cacheRead, cache_write_tokens: cacheWrite = 0 } = usage.input_tokens_details;
  return {
    input: usage.input_tokens - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details.reasoning_tokens,
  };
}
