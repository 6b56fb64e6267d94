import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback } from "react";
import { ApiError } from "../../api/api-error.ts";
import { queryOf } from "../../api/query.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { rangeOf } from "../usage/filter.ts";
import { ChartWaiting, UsageFrame } from "../usage/usage-frame.tsx";
import { UsageList } from "../usage/usage-list.tsx";
import { useFilter } from "../usage/use-filter.ts";
import { filterOf } from "./filter.ts";
import { HouseEmpty } from "./house-empty.tsx";
import { HOUSE } from "./house-row.ts";
import { HouseStats } from "./house-stats.tsx";
import { HouseToolbar } from "./house-toolbar.tsx";
import { useHouseColumns } from "./use-house-columns.tsx";
import { useHouseSearch } from "./use-house-search.ts";
import { words } from "./words.ts";

const HouseChart = lazy(async () => ({ default: (await import("./house-chart.tsx")).HouseChart }));
const Receipt = lazy(async () => ({ default: (await import("./receipt-panel.tsx")).HouseReceiptPanel }));

export function Page() {
  const say = useWords(words);
  const { search, change } = useHouseSearch();
  const filter = useFilter(nowMs => filterOf(search, nowMs));
  const query = { ...filter, by: search.by ?? "account" };
  const summary = useQuery({
    ...queryOf("GET /operator/usage/summary", { query }),
    placeholderData: keepPreviousData,
  });
  const columns = useHouseColumns();
  const open = useCallback(
    (id: string | null, isStep: boolean) => change({ receipt: id ?? undefined }, isStep),
    [change],
  );
  if (summary.error instanceof ApiError && summary.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  const isBeside = search.receipt !== undefined;
  const isToday = rangeOf(search).preset === "today";
  return (
    <UsageFrame
      title={say("title")}
      description={say("description")}
      isBeside={isBeside}
      exporting={{ name: "GET /operator/usage/export", filter }}
      toolbar={<HouseToolbar />}
      summary={summary}
      figures={
        <>
          <HouseStats summary={summary.data} isToday={isToday} isBeside={isBeside} />
          <Suspense fallback={<ChartWaiting />}>
            <HouseChart summary={summary.data} />
          </Suspense>
        </>
      }
    >
      <UsageList
        source={HOUSE}
        columns={columns}
        filter={filter}
        openId={search.receipt ?? null}
        onOpen={open}
        empty={<HouseEmpty />}
        receipt={given => <Receipt {...given} />}
      />
    </UsageFrame>
  );
}
