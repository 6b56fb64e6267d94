import type { ChatDelivery } from "./demo-chat-request.ts";
import { type DemoFinish, type DemoPiece, type DemoPlan, type DemoUsage, usageOf } from "./demo-plan.ts";
import type { DemoFrame } from "./demo-play.ts";
import type { DemoRefusal } from "./demo-settings.ts";

export type ChatHead = { id: string; createdSeconds: number; model: string };

const FINGERPRINT = "fp_wicketgate_demo";
const FINISH_REASONS = { stop: "stop", length: "length", calls: "tool_calls" } as const;

export function writeChat(
  plan: DemoPlan,
  how: { head: ChatHead; delivery: ChatDelivery },
): Generator<DemoFrame> {
  return how.delivery.stream ? chunks(plan, how) : completion(plan, how.head);
}

function* chunks(plan: DemoPlan, how: { head: ChatHead; delivery: ChatDelivery }): Generator<DemoFrame> {
  const { id, createdSeconds: created, model } = how.head;
  const usageChunk = how.delivery.usageChunk && plan.usage !== "none";
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
  const choice = (delta: object, finish: DemoFinish | null = null): object[] => [
    { index: 0, delta, logprobs: null, finish_reason: finish && FINISH_REASONS[finish] },
  ];
  const content = plan.says === "text" ? "" : null;
  yield { text: frame(choice({ role: "assistant", content, refusal: null })), isToken: false };
  let count = 0;
  let next = plan.pieces.next();
  for (; !next.done; next = plan.pieces.next()) {
    count++;
    yield { text: frame(choice(deltaOf(next.value))), isToken: true };
  }
  yield { text: frame(choice({}, next.value)), isToken: false };
  const usage = usageOf(plan, count);
  if (usageChunk && usage !== null) yield { text: frame([], wireUsage(usage)), isToken: false };
  yield { text: "data: [DONE]\n\n", isToken: false };
}

function deltaOf(piece: DemoPiece): object {
  switch (piece.kind) {
    case "text":
      return { content: piece.token };
    case "call": {
      const opened = { name: piece.name, arguments: "" };
      return { tool_calls: [{ index: piece.index, id: piece.id, type: "function", function: opened }] };
    }
    case "arguments":
      return { tool_calls: [{ index: piece.index, function: { arguments: piece.token } }] };
  }
}

/** Written in pieces, in the order of the JSON text, so that a long answer is never held whole. */
function* completion(plan: DemoPlan, head: ChatHead): Generator<DemoFrame> {
  const { id, createdSeconds: created, model } = head;
  const opening = JSON.stringify({ id, object: "chat.completion", created, model }).slice(0, -1);
  const content = plan.says === "text" ? `"` : `null,"refusal":null,"tool_calls":[`;
  const message = `{"role":"assistant","content":${content}`;
  yield { text: `${opening},"choices":[{"index":0,"message":${message}`, isToken: false };
  let count = 0;
  let next = plan.pieces.next();
  for (; !next.done; next = plan.pieces.next()) {
    count++;
    yield { text: completionPiece(next.value), isToken: true };
  }
  const messageEnd = plan.says === "text" ? `","refusal":null}` : `${count > 0 ? `"}}` : ""}]}`;
  const choiceEnd = `,"logprobs":null,"finish_reason":"${FINISH_REASONS[next.value]}"}]`;
  const usage = usageOf(plan, count);
  const ending = { ...(usage === null ? {} : { usage: wireUsage(usage) }), system_fingerprint: FINGERPRINT };
  yield { text: `${messageEnd}${choiceEnd},${JSON.stringify(ending).slice(1)}`, isToken: false };
}

function completionPiece(piece: DemoPiece): string {
  if (piece.kind !== "call") return JSON.stringify(piece.token).slice(1, -1);
  const opened = JSON.stringify({ name: piece.name, arguments: "" }).slice(0, -2);
  const closeLast = piece.index > 0 ? `"}},` : "";
  return `${closeLast}{"id":${JSON.stringify(piece.id)},"type":"function","function":${opened}`;
}

function wireUsage(usage: DemoUsage): object {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.total,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

/** An error as OpenAI words it. */
export function* writeChatError(refusal: DemoRefusal & { code: string | null }): Generator<DemoFrame> {
  const { message, param, code } = refusal;
  yield {
    text: JSON.stringify({ error: { message, type: errorType(refusal.status), param, code } }),
    isToken: false,
  };
}

function errorType(status: number): string {
  if (status >= 500) return "server_error";
  return status === 429 ? "rate_limit_error" : "invalid_request_error";
}
