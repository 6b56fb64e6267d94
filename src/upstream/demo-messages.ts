import { type MessagesDelivery, readMessages } from "./demo-messages-request.ts";
import { type DemoEnd, type DemoPart, type DemoStep, escaped, isToken, partsOf } from "./demo-parts.ts";
import { type DemoFinish, type DemoPlan, planDemo } from "./demo-plan.ts";
import type { DemoFrame } from "./demo-play.ts";
import { demoSeal } from "./demo-seal.ts";
import type { DemoSettings } from "./demo-settings.ts";
import type { DemoReply, DemoTask } from "./demo-task.ts";
import { type DemoMade, type DemoUsage, type Reported, usageOf } from "./demo-usage.ts";

const STOP_REASONS = {
  stop: "end_turn",
  sequence: "stop_sequence",
  length: "max_tokens",
  calls: "tool_use",
  refusal: "refusal",
} as const;

type Writing = {
  head: { id: string; type: "message"; role: "assistant"; model: string };
  plan: DemoPlan;
  thoughts: "shown" | "omitted" | "redacted";
  usage: (made: DemoMade) => DemoUsage | null;
};

export function answerMessages(task: DemoTask): DemoReply {
  const read = readMessages(task.body, "answer");
  if ("refusal" in read) return read;
  const { ask, delivery } = read;
  const writing: Writing = {
    head: { id: `msg_${task.digest}`, type: "message", role: "assistant", model: task.model },
    plan: planDemo(ask, task.settings),
    thoughts: thoughtsOf(delivery, task.settings),
    usage: made => usageOf({ prompt: ask.prompt, made }, task.settings),
  };
  return {
    contentType: delivery.stream ? "text/event-stream" : "application/json",
    frames: delivery.stream ? events(writing) : message(writing),
    framesApart: delivery.stream,
  };
}

function thoughtsOf(delivery: MessagesDelivery, settings: DemoSettings): Writing["thoughts"] {
  if (settings.thinking === "redacted") return "redacted";
  return delivery.showsThoughts ? "shown" : "omitted";
}

type MessagesEvent = { type: string; [field: string]: unknown };

function* events(writing: Writing): Generator<DemoFrame> {
  // As a provider does it: the first count says that an answer has begun, the last one is of the whole.
  const begun = writing.usage({ tokens: 1, thoughts: 0 });
  yield eventFrame({
    type: "message_start",
    message: {
      ...writing.head,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...(begun === null
        ? {}
        : { usage: { ...countedInput(begun), ...cacheCreation(begun), output_tokens: 1 } }),
    },
  });
  yield eventFrame({ type: "ping" });
  const { finish, made } = yield* blockEvents(writing);
  const usage = writing.usage(made);
  yield eventFrame({
    type: "message_delta",
    delta: stopOf(finish),
    ...(usage === null ? {} : { usage: { ...countedInput(usage), ...countedOutput(usage) } }),
  });
  yield eventFrame({ type: "message_stop" });
}

function eventFrame(event: MessagesEvent, isTokenFrame = false): DemoFrame {
  return { text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, isToken: isTokenFrame };
}

function* blockEvents(writing: Writing): Generator<DemoFrame, DemoEnd> {
  const steps = partsOf(writing.plan);
  let thought = "";
  let next = steps.next();
  for (; !next.done; next = steps.next()) {
    const step: DemoStep = next.value;
    const index = step.part.place;
    if (step.step === "token" && step.part.kind === "thought") thought += step.token;
    if (step.step === "open") {
      const start = { type: "content_block_start", index, content_block: opening(step.part, writing) };
      yield eventFrame(start, isToken(step));
    }
    const isSpoken = step.step === "token";
    const delta = deltaOf(step, { writing, thought });
    if (delta !== null) yield eventFrame({ type: "content_block_delta", index, delta }, isSpoken);
    else if (isSpoken) yield { text: "", isToken: true };
    if (step.step === "close") yield eventFrame({ type: "content_block_stop", index });
  }
  return next.value;
}

function opening(part: DemoPart, writing: Writing): object {
  switch (part.kind) {
    case "thought":
      return writing.thoughts === "redacted"
        ? { type: "redacted_thinking", data: sealOf(writing, "") }
        : { type: "thinking", thinking: "", signature: "" };
    case "text":
    case "refusal":
      return { type: "text", text: "" };
    case "call":
      return { type: "tool_use", id: `toolu_${part.call.id}`, name: part.call.tool.name, input: {} };
  }
}

/** What a step adds to its block, if anything is told of it. */
function deltaOf(step: DemoStep, at: { writing: Writing; thought: string }): object | null {
  const { thoughts } = at.writing;
  const { part } = step;
  if (part.kind === "thought") {
    if (step.step === "token")
      return thoughts === "shown" ? { type: "thinking_delta", thinking: step.token } : null;
    if (step.step === "open" || thoughts === "redacted") return null;
    return { type: "signature_delta", signature: sealOf(at.writing, at.thought) };
  }
  if (part.kind === "call") {
    if (step.step === "open") return { type: "input_json_delta", partial_json: "" };
    // A call without arguments is told without any, not as an empty object.
    if (step.step === "close" || part.call.input === "{}") return null;
    return { type: "input_json_delta", partial_json: step.token };
  }
  return step.step === "token" ? { type: "text_delta", text: step.token } : null;
}

/** A signature is of the text that is shown; where none is, of none. */
function sealOf({ plan, thoughts }: Writing, thought: string): string {
  const kind = thoughts === "redacted" ? "redacted" : "signature";
  return demoSeal({ kind, seed: plan.seed(), text: thoughts === "shown" ? thought : "" });
}

/** Written in pieces, in the order of the JSON text, so that a long answer is never held whole. */
function* message(writing: Writing): Generator<DemoFrame> {
  yield { text: `${JSON.stringify(writing.head).slice(0, -1)},"content":[`, isToken: false };
  const { finish, made } = yield* blocks(writing);
  const counted = writing.usage(made);
  const usage =
    counted === null
      ? {}
      : { usage: { ...countedInput(counted), ...cacheCreation(counted), ...countedOutput(counted) } };
  yield { text: `],${JSON.stringify({ ...stopOf(finish), ...usage }).slice(1)}`, isToken: false };
}

function* blocks(writing: Writing): Generator<DemoFrame, DemoEnd> {
  const steps = partsOf(writing.plan);
  let thought = "";
  let next = steps.next();
  for (; !next.done; next = steps.next()) {
    const step: DemoStep = next.value;
    if (step.step === "token" && step.part.kind === "thought") thought += step.token;
    const comma = step.step === "open" && step.part.place > 0 ? "," : "";
    yield { text: comma + blockText(step, { writing, thought }), isToken: isToken(step) };
  }
  return next.value;
}

/** A thought is written when it is over, a call when it is known how much of it there is. */
function blockText(step: DemoStep, at: { writing: Writing; thought: string }): string {
  const { part } = step;
  if (part.kind === "text" || part.kind === "refusal") {
    if (step.step === "token") return escaped(step.token);
    return step.step === "open" ? `{"type":"text","text":"` : `"}`;
  }
  if (step.step !== "close") return "";
  if (part.kind === "thought") {
    if (at.writing.thoughts === "redacted") return JSON.stringify(opening(part, at.writing));
    const thinking = at.writing.thoughts === "shown" ? at.thought : "";
    return JSON.stringify({ type: "thinking", thinking, signature: sealOf(at.writing, at.thought) });
  }
  // Arguments that were cut short are no JSON, so nothing of them can be told.
  return `${JSON.stringify(opening(part, at.writing)).slice(0, -3)}${step.isWhole ? part.call.input : "{}"}}`;
}

function stopOf(finish: DemoFinish): object {
  return {
    stop_reason: STOP_REASONS[finish.reason],
    stop_sequence: finish.reason === "sequence" ? finish.sequence : null,
    ...(finish.reason === "refusal"
      ? {
          stop_details: {
            type: "refusal",
            category: null,
            explanation: "The demo model was asked to refuse.",
          },
        }
      : {}),
  };
}

function countedInput(usage: DemoUsage): Record<string, Reported> {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
  };
}

function cacheCreation(usage: DemoUsage): object {
  return {
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    service_tier: "standard",
  };
}

function countedOutput(usage: DemoUsage): object {
  return { output_tokens: usage.completion, output_tokens_details: { thinking_tokens: usage.thoughts } };
}
