import { moneyToDraw } from "../../format/money.ts";
import { Money } from "../../parts/money.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Overview, Range } from "./use-overview.ts";
import { words } from "./words.ts";

type Top = Overview["top_keys"];

/** The nearest that the usage page has. */
const USAGE_RANGES = {
  day: "today",
  week: "7d",
  month: "30d",
  quarter: "90d",
  year: "90d",
} as const;

type Filter = "key" | "model" | "account";

export function TopLists({ overview, range }: { overview: Overview | undefined; range: Range }) {
  const say = useWords(words);
  const of = (filter: Filter) => (one: Top[number]) => ({
    range: USAGE_RANGES[range],
    [filter]: filter === "model" ? one.name : one.id,
  });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3.5 lg:grid-cols-3">
      <TopList title={say("topAccounts")} rows={overview?.top_accounts} searchOf={of("account")} />
      <TopList title={say("topKeys")} rows={overview?.top_keys} searchOf={of("key")} />
      <TopList title={say("topModels")} rows={overview?.top_models} searchOf={of("model")} />
    </div>
  );
}

type Props = {
  title: string;
  rows: Top | undefined;
  searchOf: (one: Top[number]) => { range: (typeof USAGE_RANGES)[Range] } & { [F in Filter]?: string };
};

const WAITING = ["a", "b", "c", "d"];

function TopList({ title, rows, searchOf }: Props) {
  const say = useWords(words);
  const most = Math.max(0, ...(rows ?? []).map(one => moneyToDraw(one.revenue_usd)));
  return (
    <Panel title={title}>
      {rows === undefined ? (
        <div className="grid gap-3 py-1">
          {WAITING.map(at => (
            <Skeleton key={at} className="h-7 w-full" />
          ))}
        </div>
      ) : rows.length === 0 ? (
        <p className="py-3 text-ink-2">{say("topEmpty")}</p>
      ) : (
        <ol className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
          {rows.map(one => (
            <li key={one.id} className="grid grid-cols-[minmax(0,1fr)] gap-1">
              <span className="flex items-baseline justify-between gap-3">
                <TextLink
                  to="/operator/usage"
                  search={searchOf(one)}
                  className="min-w-0 truncate"
                  title={one.name}
                >
                  <bdi>{one.name}</bdi>
                </TextLink>
                <span className="shrink-0 text-sm">
                  <Money usd={one.revenue_usd} decimals={2} />
                </span>
              </span>
              <span className="flex items-center gap-3 text-ink-3 text-xs">
                <Share share={most === 0 ? 0 : moneyToDraw(one.revenue_usd) / most} />
                <span className="shrink-0 tabular-nums">{say("count", { count: one.requests })}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** The largest of the list is the whole length. The figure stands beside it. */
function Share({ share }: { share: number }) {
  return (
    <span aria-hidden className="h-1 min-w-0 flex-1 overflow-hidden rounded-full bg-hover">
      <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
    </span>
  );
}
