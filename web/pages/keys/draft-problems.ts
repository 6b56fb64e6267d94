import { checkCustomKey } from "../../../src/domain/custom-key.ts";
import { keyProblemZh } from "../../refusals/key-problem-words.ts";
import type { Say } from "../../words/say.ts";
import { AMOUNTS, amountText, COUNTS, type Draft, expiresAt } from "./draft.ts";
import type { formWords } from "./form-words.ts";

export type FormSay = Say<(typeof formWords)["en"]>;
export type Problems = Partial<Record<keyof Draft, string>>;

const NAME_MAX = 100;
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const AMOUNT = /^\d{1,9}(\.\d{1,9})?$/;
const NOTHING = /^0+(\.0+)?$/;

/** What the browser can tell by itself; the server looks at all of it again. */
export function problemsOf(draft: Draft, { say, nowMs }: { say: FormSay; nowMs: number }): Problems {
  const found: Problems = {};
  const name = nameProblem(draft.name, say);
  if (name !== null) found.name = name;
  if (draft.group === null) found.group = say("needGroup");
  for (const field of AMOUNTS) {
    const text = amountText(draft[field]);
    if (text === "") continue;
    if (!AMOUNT.test(text)) found[field] = say("badAmount");
    else if (NOTHING.test(text) && field !== "quota") found[field] = say("zeroAmount");
  }
  for (const [field, max] of Object.entries(COUNTS) as [keyof typeof COUNTS, number][]) {
    const text = draft[field];
    if (text !== "" && !(Number(text) >= 1 && Number(text) <= max)) found[field] = say("badCount", { max });
  }
  const expiry = expiryProblem(draft, { say, nowMs });
  if (expiry !== null) found.expiryDate = expiry;
  const custom = draft.isCustom ? customProblem(draft.custom, say) : null;
  if (custom !== null) found.custom = custom;
  return found;
}

function nameProblem(given: string, say: FormSay): string | null {
  const name = given.trim();
  if (name === "") return say("needName");
  if (CONTROL.test(name)) return say("controlName");
  const over = visibleLength(name) - NAME_MAX;
  return over > 0 ? say("longName", { count: over }) : null;
}

/** As people count: an emoji is one, whatever it is made of. */
export function visibleLength(text: string): number {
  let count = 0;
  for (const _ of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) count += 1;
  return count;
}

function expiryProblem(draft: Draft, { say, nowMs }: { say: FormSay; nowMs: number }): string | null {
  const at = expiresAt(draft, nowMs);
  if (at === undefined) return say("needDate");
  return at !== null && Date.parse(at) <= nowMs ? say("pastDate") : null;
}

export function customProblem(text: string, say: FormSay): string | null {
  if (text === "") return say("needCustom");
  const checked = checkCustomKey(text);
  if (checked.ok) return null;
  const problem =
    say.language === "zh" ? (keyProblemZh(checked.problem) ?? checked.problem) : checked.problem;
  return say("customBad", { problem });
}
