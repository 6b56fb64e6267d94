import { useState } from "react";
import { formatDuration } from "../../format/number.ts";
import { Button } from "../../parts/button.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Pill, type PillTone } from "../../parts/pill.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { panelWords } from "./panel-words.ts";
import type { History } from "./upstream-reads.ts";
import { useWhy } from "./why-text.ts";

const SHOWN_FIRST = 10;

const EVENTS: Readonly<
  Record<
    string,
    { tone: PillTone; word: "eventResting" | "eventRejected" | "eventBack" | "eventTrying" } | undefined
  >
> = {
  resting: { tone: "warn", word: "eventResting" },
  rejected: { tone: "bad", word: "eventRejected" },
  back: { tone: "ok", word: "eventBack" },
  trying: { tone: "info", word: "eventTrying" },
};

function useShown<T>(lines: readonly T[]) {
  const say = useWords(panelWords);
  const [isAll, setAll] = useState(false);
  const shown = isAll ? lines : lines.slice(0, SHOWN_FIRST);
  const more =
    shown.length === lines.length ? null : (
      <Button size="sm" tone="ghost" onClick={() => setAll(true)}>
        {say("showAll", { count: lines.length })}
      </Button>
    );
  return { shown, more };
}

/** The font makes a sign for times of an x between digits, which ids have. */
const plainDigits = "[font-feature-settings:'calt'_0]";
const line = "grid gap-0.5 border-line border-b px-3.5 py-2.5 text-sm last:border-0";

export function EventLines({ events }: { events: History["events"] }) {
  const say = useWords(panelWords);
  const tellWhy = useWhy();
  const { shown, more } = useShown(events);
  if (events.length === 0) return <p className="text-ink-2">{say("eventsNone")}</p>;
  return (
    <>
      <ol className="rounded-lg border border-line">
        {shown.map(({ at, model, credential, what, why, until }) => {
          const look = EVENTS[what];
          return (
            <li key={`${at} ${model ?? ""} ${credential ?? ""} ${what}`} className={line}>
              <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <Pill tone={look?.tone ?? "quiet"}>{look === undefined ? what : say(look.word)}</Pill>
                {model === null ? null : <code className="break-all">{model}</code>}
                {credential === null ? null : (
                  <span className={plainDigits}>{say("keyNamed", { label: credential })}</span>
                )}
                <span className="ml-auto text-ink-3 text-xs">
                  <ExactTime at={at} form="date-time-seconds" />
                </span>
              </span>
              {why === null ? null : (
                <span className="text-ink-2">
                  <bdi className="break-words">{tellWhy(why)}</bdi>
                  {until === null ? null : (
                    <> · {say.rich("until", { when: <ExactTime key="until" at={until} form="time" /> })}</>
                  )}
                </span>
              )}
            </li>
          );
        })}
      </ol>
      {more}
    </>
  );
}

export function ErrorLines({ errors }: { errors: History["errors"] }) {
  const say = useWords(panelWords);
  const tellWhy = useWhy();
  const { shown, more } = useShown(errors);
  if (errors.length === 0) return <p className="text-ink-2">{say("errorsNone")}</p>;
  return (
    <>
      <ol className="rounded-lg border border-line">
        {shown.map(({ at, request_id, model, why, ms }) => (
          <li key={`${request_id} ${why} ${ms}`} className={line}>
            <span className="flex flex-wrap items-baseline gap-x-2">
              <code className="break-all font-medium">{model}</code>
              <span className="text-ink-3 text-xs">
                {say("after", { time: formatDuration(ms, say.language) })}
              </span>
              <span className="ml-auto text-ink-3 text-xs">
                <RelativeTime at={at} />
              </span>
            </span>
            <span className="flex flex-wrap items-baseline justify-between gap-x-3 text-ink-2">
              <bdi className="break-words">{tellWhy(why)}</bdi>
              <TextLink to="/operator/usage" search={{ receipt: request_id }}>
                {say("seeRequest")}
              </TextLink>
            </span>
          </li>
        ))}
      </ol>
      {more}
    </>
  );
}
