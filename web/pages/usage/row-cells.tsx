import { memo } from "react";
import { now } from "../../format/clock.ts";
import { formatCount, formatDuration, formatShare } from "../../format/number.ts";
import { formatTime } from "../../format/time.ts";
import { classNames } from "../../parts/class-names.ts";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Money } from "../../parts/money.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Row } from "./log.ts";
import { OutcomePill } from "./outcome-pill.tsx";
import { words } from "./words.ts";

const smallClass = "text-ink-3 text-xs";
const NOTHING = "–";

/** Today's time alone, with its day where that was another. */
export function RowTime({ row }: { row: Row }) {
  const { language } = useWords(words);
  const day = formatTime(row.at, language, "day");
  const isToday = day === formatTime(new Date(now()).toISOString(), language, "day");
  return (
    <>
      <ExactTime at={row.at} form="time" />
      {isToday ? null : <small className={`${smallClass} phone:ml-1 md:block`}>{day}</small>}
    </>
  );
}

export const TimeCell = memo(function TimeCell({ row }: { row: Row }) {
  return (
    <div className="whitespace-nowrap">
      <RowTime row={row} />
    </div>
  );
});

/** Which key it came by, and from which tool. */
export const KeyCell = memo(function KeyCell({ row }: { row: Row }) {
  const say = useWords(words);
  const from = [row.tool === "" ? say("unknownTool") : row.tool, row.address].filter(Boolean).join(" · ");
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-px md:w-44">
      <span dir="auto" title={row.key.name} className="max-w-full truncate text-left">
        {row.key.name}
      </span>
      <small className={`${smallClass} max-w-full truncate`} title={from}>
        {from}
      </small>
    </div>
  );
});

export function useDialectText(): (row: Pick<Row, "operation" | "stream">) => string {
  const say = useWords(words);
  return ({ operation, stream }) => {
    const dialect = say(operation);
    return stream ? say("streamed", { dialect }) : dialect;
  };
}

/** With the key under it where there is no room for a column of keys. */
export const ModelCell = memo(function ModelCell({ row, withKey }: { row: Row; withKey: boolean }) {
  const dialect = useDialectText();
  return (
    <div
      className={classNames("grid min-w-0 grid-cols-[minmax(0,1fr)] gap-px", withKey ? "md:w-36" : "md:w-44")}
    >
      <code className="truncate phone:font-medium" title={row.model}>
        {row.model}
      </code>
      <small dir={withKey ? "auto" : undefined} className={`${smallClass} truncate text-left`}>
        <span className="md:hidden">
          <RowTime row={row} />
          {" · "}
        </span>
        {withKey ? row.key.name : dialect(row)}
      </small>
    </div>
  );
});

/** What went in, all of it, and what came out. */
export const TokensCell = memo(function TokensCell({ row, isShort }: { row: Row; isShort: boolean }) {
  const say = useWords(words);
  const { input, cache_read: cached, cache_write: written, output, reasoning } = row.tokens;
  const taken = input + cached + written;
  if (taken + output === 0) return <span className="text-ink-3">{NOTHING}</span>;
  const flow = { input: formatCount(taken, say.language), output: formatCount(output, say.language) };
  const details = [
    cached > 0 ? say("cachedShare", { share: formatShare(cached / taken, say.language) }) : null,
    reasoning > 0 && !isShort ? say("reasoning", { count: reasoning }) : null,
  ].filter(Boolean);
  return (
    <div className="grid gap-px whitespace-nowrap">
      <span>
        <span aria-hidden>{say("tokenFlow", flow)}</span>
        <span className="sr-only">{say("tokenFlowRead", flow)}</span>
      </span>
      {details.length === 0 ? null : <small className={smallClass}>{details.join(" · ")}</small>}
    </div>
  );
});

function isNothing(usd: string): boolean {
  return /^-?0*(\.0*)?$/.test(usd);
}

/** To the last digit: what is asked about a bill is what is on it. */
export const CostCell = memo(function CostCell({ row, decimals }: { row: Row; decimals?: number }) {
  const say = useWords(words);
  if (
    row.outcome === "running" ||
    row.outcome === "refused" ||
    (isNothing(row.cost_usd) && row.outcome !== "ok")
  ) {
    return <span className="text-ink-3">{NOTHING}</span>;
  }
  return (
    <div className="grid gap-px whitespace-nowrap">
      <Money usd={row.cost_usd} {...(decimals === undefined ? {} : { decimals })} />
      {row.is_estimated ? <small className={smallClass}>{say("estimated")}</small> : null}
    </div>
  );
});

export const DurationCell = memo(function DurationCell({ row }: { row: Row }) {
  const say = useWords(words);
  if (row.duration_ms === null) return <span className="text-ink-3">{NOTHING}</span>;
  return (
    <div className="grid gap-px whitespace-nowrap">
      <span>{formatDuration(row.duration_ms, say.language)}</span>
      {row.first_byte_ms === null ? null : (
        <small className={smallClass}>
          {say("firstByteIn", { time: formatDuration(row.first_byte_ms, say.language) })}
        </small>
      )}
    </div>
  );
});

export const StatusCell = memo(function StatusCell({ row }: { row: Row }) {
  const say = useWords(words);
  const { repeated } = row;
  return (
    <div className="grid justify-items-start md:max-w-40 gap-0.5 phone:justify-items-end">
      <OutcomePill row={row} />
      {repeated === null ? null : (
        <small
          className={`${smallClass} whitespace-nowrap`}
          title={say("repeatedTitle", {
            count: repeated.count,
            time: formatTime(repeated.since, say.language, "date-time-seconds"),
          })}
        >
          {say("repeated", { count: repeated.count, time: formatTime(repeated.since, say.language, "time") })}
        </small>
      )}
    </div>
  );
});
