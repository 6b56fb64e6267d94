import { formatCompact, formatCount, formatDuration, formatShare } from "../../format/number.ts";
import { Money } from "../../parts/money.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { averageText, type Summary } from "./chart-series.ts";
import { words } from "./words.ts";

const COMPACT_FROM = 1_000_000;

/** What the range comes to, at a glance. */
export function UsageStats({ summary, isToday }: { summary: Summary | undefined; isToday: boolean }) {
  const say = useWords(words);
  const { language } = say;
  const isLoading = summary === undefined;
  const totals = summary?.totals;
  const days = summary?.bucket === "day" ? summary.buckets.length : 1;
  const { input = 0, cache_read: cached = 0, cache_write: written = 0, output = 0 } = totals?.tokens ?? {};
  const taken = input + cached + written;
  const tokens = taken + output;
  const short = (count: number) =>
    count < COMPACT_FROM ? formatCount(count, language) : formatCompact(count, language);
  return (
    <Stats>
      <Stat
        label={isToday ? say("spentToday") : say("spentDays", { count: days })}
        isLoading={isLoading}
        value={<Money usd={totals?.cost_usd ?? "0"} decimals={4} />}
        detail={
          days > 1 && totals !== undefined
            ? say("perDayAverage", { amount: averageText(totals.cost_usd, days, language) })
            : null
        }
      />
      <Stat
        label={say("requests")}
        isLoading={isLoading}
        value={formatCount(totals?.requests ?? 0, language)}
        detail={<RequestsDetail totals={totals} />}
      />
      <Stat
        label={say("tokens")}
        isLoading={isLoading}
        value={<span title={formatCount(tokens, language)}>{short(tokens)}</span>}
        detail={taken === 0 ? null : say("fromCache", { share: formatShare(cached / taken, language) })}
      />
      <Stat
        label={say("firstByte")}
        isLoading={isLoading}
        value={totals?.first_byte_ms == null ? "–" : formatDuration(totals.first_byte_ms, language)}
        detail={totals?.first_byte_ms == null ? null : say("firstByteDetail")}
      />
    </Stats>
  );
}

export function RequestsDetail({ totals }: { totals: Summary["totals"] | undefined }) {
  const say = useWords(words);
  if (totals === undefined) return null;
  const { requests, refused, failed } = totals;
  if (requests === 0) return say("noneYet");
  if (refused === 0 && failed === 0) return say("allAnswered");
  return (
    <>
      {[
        refused > 0 ? say("refused", { count: refused }) : null,
        failed > 0 ? say("failed", { count: failed }) : null,
      ]
        .filter(Boolean)
        .join(" · ")}
    </>
  );
}
