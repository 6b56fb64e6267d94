import { moneyToDraw } from "../../format/money.ts";
import { formatCompact, formatCount, formatDuration, formatShare } from "../../format/number.ts";
import { Money } from "../../parts/money.tsx";
import { Stat } from "../../parts/stat.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { averageText } from "../usage/chart-series.ts";
import { RequestsDetail } from "../usage/usage-stats.tsx";
import { words as usageWords } from "../usage/words.ts";
import type { HouseSummary } from "./house-row.ts";
import { words } from "./words.ts";

const COMPACT_FROM = 1_000_000;

type Props = { summary: HouseSummary | undefined; isToday: boolean; isBeside: boolean };

/** What came in, what it cost, and what is left; then how much and how well. */
export function HouseStats({ summary, isToday, isBeside }: Props) {
  return (
    <dl
      className={
        isBeside
          ? "mb-3.5 grid grid-cols-2 gap-3 lg:grid-cols-3"
          : "mb-3.5 grid grid-cols-2 gap-3 lg:grid-cols-3 xl:grid-cols-6"
      }
    >
      <MoneyStats summary={summary} isToday={isToday} />
      <TrafficStats summary={summary} />
    </dl>
  );
}

function MoneyStats({ summary, isToday }: Omit<Props, "isBeside">) {
  const say = useWords(words);
  const usual = useWords(usageWords);
  const { language } = say;
  const isLoading = summary === undefined;
  const days = summary?.bucket === "day" ? summary.buckets.length : 1;
  const charged = summary?.totals.cost_usd ?? "0";
  const margin = summary?.margin_usd ?? "0";
  const share = moneyToDraw(charged) === 0 ? null : moneyToDraw(margin) / moneyToDraw(charged);
  return (
    <>
      <Stat
        label={isToday ? say("chargedToday") : say("chargedDays", { count: days })}
        isLoading={isLoading}
        value={<Money usd={charged} decimals={2} />}
        detail={days > 1 ? usual("perDayAverage", { amount: averageText(charged, days, language) }) : null}
      />
      <Stat
        label={say("ourCost")}
        isLoading={isLoading}
        value={<Money usd={summary?.our_cost_usd ?? "0"} decimals={2} />}
        detail={say("ourCostDetail")}
      />
      <Stat
        label={say("margin")}
        isLoading={isLoading}
        value={
          <span className={margin.startsWith("-") ? "text-bad" : undefined}>
            <Money usd={margin} decimals={2} />
          </span>
        }
        detail={share === null ? null : say("marginShare", { share: formatShare(share, language) })}
      />
    </>
  );
}

function TrafficStats({ summary }: Pick<Props, "summary">) {
  const usual = useWords(usageWords);
  const { language } = usual;
  const isLoading = summary === undefined;
  const totals = summary?.totals;
  const { input = 0, cache_read: cached = 0, cache_write: written = 0, output = 0 } = totals?.tokens ?? {};
  const taken = input + cached + written;
  const tokens = taken + output;
  const short = tokens < COMPACT_FROM ? formatCount(tokens, language) : formatCompact(tokens, language);
  return (
    <>
      <Stat
        label={usual("requests")}
        isLoading={isLoading}
        value={formatCount(totals?.requests ?? 0, language)}
        detail={<RequestsDetail totals={totals} />}
      />
      <Stat
        label={usual("tokens")}
        isLoading={isLoading}
        value={<span title={formatCount(tokens, language)}>{short}</span>}
        detail={taken === 0 ? null : usual("fromCache", { share: formatShare(cached / taken, language) })}
      />
      <Stat
        label={usual("firstByte")}
        isLoading={isLoading}
        value={totals?.first_byte_ms == null ? "–" : formatDuration(totals.first_byte_ms, language)}
        detail={totals?.first_byte_ms == null ? null : usual("firstByteDetail")}
      />
    </>
  );
}
