import type { Response, ResponseError, ResponseUsage } from "openai/resources/responses/responses";
import type { Prompt } from "../../domain/chat.ts";
import type { ReplyHead } from "../protocol.ts";
import type { ToldEnd } from "./stop.ts";
import type { OutputItem } from "./write-item.ts";
import { writeText } from "./write-text.ts";
import { writeToolChoice, writeTools } from "./write-tools.ts";

/** As it stands on the wire: the SDK adds the output's text by itself, and types the nulls away. */
export type ResponseObject = Omit<
  Response,
  "output_text" | "usage" | "incomplete_details" | "service_tier" | "reasoning" | "user"
> & {
  store: false;
  usage: ResponseUsage | null;
  incomplete_details: { reason: string } | null;
  service_tier: string;
  reasoning: { effort: string | null; summary: string | null };
  user: null;
};

export type ResponseState = {
  status: ToldEnd["status"] | "in_progress" | "failed";
  incompleteReason: string | null;
  output: OutputItem[];
  usage: ResponseUsage | null;
  error: ResponseError | null;
};

/** What the client asked for is in the answer, too, as far as it was understood. */
export type Echo = Omit<ResponseObject, "status" | "incomplete_details" | "output" | "usage" | "error">;

export function responseObject(
  echo: Echo,
  { status, incompleteReason, output, usage, error }: ResponseState,
): ResponseObject {
  const incomplete_details = incompleteReason === null ? null : { reason: incompleteReason };
  return { ...echo, status, error, incomplete_details, output, usage };
}

export function echoOf({ id, model, createdSeconds, prompt }: ReplyHead): Echo {
  const { toolChoice, tools, reasoning } = prompt;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: createdSeconds,
    model,
    access_programs: null,
    background: false,
    instructions: instructionsOf(prompt),
    max_output_tokens: prompt.outputTokensMax,
    max_tool_calls: null,
    metadata: {},
    parallel_tool_calls: prompt.parallelTools ?? true,
    previous_response_id: null,
    prompt_cache_key: prompt.cacheKey,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.shows === true ? "auto" : null },
    safety_identifier: prompt.user,
    service_tier: prompt.serviceTier ?? "default",
    store: false,
    temperature: prompt.temperature ?? 1,
    text: { format: { type: "text" }, ...writeText(prompt.format, prompt.verbosity) },
    tool_choice: toolChoice === null ? "auto" : writeToolChoice(toolChoice, tools),
    tools: writeTools(tools),
    top_logprobs: 0,
    top_p: prompt.topP ?? 1,
    truncation: "disabled",
    user: null,
  };
}

function instructionsOf({ turns }: Prompt): string | null {
  const [first] = turns;
  if (first?.at !== "instructions") return null;
  return first.parts.map(part => (part.kind === "text" ? part.text : "")).join("");
}
