import { useInfiniteQuery } from "@tanstack/react-query";
import { ReceiptText } from "lucide-react";
import { useMemo } from "react";
import { call } from "../../api/call.ts";
import type { Answer } from "../../api/client.ts";
import { formatMoney } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ledgerWords } from "./ledger-words.ts";
import { useSentence } from "./server-sentences.ts";

type Line = Answer<"GET /account/ledger">["lines"][number];

const PAGE_LINES = 50;

function useLedger() {
  return useInfiniteQuery({
    queryKey: ["GET /account/ledger", "pages"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call("GET /account/ledger", {
        query: { limit: PAGE_LINES, ...(pageParam === null ? {} : { before: pageParam }) },
        signal,
      }),
    getNextPageParam: last => last.next,
  });
}

function useColumns(): Column<Line>[] {
  const say = useWords(ledgerWords);
  return useMemo(
    () => [
      {
        id: "time",
        header: say("time"),
        width: "210px",
        cell: line => <ExactTime at={line.at} form="date-time-seconds" />,
      },
      { id: "what", header: say("what"), card: "title", cell: line => <What line={line} /> },
      {
        id: "pocket",
        header: say("pocket"),
        cell: line => (
          <span dir="auto" className="text-ink-2">
            {line.pocket === "balance" ? say("balance") : line.pocket}
          </span>
        ),
      },
      {
        id: "by",
        header: say("by"),
        cell: line => (
          <span className="block truncate text-ink-2 md:max-w-44" title={line.by}>
            <Actor by={line.by} />
          </span>
        ),
      },
      {
        id: "amount",
        header: say("amount"),
        align: "right",
        card: "aside",
        cell: line => <Amount usd={line.amount_usd} />,
      },
    ],
    [say],
  );
}

/** Whoever is no person has a name in every language. */
function Actor({ by }: { by: string }) {
  const say = useWords(ledgerWords);
  if (by === "gateway") return say("gateway");
  return by === "command line" ? say("commandLine") : by;
}

/** The kind, the reason that was given, and for a charge the way to its receipt. */
function What({ line }: { line: Line }) {
  const say = useWords(ledgerWords);
  return (
    <div className="grid min-w-0 gap-px">
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{say(line.kind)}</span>
        {line.request_id === null ? null : (
          <TextLink
            to="/usage"
            search={{ receipt: line.request_id }}
            aria-label={say("receiptOf", { id: line.request_id })}
            className="text-sm"
          >
            {say("receipt")}
          </TextLink>
        )}
      </span>
      {line.why === "" ? null : (
        <span dir="auto" title={line.why} className="line-clamp-2 text-ink-3 text-xs">
          {line.why}
        </span>
      )}
    </div>
  );
}

function Amount({ usd }: { usd: string }) {
  const { language } = useWords(ledgerWords);
  const isLess = usd.startsWith("-");
  return (
    <span className={classNames("whitespace-nowrap tabular-nums", !isLess && "font-medium text-ok")}>
      {`${isLess ? "" : "+"}${formatMoney(usd, language)}`}
    </span>
  );
}

export function LedgerTab() {
  const say = useWords(ledgerWords);
  const tell = useSentence();
  const ledger = useLedger();
  const columns = useColumns();
  const lines = useMemo(() => ledger.data?.pages.flatMap(page => page.lines), [ledger.data]);
  return (
    <div className="panel">
      <DataTable
        label={say("list")}
        columns={columns}
        rows={lines}
        getId={line => line.id}
        error={ledger.error}
        onRetry={() => void ledger.refetch()}
        skeletonRows={8}
        empty={
          <EmptyState icon={<ReceiptText size={20} aria-hidden />} title={say("emptyTitle")}>
            {say("emptyText")}
          </EmptyState>
        }
        footer={
          lines === undefined ? null : (
            <div className="grid justify-items-center gap-2 border-line border-t px-4 py-3 text-ink-3 text-sm">
              {ledger.isFetchNextPageError ? (
                <p role="alert" className="text-bad">
                  {tell(ledger.error)}
                </p>
              ) : null}
              {ledger.hasNextPage ? (
                <Button
                  size="sm"
                  busy={ledger.isFetchingNextPage}
                  onClick={() => void ledger.fetchNextPage()}
                >
                  {say("loadMore")}
                </Button>
              ) : (
                <p>{say("all")}</p>
              )}
            </div>
          )
        }
      />
    </div>
  );
}
