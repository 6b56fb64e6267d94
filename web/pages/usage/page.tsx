import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useMemo } from "react";
import { useErrorText } from "../../api/error-text.ts";
import { queryOf } from "../../api/query.ts";
import { now } from "../../format/clock.ts";
import { Banner } from "../../parts/banner.tsx";
import { classNames } from "../../parts/class-names.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { filterOf, rangeOf, type UsageFilter } from "./filter.ts";
import { UsageChart } from "./usage-chart.tsx";
import { UsageList } from "./usage-list.tsx";
import { UsageStats } from "./usage-stats.tsx";
import { UsageToolbar } from "./usage-toolbar.tsx";
import { useExport } from "./use-export.ts";
import { useUsageSearch } from "./use-usage-search.ts";
import { words } from "./words.ts";

const Progress = lazy(async () => ({ default: (await import("./export-progress.tsx")).ExportProgress }));

/** The same object while it means the same, so that queries and effects can hang on it. */
function useFilter(): UsageFilter {
  const { search } = useUsageSearch();
  const text = JSON.stringify(filterOf(search, now()));
  return useMemo(() => JSON.parse(text) as UsageFilter, [text]);
}

function useSummary(filter: UsageFilter) {
  const { search } = useUsageSearch();
  const query = { ...filter, by: search.by ?? "key" };
  return useQuery({ ...queryOf("GET /usage/summary", { query }), placeholderData: keepPreviousData });
}

export function Page() {
  const say = useWords(words);
  const tell = useErrorText();
  const { search, change } = useUsageSearch();
  const filter = useFilter();
  const summary = useSummary(filter);
  const exporting = useExport(filter);
  const { receipt } = search;
  const open = useCallback(
    (id: string | null, isStep: boolean) => change({ receipt: id ?? undefined }, isStep),
    [change],
  );
  return (
    <div
      className={classNames(receipt !== undefined && "xl:pr-[416px] min-[1920px]:pr-0")}
      aria-busy={summary.isPlaceholderData}
    >
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={<ExportMenu onExport={exporting.start} isRunning={exporting.state?.phase === "running"} />}
      />
      <UsageToolbar />
      {exporting.state === null ? null : (
        <Suspense fallback={null}>
          <Progress
            state={exporting.state}
            onCancel={exporting.cancel}
            onDismiss={exporting.dismiss}
            onStart={exporting.start}
          />
        </Suspense>
      )}
      {summary.error !== null && summary.data === undefined ? (
        <Banner tone="bad" className="mb-3.5">
          {tell(summary.error)}
        </Banner>
      ) : (
        <>
          <UsageStats summary={summary.data} isToday={rangeOf(search).preset === "today"} />
          <UsageChart summary={summary.data} />
        </>
      )}
      <UsageList filter={filter} openId={receipt ?? null} onOpen={open} />
    </div>
  );
}
