import { readChat } from "./demo-chat-request.ts";
import { escaped } from "./demo-parts.ts";
import { type DemoPlan, planDemo } from "./demo-plan.ts";
import type { DemoFrame } from "./demo-play.ts";
import type { DemoReply, DemoTask } from "./demo-task.ts";
import { countDemoTokens } from "./demo-text.ts";
import { type DemoMade, type DemoUsage, usageOf } from "./demo-usage.ts";

// Of a refusal there is nothing to be told here but that there was one.
const FINISH_REASONS = {
  stop: "stop",
  sequence: "stop",
  calls: "stop",
  length: "length",
  refusal: "content_filter",
} as const;

type Writing = {
  head: { id: string; object: "text_completion"; created: number; model: string };
  plan: DemoPlan;
  usage: (made: DemoMade) => DemoUsage | null;
};

/** The old path for text after text: a chat of one message, without tools and thoughts. */
export function answerCompletions(task: DemoTask): DemoReply {
  const prompt = promptOf(task.body["prompt"]);
  if (prompt === null) {
    return { refusal: { status: 400, message: "'prompt' must be one text.", param: "prompt" } };
  }
  const { tools: _, response_format: __, reasoning_effort: ___, ...fields } = task.body;
  const read = readChat({ ...fields, messages: [{ role: "user", content: prompt }] });
  if ("refusal" in read) return read;
  const { stream, usageChunk } = read.delivery;
  const { settings } = task;
  const used = { tokens: countDemoTokens(prompt), marked: null };
  const writing: Writing = {
    head: {
      id: `cmpl-${task.digest}`,
      object: "text_completion",
      created: task.createdSeconds,
      model: task.model,
    },
    plan: planDemo(read.ask, { ...settings, thinking: "as-asked" }),
    usage: made => usageOf({ prompt: used, made }, settings),
  };
  return {
    contentType: stream ? "text/event-stream" : "application/json",
    frames: stream ? chunks(writing, usageChunk && settings.usage !== "none") : completion(writing),
    framesApart: stream,
  };
}

function promptOf(prompt: unknown): string | null {
  const one: unknown = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  return typeof one === "string" ? one : null;
}

function* chunks({ head, plan, usage }: Writing, usageChunk: boolean): Generator<DemoFrame> {
  const frame = (choices: object[], counted: object | null = null): string =>
    `data: ${JSON.stringify({ ...head, choices, ...(usageChunk ? { usage: counted } : {}) })}\n\n`;
  const choice = (text: string, finish: string | null): object[] => [
    { text, index: 0, logprobs: null, finish_reason: finish },
  ];
  const made: DemoMade = { tokens: 0, thoughts: 0 };
  let next = plan.pieces.next();
  for (; !next.done; next = plan.pieces.next()) {
    made.tokens++;
    const text = "token" in next.value ? next.value.token : "";
    yield { text: frame(choice(text, null)), isToken: true };
  }
  yield { text: frame(choice("", FINISH_REASONS[next.value.reason])), isToken: false };
  const counted = usage(made);
  if (usageChunk && counted !== null) yield { text: frame([], wireUsage(counted)), isToken: false };
  yield { text: "data: [DONE]\n\n", isToken: false };
}

function* completion({ head, plan, usage }: Writing): Generator<DemoFrame> {
  yield { text: `${JSON.stringify(head).slice(0, -1)},"choices":[{"text":"`, isToken: false };
  const made: DemoMade = { tokens: 0, thoughts: 0 };
  let next = plan.pieces.next();
  for (; !next.done; next = plan.pieces.next()) {
    made.tokens++;
    yield { text: "token" in next.value ? escaped(next.value.token) : "", isToken: true };
  }
  const finish = FINISH_REASONS[next.value.reason];
  const counted = usage(made);
  const ending = counted === null ? "}" : `,"usage":${JSON.stringify(wireUsage(counted))}}`;
  yield { text: `","index":0,"logprobs":null,"finish_reason":"${finish}"}]${ending}`, isToken: false };
}

function wireUsage(usage: DemoUsage): object {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.total,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
}
