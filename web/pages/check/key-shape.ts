import { diagnoseKeyString, KEY_LENGTH, KEY_PREFIX } from "../../../src/domain/key-string.ts";
import { keyProblemZh } from "../../refusals/key-problem-words.ts";
import type { Say } from "../../words/say.ts";
import type { words } from "./words.ts";

/** `growing`: what is there so far could become a key, so nothing is wrong with it while it is being typed. */
export type KeyShape = { tone: "none" | "growing" | "ok" | "bad"; text: string };

type PageSay = Say<(typeof words)["en"]>;

/** By exactly the rules of the server. Nothing of the key leaves the page. */
export function keyShape(typed: string, { say, isDone }: { say: PageSay; isDone: boolean }): KeyShape {
  if (typed === "") return { tone: "none", text: say("count", { count: 0 }) };
  const found = diagnoseKeyString(typed);
  switch (found.kind) {
    case "generated":
      return { tone: "ok", text: say("whole") };
    case "custom":
      return { tone: "ok", text: say("custom") };
    case "missing":
      return { tone: "none", text: say("count", { count: 0 }) };
    case "provider":
      return { tone: "bad", text: say("provider", { provider: found.provider, setting: found.setting }) };
    case "malformed": {
      const isGrowing = !isDone && /^[\w-]*$/.test(typed) && couldBeOurs(typed);
      if (isGrowing) return { tone: "growing", text: say("count", { count: typed.length }) };
      return { tone: "bad", text: say("notWhole", { problem: inLanguage(found.problem, say) }) };
    }
  }
}

function couldBeOurs(typed: string): boolean {
  if (typed.length >= KEY_LENGTH) return false;
  return typed.startsWith(KEY_PREFIX) || KEY_PREFIX.startsWith(typed);
}

function inLanguage(problem: string, say: PageSay): string {
  return say.language === "zh" ? (keyProblemZh(problem) ?? problem) : problem;
}
