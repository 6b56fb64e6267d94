import { isObject } from "./demo-json.ts";
import type { Refuse } from "./demo-task.ts";
import type { DemoPrompt } from "./demo-usage.ts";

/** A stretch of the prompt that may end with a cache mark; in the order of the prompt: tools, system, messages. */
export type Stretch = { tokens: number; mark: CacheMark | null };
export type CacheMark = { ttl: "5m" | "1h"; path: string };

const MARKS_MAX = 4;

/** The mark at the end of a block, if it has one. */
export function readMark(at: { holder: unknown; path: string }, refuse: Refuse): CacheMark | null {
  const control = isObject(at.holder) ? at.holder["cache_control"] : undefined;
  if (control === undefined || control === null) return null;
  const path = at.path === "" ? "cache_control" : `${at.path}.cache_control`;
  if (!isObject(control) || control["type"] !== "ephemeral") {
    refuse(`${path}.type`, "must be 'ephemeral'");
    return null;
  }
  const ttl = control["ttl"] ?? "5m";
  if (ttl === "5m" || ttl === "1h") return { ttl, path };
  refuse(`${path}.ttl`, "must be '5m' or '1h'");
  return null;
}

/** A mark on the whole request stands at its end. */
export function countPrompt(
  prompt: { stretches: readonly Stretch[]; whole: CacheMark | null },
  refuse: Refuse,
): DemoPrompt {
  const marks = prompt.stretches.flatMap(({ mark }) => (mark === null ? [] : [mark]));
  if (prompt.whole !== null) marks.push(prompt.whole);
  const fifth = marks[MARKS_MAX];
  if (fifth !== undefined)
    refuse(fifth.path, `at most ${MARKS_MAX} cache marks are allowed, not ${marks.length}`);
  const firstShort = marks.findIndex(mark => mark.ttl === "5m");
  const lateLong = marks.find((mark, index) => mark.ttl === "1h" && firstShort >= 0 && index > firstShort);
  if (lateLong !== undefined) refuse(`${lateLong.path}.ttl`, "a mark of 1h must not come after one of 5m");

  let tokens = 0;
  const upTo = { "5m": 0, "1h": 0 };
  for (const { tokens: more, mark } of prompt.stretches) {
    tokens += more;
    if (mark !== null) upTo[mark.ttl] = tokens;
  }
  if (prompt.whole !== null) upTo[prompt.whole.ttl] = tokens;
  return { tokens, marked: { fiveMinutes: Math.max(0, upTo["5m"] - upTo["1h"]), oneHour: upTo["1h"] } };
}
