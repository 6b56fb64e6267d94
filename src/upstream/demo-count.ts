import { readMessages } from "./demo-messages-request.ts";
import type { DemoFrame } from "./demo-play.ts";
import type { DemoReply, DemoTask } from "./demo-task.ts";
import { usageOf } from "./demo-usage.ts";

/** How many tokens a Messages request has: as many as its answer would say, cached or not. */
export function answerCount(task: DemoTask): DemoReply {
  const read = readMessages(task.body, "count");
  if ("refusal" in read) return read;
  const usage = usageOf({ prompt: read.ask.prompt, made: { tokens: 0, thoughts: 0 } }, task.settings);
  const text = JSON.stringify(usage === null ? {} : { input_tokens: usage.prompt });
  return { contentType: "application/json", frames: once(text), framesApart: false };
}

function* once(text: string): Generator<DemoFrame> {
  yield { text, isToken: true };
}
