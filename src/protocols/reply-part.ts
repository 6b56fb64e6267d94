import type { PartStart, ReplyPart } from "../domain/chat.ts";

/** How a stream begins the part. */
export function startOf(part: ReplyPart): PartStart {
  switch (part.kind) {
    case "tool-call": {
      const { kind, id, name, tool, namespace } = part;
      return { kind, id, name, tool, namespace };
    }
    case "foreign":
      return { kind: "foreign", type: part.type };
    default:
      return { kind: part.kind };
  }
}

/** What is said in it, in a stream or at once: text, or the input of a call. */
export function saidIn(part: ReplyPart): string {
  switch (part.kind) {
    case "tool-call":
      return part.input;
    case "foreign":
      return "";
    default:
      return part.text;
  }
}
