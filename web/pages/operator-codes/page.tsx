import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useErrorText } from "../../api/error-text.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { Button } from "../../parts/button.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { CodeList } from "./code-list.tsx";
import type { Open } from "./open-dialog.tsx";
import { words } from "./words.ts";

const OpenDialog = lazy(async () => ({ default: (await import("./open-dialog.tsx")).OpenDialog }));

const STATES = ["all", "open", "redeemed", "expired"] as const;
const PAGE_CODES = 100;

function useCodes(state: "open" | "redeemed" | "expired" | undefined) {
  return useInfiniteQuery({
    queryKey: ["GET /operator/codes", state ?? null],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call("GET /operator/codes", {
        query: {
          limit: PAGE_CODES,
          ...(state === undefined ? {} : { state }),
          ...(pageParam === null ? {} : { before: pageParam }),
        },
        signal,
      }),
    getNextPageParam: last => last.next,
  });
}

export function Page() {
  const say = useWords(words);
  const tell = useErrorText();
  const { state } = useSearch({ from: "/signed-in/operator/codes" });
  const navigate = useNavigate({ from: "/operator/codes" });
  const codes = useCodes(state);
  const [open, setOpen] = useState<Open | null>(null);
  const rows = useMemo(() => codes.data?.pages.flatMap(page => page.codes), [codes.data]);
  if (codes.error instanceof ApiError && codes.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  const choose = (next: (typeof STATES)[number]) =>
    void navigate({ search: next === "all" ? {} : { state: next }, replace: true });
  return (
    <>
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={
          <Button
            tone="primary"
            icon={<Plus size={16} aria-hidden />}
            onClick={() => setOpen({ what: "make" })}
          >
            {say("make")}
          </Button>
        }
      />
      <div className="panel">
        <div className="border-line border-b px-3 py-2.5">
          <Segmented
            label={say("state")}
            value={state ?? "all"}
            onChange={choose}
            options={STATES.map(value => ({ value, label: say(value) }))}
          />
        </div>
        <CodeList
          rows={rows}
          error={codes.error}
          onRetry={() => void codes.refetch()}
          onShow={setOpen}
          isNarrowed={state !== undefined}
          footer={
            rows === undefined ? null : (
              <div className="grid justify-items-center gap-2 border-line border-t px-4 py-3 text-ink-3 text-sm">
                {codes.isFetchNextPageError ? (
                  <p role="alert" className="text-bad">
                    {tell(codes.error)}
                  </p>
                ) : null}
                {codes.hasNextPage ? (
                  <Button
                    size="sm"
                    busy={codes.isFetchingNextPage}
                    onClick={() => void codes.fetchNextPage()}
                  >
                    {say("loadMore")}
                  </Button>
                ) : (
                  <p>{say("allShown", { count: rows.length })}</p>
                )}
              </div>
            )
          }
        />
      </div>
      {open === null ? null : (
        <Suspense fallback={null}>
          <OpenDialog open={open} onOpen={setOpen} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}
