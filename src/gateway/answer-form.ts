import type { Operation } from "../domain/usage.ts";
import type { Answer } from "../upstream/answer.ts";
import { judge } from "./judge.ts";

/** How an answer goes on: event by event, byte by byte, or read whole first. */
export type AnswerForm = "events" | "bytes" | "whole";

export type Expected = { operation: Operation; model: string; stream: boolean };

export function answerForm(answer: Answer, { operation, model, stream }: Expected): AnswerForm {
  if (judge(answer, model).kind !== "good") return "whole";
  const type = (answer.headers.get("content-type") ?? "").toLowerCase();
  // A form may say only behind its file that the answer is to stream, when it has long been admitted.
  const mayStream = stream || operation === "transcriptions";
  if (type.startsWith("text/event-stream")) return mayStream ? "events" : "whole";
  return operation === "speech" && !type.startsWith("application/json") ? "bytes" : "whole";
}
