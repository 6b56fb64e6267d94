import { Pill, type PillTone } from "../../parts/pill.tsx";
import { useReasonTitle } from "../../refusals/reason-title.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Row } from "./log.ts";
import { words } from "./words.ts";

export type Outcome = Row["outcome"];
export const OUTCOMES: readonly Outcome[] = ["ok", "refused", "failed", "stopped", "running"];

const WORDS = {
  running: "outcomeRunning",
  ok: "outcomeOk",
  stopped: "outcomeStopped",
  failed: "outcomeFailed",
  refused: "outcomeRefused",
} as const;

const TONES: Record<Outcome, PillTone> = {
  running: "info",
  ok: "ok",
  stopped: "quiet",
  failed: "bad",
  refused: "bad",
};

export function outcomeWord(outcome: Outcome) {
  return WORDS[outcome];
}

/** How a request ended, in words: for a refusal or a failure its reason. */
export function useOutcomeText(): (row: Pick<Row, "outcome" | "reason">) => string {
  const say = useWords(words);
  const title = useReasonTitle();
  return ({ outcome, reason }) => {
    if (reason === "interrupted") return say("interrupted");
    const isTold = (outcome === "refused" || outcome === "failed") && reason !== null;
    return isTold ? title(reason) : say(WORDS[outcome]);
  };
}

export function OutcomePill({ row }: { row: Pick<Row, "outcome" | "reason"> }) {
  const text = useOutcomeText();
  return (
    <Pill tone={TONES[row.outcome]} pulse={row.outcome === "running"}>
      {text(row)}
    </Pill>
  );
}
