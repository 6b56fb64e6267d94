import OpenAI from "openai";
import type {
  ChatCompletion,
  ChatCompletionContentPart,
  ChatCompletionContentPartText,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
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

/** A chat client: OpenAI's own SDK, and the two fields that others have added to the dialect. */

type Spoken = ChatCompletion["choices"][number]["message"] & { reasoning_content?: string };

export function chatTalk({ url, key }: TalkOptions): Talk {
  const { fetch, requestId } = watchedFetch();
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0, fetch });
  const messages: ChatCompletionMessageParam[] = [];
  return {
    dialect: "chat",
    instruct: content => void messages.push({ role: "system", content }),
    say: (text, { image, document, marked } = {}) => {
      const mark = marked === true ? { cache_control: { type: "ephemeral" } } : {};
      const content: ChatCompletionContentPart[] = [{ type: "text", text, ...mark }];
      if (image !== undefined) content.push({ type: "image_url", image_url: { url: image } });
      if (document !== undefined) content.push(fileOf(document));
      messages.push({ role: "user", content: content.length === 1 && marked !== true ? text : content });
    },
    answer: results => {
      // The dialect has no word for a failure, so its clients say it in the text.
      for (const { id, text, failed, image } of results) {
        const said = failed === true ? `Error: ${text}` : text;
        const content = image === undefined ? said : withImage(said, image);
        messages.push({ role: "tool", tool_call_id: id, content });
      }
    },
    hear: async (ask, way) => {
      const body = { messages, ...fieldsOf(ask) };
      const completion = await completionOf({ client, body, way });
      const told = toldBy(completion, requestId());
      messages.push(...completion.choices.map(({ message }) => message));
      return told;
    },
  };
}

function fileOf(document: string): ChatCompletionContentPart {
  return { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${document}` } };
}

/** OpenAI takes text alone here, but clients of others write images too. */
function withImage(text: string, url: string): ChatCompletionContentPartText[] {
  const parts: ChatCompletionContentPart[] = [
    { type: "text", text },
    { type: "image_url", image_url: { url } },
  ];
  return parts as ChatCompletionContentPartText[];
}

function fieldsOf({ model, tools, thinks, schema, stops, outputTokens, choice, oneAtATime }: Ask) {
  return {
    model,
    ...(tools !== undefined && {
      tools: tools.map(({ name, schema: parameters }) => ({
        type: "function" as const,
        function: { name, parameters },
      })),
    }),
    ...(choice !== undefined && {
      tool_choice: typeof choice === "string" ? choice : { type: "function" as const, function: choice },
    }),
    ...(oneAtATime === true && { parallel_tool_calls: false }),
    ...(thinks === true && { reasoning_effort: "medium" as const }),
    ...(schema !== undefined && {
      response_format: {
        type: "json_schema" as const,
        json_schema: { name: "answer", schema, strict: true },
      },
    }),
    ...(stops !== undefined && { stop: [...stops] }),
    ...(outputTokens !== undefined && { max_completion_tokens: outputTokens }),
  };
}

type Asked = { client: OpenAI; body: ChatCompletionCreateParamsNonStreaming; way: Way };

async function completionOf({ client, body, way }: Asked): Promise<ChatCompletion> {
  if (way === "whole") return client.chat.completions.create(body);
  const asked = { ...body, stream: true as const, stream_options: { include_usage: true } };
  const stream = client.chat.completions.stream(asked);
  // The helper keeps only the last piece of a field that it does not know.
  let thought = "";
  stream.on("chunk", chunk => {
    const delta = chunk.choices[0]?.delta as { reasoning_content?: string } | undefined;
    thought += delta?.reasoning_content ?? "";
  });
  const completion = await stream.finalChatCompletion();
  const message: Spoken | undefined = completion.choices[0]?.message;
  if (message !== undefined && thought !== "") message.reasoning_content = thought;
  return completion;
}

function toldBy(completion: ChatCompletion, requestId: string): Told {
  const choice = completion.choices[0];
  if (choice === undefined) throw new Error("the answer has no choice");
  const message: Spoken = choice.message;
  const calls = (message.tool_calls ?? []).flatMap(call =>
    // Mistral leaves the type out.
    call.type === "custom"
      ? [{ id: call.id, name: call.custom.name, input: call.custom.input }]
      : [{ id: call.id, name: call.function.name, input: parsed(call.function.arguments) }],
  );
  return {
    id: completion.id,
    model: completion.model,
    text: message.content ?? "",
    thought: message.reasoning_content ?? "",
    seals: [],
    refusal: message.refusal ?? "",
    calls,
    stop: choice.finish_reason,
    sequence: null,
    usage: countsOf(completion.usage),
    requestId,
  };
}

function countsOf(usage: ChatCompletion["usage"]): Counts {
  if (usage === undefined) throw new Error("no usage was told");
  const { cached_tokens: cacheRead = 0, cache_write_tokens: cacheWrite = 0 } =
    usage.prompt_tokens_details ?? {};
  return {
    input: usage.prompt_tokens - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}
