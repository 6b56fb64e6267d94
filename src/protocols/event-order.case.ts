import type { PartStart, ReplyEvent } from "../domain/chat.ts";

/** What is wrong with the order of an answer's events: nothing, as long as they may still go on. */
export function orderFaults(events: readonly ReplyEvent[]): string[] {
  const faults: string[] = [];
  const known = new Map<number, PartStart["kind"]>();
  const open = new Set<number>();
  let isOver = false;
  events.forEach((event, at) => {
    const fault = (what: string) => faults.push(`${at} (${event.kind}): ${what}`);
    if (isOver) fault("comes after the end");
    if (event.kind === "failure") {
      isOver = true;
      return;
    }
    if ((event.kind === "start") !== (at === 0)) fault(at === 0 ? "is not a start" : "is a second start");
    if (event.kind === "part-start") {
      if (known.has(event.index)) fault(`index ${event.index} was given before`);
      known.set(event.index, event.part.kind);
      open.add(event.index);
    } else if ("index" in event && !open.has(event.index)) fault(`part ${event.index} is not open`);
    if (event.kind === "part-seal" && known.get(event.index) !== "reasoning") fault("is on no reasoning");
    if (event.kind === "part-citation" && known.get(event.index) !== "text") fault("is on no text");
    if (event.kind === "part-end") open.delete(event.index);
    if (event.kind === "end") {
      isOver = true;
      if (open.size > 0) fault(`parts ${[...open]} are still open`);
    }
  });
  return faults;
}

/** And it came to an end, of one kind or the other. */
export function isComplete(events: readonly ReplyEvent[]): boolean {
  const last = events.at(-1)?.kind;
  return last === "end" || last === "failure";
}
