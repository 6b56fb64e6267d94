import { type ChatDelivery, readChat } from "./demo-chat-request.ts";
import { type DemoEnd, type DemoPart, type DemoStep, escaped, isToken, partsOf } from "./demo-parts.ts";
import { type DemoCall, type DemoPiece, type DemoPlan, planDemo } from "./demo-plan.ts";
import type { DemoFrame } from "./demo-play.ts";
import type { DemoReply, DemoTask } from "./demo-task.ts";
import { type DemoMade, type DemoUsage, usageOf } from "./demo-usage.ts";

const FINGERPRINT = "fp_wicketgate_demo";
const FINISH_REASONS = {
  stop: "stop",
  sequence: "stop",
  refusal: "stop",
  length: "length",
  calls: "tool_calls",
} as const;

type Writing = {
  head: { id: string; created: number; model: string };
  plan: DemoPlan;
  /** Thoughts that are not shown still take their time, and count. */
  showsThoughts: boolean;
  usage: (made: DemoMade) => DemoUsage | null;
};

export function answerChat(task: DemoTask): DemoReply {
  const read = readChat(task.body);
  if ("refusal" in read) return read;
  const { ask, delivery } = read;
  const writing: Writing = {
    head: { id: `chatcmpl-${task.digest}`, created: task.createdSeconds, model: task.model },
    plan: planDemo(ask, task.settings),
    showsThoughts: task.settings.thinking !== "redacted",
    usage: made => usageOf({ prompt: ask.prompt, made }, task.settings),
  };
  return {
    contentType: delivery.stream ? "text/event-stream" : "application/json",
    frames: delivery.stream ? chunks(writing, usageChunkOf(delivery, task)) : completion(writing),
    framesApart: delivery.stream,
  };
}

function usageChunkOf(delivery: ChatDelivery, task: DemoTask): boolean {
  return delivery.usageChunk && task.settings.usage !== "none";
}

function* chunks(writing: Writing, usageChunk: boolean): Generator<DemoFrame> {
  const { plan, showsThoughts } = writing;
  const { id, created, model } = writing.head;
  const frame = (choices: object[], usage: object | null = null): string => {
    const base = {
      id,
      object: "chat.completion.chunk",
      created,
      model,
      system_fingerprint: FINGERPRINT,
      choices,
    };
    return `data: ${JSON.stringify(usageChunk ? { ...base, usage } : base)}\n\n`;
  };
  const choice = (delta: object, finish: string | null = null): object[] => [
    { index: 0, delta, logprobs: null, finish_reason: finish },
  ];
  const content = plan.says === "text" ? "" : null;
  yield { text: frame(choice({ role: "assistant", content, refusal: null })), isToken: false };
  const made: DemoMade = { tokens: 0, thoughts: 0 };
  let next = plan.pieces.next();
  for (; !next.done; next = plan.pieces.next()) {
    made.tokens++;
    if (next.value.kind === "thought") made.thoughts++;
    const isHidden = next.value.kind === "thought" && !showsThoughts;
    yield { text: isHidden ? "" : frame(choice(deltaOf(next.value))), isToken: true };
  }
  yield { text: frame(choice({}, FINISH_REASONS[next.value.reason])), isToken: false };
  const usage = writing.usage(made);
  if (usageChunk && usage !== null) yield { text: frame([], wireUsage(usage)), isToken: false };
  yield { text: "data: [DONE]\n\n", isToken: false };
}

function deltaOf(piece: DemoPiece): object {
  switch (piece.kind) {
    case "thought":
      return { reasoning_content: piece.token };
    case "text":
      return { content: piece.token };
    case "refusal":
      return { refusal: piece.token };
    case "call":
      return { tool_calls: [{ index: piece.index, ...wireCall(piece.call) }] };
    case "arguments":
      return { tool_calls: [{ index: piece.index, function: { arguments: piece.token } }] };
  }
}

function wireCall(call: DemoCall): object {
  return { id: `call_${call.id}`, type: "function", function: { name: call.tool.name, arguments: "" } };
}

/** Written in pieces, in the order of the JSON text, so that a long answer is never held whole. */
function* completion(writing: Writing): Generator<DemoFrame> {
  const { id, created, model } = writing.head;
  const opening = JSON.stringify({ id, object: "chat.completion", created, model }).slice(0, -1);
  yield {
    text: `${opening},"choices":[{"index":0,"message":{"role":"assistant"`,
    isToken: false,
  };
  const { finish, made } = yield* message(writing);
  const choiceEnd = `},"logprobs":null,"finish_reason":"${FINISH_REASONS[finish.reason]}"}]`;
  const usage = writing.usage(made);
  const ending = { ...(usage === null ? {} : { usage: wireUsage(usage) }), system_fingerprint: FINGERPRINT };
  yield { text: `${choiceEnd},${JSON.stringify(ending).slice(1)}`, isToken: false };
}

const UNSAID = {
  text: `,"content":"","refusal":null`,
  refusal: `,"content":null,"refusal":null`,
  calls: `,"content":null,"refusal":null`,
} as const;

function* message({ plan, showsThoughts }: Writing): Generator<DemoFrame, DemoEnd> {
  const steps = partsOf(plan);
  let last: DemoPart["kind"] | null = null;
  let next = steps.next();
  for (; !next.done; next = steps.next()) {
    const step: DemoStep = next.value;
    const text = textOf(step, { isFirstCall: last !== "call" });
    const isHidden = step.part.kind === "thought" && !showsThoughts;
    yield { text: isHidden ? "" : text, isToken: isToken(step) };
    last = step.part.kind;
  }
  if (last === "call") yield { text: "]", isToken: false };
  // The length limit may have been reached by thinking alone.
  if (last === null || last === "thought") yield { text: UNSAID[plan.says], isToken: false };
  return next.value;
}

function textOf(step: DemoStep, at: { isFirstCall: boolean }): string {
  if (step.step === "token") return escaped(step.token);
  const isOpening = step.step === "open";
  switch (step.part.kind) {
    case "thought":
      return isOpening ? `,"reasoning_content":"` : `"`;
    case "text":
      return isOpening ? `,"content":"` : `","refusal":null`;
    case "refusal":
      return isOpening ? `,"content":null,"refusal":"` : `"`;
    case "call": {
      const before = at.isFirstCall ? `${UNSAID.calls},"tool_calls":[` : ",";
      // The call is left open inside its arguments.
      return isOpening ? before + JSON.stringify(wireCall(step.part.call)).slice(0, -3) : `"}}`;
    }
  }
}

function wireUsage(usage: DemoUsage): object {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.total,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.thoughts },
  };
}
