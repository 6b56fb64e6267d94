import { compareMoney, moneyToDraw } from "../../format/money.ts";
import { formatCompact, formatCount, formatDuration } from "../../format/number.ts";
import { Money } from "../../parts/money.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { changeText, errorRateText, marginOf, marginShare, rateText } from "./figure-text.ts";
import type { Overview } from "./use-overview.ts";
import { words } from "./words.ts";

const COMPACT_FROM = 1_000_000;
const NOTHING = { requests: 0, refused: 0, failed: 0, tokens: 0, revenue_usd: "0", cost_usd: "0" };

/** What the range comes to, beside the one before it. */
export function Figures({ overview }: { overview: Overview | undefined }) {
  const isLoading = overview === undefined;
  const totals = overview?.totals ?? NOTHING;
  const before = overview?.before ?? NOTHING;
  return (
    <Stats>
      <Traffic totals={totals} before={before} isLoading={isLoading} />
      <Earned totals={totals} before={before} isLoading={isLoading} />
      <Doing overview={overview} totals={totals} before={before} />
    </Stats>
  );
}

type Totals = Overview["totals"];
type Compared = { totals: Totals; before: Totals; isLoading: boolean };

function useThan(): (now: number, before: number) => string {
  const say = useWords(words);
  return (now, before) => {
    const change = changeText(now, before, say.language);
    return change === null ? (now === 0 ? "" : say("firstTime")) : say("than", { change });
  };
}

function Traffic({ totals, before, isLoading }: Compared) {
  const say = useWords(words);
  const than = useThan();
  return (
    <Stat
      label={say("requests")}
      isLoading={isLoading}
      value={formatCount(totals.requests, say.language)}
      detail={than(totals.requests, before.requests)}
    />
  );
}

function Earned({ totals, before, isLoading }: Compared) {
  const say = useWords(words);
  const than = useThan();
  const margin = marginOf(totals);
  const share = marginShare(totals);
  const isLoss = compareMoney(margin, "0") < 0;
  return (
    <>
      <Stat
        label={say("revenue")}
        isLoading={isLoading}
        value={<Money usd={totals.revenue_usd} decimals={4} />}
        detail={than(moneyToDraw(totals.revenue_usd), moneyToDraw(before.revenue_usd))}
      />
      <Stat
        label={say("cost")}
        isLoading={isLoading}
        value={<Money usd={totals.cost_usd} decimals={4} />}
        detail={say("costDetail")}
      />
      <Stat
        label={say("margin")}
        isLoading={isLoading}
        value={
          <span className={isLoss ? "text-bad" : ""}>
            <Money usd={margin} decimals={4} />
          </span>
        }
        detail={
          share === null
            ? say("marginNone")
            : isLoss
              ? say("loss")
              : say("marginDetail", { share: rateText(share, say.language) })
        }
      />
    </>
  );
}

type DoingProps = { overview: Overview | undefined; totals: Totals; before: Totals };

function Doing({ overview, totals, before }: DoingProps) {
  const say = useWords(words);
  const than = useThan();
  const { language } = say;
  const isLoading = overview === undefined;
  const { requests, failed, refused, tokens } = totals;
  const firstByte = overview?.first_byte_ms ?? null;
  const short = tokens < COMPACT_FROM ? formatCount(tokens, language) : formatCompact(tokens, language);
  return (
    <>
      <Stat
        label={say("errorRate")}
        isLoading={isLoading}
        value={requests === 0 ? say("none") : errorRateText(failed / requests, language)}
        detail={requests === 0 ? "" : say("errorDetail", { failed, refused })}
      />
      <Stat
        label={say("firstByte")}
        isLoading={isLoading}
        value={firstByte === null ? say("none") : formatDuration(firstByte, language)}
        detail={firstByte === null ? "" : say("firstByteDetail")}
      />
      <Stat
        label={say("running")}
        isLoading={isLoading}
        value={formatCount(overview?.running ?? 0, language)}
        detail={say("instances", { count: overview?.instances ?? 0 })}
      />
      <Stat
        label={say("tokens")}
        isLoading={isLoading}
        value={<span title={formatCount(tokens, language)}>{short}</span>}
        detail={than(tokens, before.tokens)}
      />
    </>
  );
}
