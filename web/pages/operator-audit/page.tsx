import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useErrorText } from "../../api/error-text.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { now } from "../../format/clock.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { AuditExport } from "./audit-export.tsx";
import { AuditList } from "./audit-list.tsx";
import { AuditToolbar } from "./audit-toolbar.tsx";
import { ChainState } from "./chain-state.tsx";
import { type AuditFilter, filterOf } from "./filter.ts";
import { useAuditSearch } from "./use-audit-search.ts";
import { words } from "./words.ts";

const EntryPanel = lazy(async () => ({ default: (await import("./entry-panel.tsx")).EntryPanel }));

const PAGE_ENTRIES = 50;
const LIVE_MS = 15_000;

function useAudit(filter: AuditFilter) {
  return useInfiniteQuery({
    queryKey: ["GET /operator/audit", filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call("GET /operator/audit", {
        query: { ...filter, limit: PAGE_ENTRIES, ...(pageParam === null ? {} : { before: pageParam }) },
        signal,
      }),
    getNextPageParam: last => last.next,
    placeholderData: keepPreviousData,
    // Only the first page is followed: whoever has gone further back reads what was.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LIVE_MS),
  });
}

export function Page() {
  const say = useWords(words);
  const tell = useErrorText();
  const { search, change } = useAuditSearch();
  const text = JSON.stringify(filterOf(search, now()));
  const filter = useMemo(() => JSON.parse(text) as AuditFilter, [text]);
  const audit = useAudit(filter);
  const entries = useMemo(() => audit.data?.pages.flatMap(page => page.entries), [audit.data]);
  if (audit.error instanceof ApiError && audit.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  const opened = entries?.find(({ number }) => number === search.entry) ?? null;
  return (
    <div className={classNames(opened !== null && "xl:pr-[416px] min-[1920px]:pr-0")}>
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={<AuditExport filter={filter} />}
      />
      <ChainState chain={audit.data?.pages[0]?.chain ?? null} />
      <div className="panel" aria-busy={audit.isPlaceholderData}>
        <AuditToolbar />
        <AuditList
          rows={entries}
          error={audit.error}
          onRetry={() => void audit.refetch()}
          openId={search.entry === undefined ? null : String(search.entry)}
          onOpen={entry => change({ entry: entry.number }, true)}
          footer={
            entries === undefined ? null : (
              <div className="grid justify-items-center gap-2 border-line border-t px-4 py-3 text-ink-3 text-sm">
                {audit.isFetchNextPageError ? (
                  <p role="alert" className="text-bad">
                    {tell(audit.error)}
                  </p>
                ) : null}
                {audit.hasNextPage ? (
                  <Button
                    size="sm"
                    busy={audit.isFetchingNextPage}
                    onClick={() => void audit.fetchNextPage()}
                  >
                    {say("loadMore")}
                  </Button>
                ) : (
                  <p>{say("allShown", { count: entries.length })}</p>
                )}
              </div>
            )
          }
        />
      </div>
      {opened === null ? null : (
        <Suspense fallback={null}>
          <EntryPanel entry={opened} onClose={() => change({ entry: undefined })} />
        </Suspense>
      )}
    </div>
  );
}
