import { type DemoEnd, type DemoStep, isToken, partsOf } from "./demo-parts.ts";
import { type DemoPlan, planDemo } from "./demo-plan.ts";
import type { DemoFrame } from "./demo-play.ts";
import {
  closeEvents,
  type ItemEvent,
  type ItemStyle,
  itemOf,
  openEvents,
  tokenEvent,
} from "./demo-responses-items.ts";
import { type ResponsesDelivery, readResponses } from "./demo-responses-request.ts";
import type { DemoSettings } from "./demo-settings.ts";
import type { DemoReply, DemoTask } from "./demo-task.ts";
import { type DemoMade, type DemoUsage, usageOf } from "./demo-usage.ts";

type Writing = {
  head: { id: string; object: "response"; created_at: number; model: string };
  /** The end of a response's JSON: what it repeats of the request. */
  echo: string;
  plan: DemoPlan;
  style: ItemStyle;
  usage: (made: DemoMade) => DemoUsage | null;
};

export function answerResponses(task: DemoTask): DemoReply {
  const read = readResponses(task.body);
  if ("refusal" in read) return { refusal: { ...read.refusal, ...codeOf(read.refusal.param) } };
  const { ask, delivery } = read;
  const plan = planDemo(ask, task.settings);
  const writing: Writing = {
    head: {
      id: `resp_${task.digest}`,
      object: "response",
      created_at: task.createdSeconds,
      model: task.model,
    },
    echo: delivery.echo.slice(1),
    plan,
    style: styleOf(delivery, { digest: task.digest, plan, settings: task.settings }),
    usage: made => usageOf({ prompt: ask.prompt, made }, task.settings),
  };
  return {
    contentType: delivery.stream ? "text/event-stream" : "application/json",
    frames: delivery.stream ? events(writing) : response(writing),
    framesApart: delivery.stream,
  };
}

function codeOf(param: string | null): { code?: string } {
  if (param === "previous_response_id") return { code: "previous_response_not_found" };
  return param?.endsWith(".encrypted_content") === true ? { code: "invalid_encrypted_content" } : {};
}

function styleOf(
  delivery: ResponsesDelivery,
  of: { digest: string; plan: DemoPlan; settings: DemoSettings },
): ItemStyle {
  const { thinking } = of.settings;
  return {
    digest: of.digest,
    seed: of.plan.seed,
    showsThoughts: thinking === "always" || (thinking === "as-asked" && delivery.showsThoughts),
    sealsThoughts: delivery.sealsThoughts,
  };
}

type State = { status: string; output: readonly object[]; end: DemoEnd | null };

const BEGUN: State = { status: "in_progress", output: [], end: null };

/** Without the fields that say how it goes. */
function opening({ head, echo }: Writing): string {
  return `${JSON.stringify(head).slice(0, -1)},${echo.slice(0, -1)}`;
}

function ending(writing: Writing, { status, output, end }: State): string {
  const usage = end === null ? null : writing.usage(end.made);
  const state = {
    status,
    error: null,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    output,
    usage: usage === null ? null : wireUsage(usage),
  };
  return `,${JSON.stringify(state).slice(1)}`;
}

/** All of it is known only at its end, but a client sees at once that it has begun. */
function* response(writing: Writing): Generator<DemoFrame> {
  yield { text: opening(writing), isToken: false };
  const state = yield* items(writing, () => "");
  yield { text: ending(writing, state), isToken: false };
}

function* events(writing: Writing): Generator<DemoFrame> {
  let number = 0;
  const numbered = (event: ItemEvent): string => {
    const { type, ...rest } = event;
    return eventText({ type, data: JSON.stringify({ type, sequence_number: number++, ...rest }) });
  };
  const ofAll = (type: string, state: State): DemoFrame => {
    const fields = JSON.stringify({ type, sequence_number: number++ }).slice(0, -1);
    const data = `${fields},"response":${opening(writing)}${ending(writing, state)}}`;
    return { text: eventText({ type, data }), isToken: false };
  };
  yield ofAll("response.created", BEGUN);
  yield ofAll("response.in_progress", BEGUN);
  const state = yield* items(writing, numbered);
  yield ofAll(`response.${state.status}`, state);
}

function eventText({ type, data }: { type: string; data: string }): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** Writes the events of each item, and keeps the items. */
function* items(writing: Writing, write: (event: ItemEvent) => string): Generator<DemoFrame, State> {
  const { style } = writing;
  const output: object[] = [];
  let text = "";
  const steps = neverEmpty(partsOf(writing.plan));
  let next = steps.next();
  for (; !next.done; next = steps.next()) {
    const step: DemoStep = next.value;
    if (step.step === "token") {
      text += step.token;
      const event = tokenEvent(step.part, { style, token: step.token });
      yield { text: event === null ? "" : write(event), isToken: true };
    } else if (step.step === "open") {
      text = "";
      const [added, ...more] = openEvents(step.part, style).map(write);
      yield { text: added ?? "", isToken: isToken(step) };
      for (const event of more) yield { text: event, isToken: false };
    } else {
      const item = itemOf(step.part, { style, text, status: step.isWhole ? "completed" : "incomplete" });
      output.push(item);
      const closing = closeEvents(step.part, { style, text, item });
      for (const event of closing) yield { text: write(event), isToken: false };
    }
  }
  const end = next.value;
  return { status: end.finish.reason === "length" ? "incomplete" : "completed", output, end };
}

/** An answer that says nothing is a message without text. */
function* neverEmpty(steps: Generator<DemoStep, DemoEnd>): Generator<DemoStep, DemoEnd> {
  let isEmpty = true;
  let next = steps.next();
  for (; !next.done; next = steps.next()) {
    isEmpty = false;
    yield next.value;
  }
  if (isEmpty) {
    yield { step: "open", part: { place: 0, kind: "text" }, isToken: false };
    yield { step: "close", part: { place: 0, kind: "text" }, isWhole: true };
  }
  return next.value;
}

function wireUsage(usage: DemoUsage): object {
  return {
    input_tokens: usage.prompt,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: 0 },
    output_tokens: usage.completion,
    output_tokens_details: { reasoning_tokens: usage.thoughts },
    total_tokens: usage.total,
  };
}
