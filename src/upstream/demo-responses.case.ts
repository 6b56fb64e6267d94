import { type Ask, hearAt, type OpenAiError, parseEvents } from "./demo.case.ts";

/** What the tests of the demo's Responses dialect share. */
export type Item = {
  id: string;
  type: string;
  status?: string;
  role?: string;
  content?: { type: string; text?: string; refusal?: string }[];
  summary?: { type: string; text: string }[];
  encrypted_content?: string;
  call_id?: string;
  name?: string;
  namespace?: string;
  arguments?: string;
  input?: string;
};
export type ResponsesUsage = {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
};
export type Response = {
  id: string;
  object: string;
  status: string;
  model: string;
  incomplete_details: { reason: string } | null;
  output: Item[];
  usage: ResponsesUsage | null;
  [echoed: string]: unknown;
};
export type ResponsesEvent = {
  type: string;
  sequence_number: number;
  response?: Response;
  item?: Item;
  item_id?: string;
  output_index?: number;
  content_index?: number;
  summary_index?: number;
  part?: { type: string; text?: string; refusal?: string };
  delta?: string;
  text?: string;
};

export const INPUT = "What is a wicket gate?";

export async function response(ask: Ask, model = "demo"): Promise<Response> {
  const heard = await hearAt("responses", { ask: { input: INPUT, ...ask }, model });
  if (heard.status !== 200 || heard.failure !== null) throw new Error(heard.text);
  return JSON.parse(heard.text);
}

export async function responseEvents(ask: Ask, model = "demo"): Promise<ResponsesEvent[]> {
  const heard = await hearAt("responses", { ask: { input: INPUT, ...ask, stream: true }, model });
  if (heard.status !== 200) throw new Error(heard.text);
  return parseEvents(heard.reads);
}

export async function refusedResponse(ask: Ask): Promise<OpenAiError["error"]> {
  const heard = await hearAt("responses", { ask: { input: INPUT, ...ask } });
  if (heard.status !== 400) throw new Error(`${heard.status}: ${heard.text}`);
  const body: OpenAiError = JSON.parse(heard.text);
  return body.error;
}

/** The items as the deltas alone tell them. */
export function foldItems(events: readonly ResponsesEvent[]): Item[] {
  const items: Item[] = [];
  for (const { type, output_index: at = 0, item: added, part, delta = "" } of events) {
    if (type === "response.output_item.added" && added !== undefined) items[at] = structuredClone(added);
    const item = items[at];
    if (item === undefined) continue;
    if (type === "response.content_part.added" && part !== undefined) item.content = [structuredClone(part)];
    if (type === "response.reasoning_summary_part.added") item.summary = [{ type: "summary_text", text: "" }];
    const [content] = item.content ?? [];
    const [summary] = item.summary ?? [];
    if (type === "response.output_text.delta" && content) content.text += delta;
    if (type === "response.refusal.delta" && content) content.refusal += delta;
    if (type === "response.reasoning_summary_text.delta" && summary) summary.text += delta;
    if (type === "response.function_call_arguments.delta") item.arguments += delta;
    if (type === "response.custom_tool_call_input.delta") item.input += delta;
  }
  return items;
}
