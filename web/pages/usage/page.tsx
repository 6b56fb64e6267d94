import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback } from "react";
import { call } from "../../api/call.ts";
import { queryOf } from "../../api/query.ts";
import { useWords } from "../../words/language-provider.tsx";
import { filterOf, rangeOf, type UsageFilter } from "./filter.ts";
import type { Row } from "./log.ts";
import { UsageEmpty } from "./usage-empty.tsx";
import { ChartWaiting, UsageFrame } from "./usage-frame.tsx";
import { UsageList } from "./usage-list.tsx";
import { UsageStats } from "./usage-stats.tsx";
import { UsageToolbar } from "./usage-toolbar.tsx";
import { useColumns } from "./use-columns.tsx";
import { useFilter } from "./use-filter.ts";
import type { LogSource } from "./use-log.ts";
import { useUsageSearch } from "./use-usage-search.ts";
import { words } from "./words.ts";

const OwnChart = lazy(async () => ({ default: (await import("./own-chart.tsx")).OwnChart }));
const Receipt = lazy(async () => ({ default: (await import("./receipt-panel.tsx")).ReceiptPanel }));

const OWN: LogSource<Row, UsageFilter> = {
  name: "GET /usage",
  summary: "GET /usage/summary",
  read: (query, signal) => call("GET /usage", { query, ...(signal === undefined ? {} : { signal }) }),
};

export function Page() {
  const say = useWords(words);
  const { search, change } = useUsageSearch();
  const filter = useFilter(nowMs => filterOf(search, nowMs));
  const query = { ...filter, by: search.by ?? "key" };
  const summary = useQuery({
    ...queryOf("GET /usage/summary", { query }),
    placeholderData: keepPreviousData,
  });
  const columns = useColumns();
  const open = useCallback(
    (id: string | null, isStep: boolean) => change({ receipt: id ?? undefined }, isStep),
    [change],
  );
  return (
    <UsageFrame
      title={say("title")}
      description={say("description")}
      isBeside={search.receipt !== undefined}
      exporting={{ name: "GET /usage/export", filter }}
      toolbar={<UsageToolbar />}
      summary={summary}
      figures={
        <>
          <UsageStats summary={summary.data} isToday={rangeOf(search).preset === "today"} />
          <Suspense fallback={<ChartWaiting />}>
            <OwnChart summary={summary.data} />
          </Suspense>
        </>
      }
    >
      <UsageList
        source={OWN}
        columns={columns}
        filter={filter}
        openId={search.receipt ?? null}
        onOpen={open}
        empty={<UsageEmpty />}
        receipt={given => <Receipt {...given} />}
      />
    </UsageFrame>
  );
}
