import { useInfiniteQuery } from "@tanstack/react-query";
import { ReceiptText } from "lucide-react";
import { call } from "../../api/call.ts";
import type { Answer } from "../../api/client.ts";
import { formatMoney } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ledgerWords } from "../account/ledger-words.ts";
import { panelWords } from "./panel-words.ts";
import { useSentence } from "./sentences.ts";

type Line = Answer<"GET /operator/accounts/{id}/ledger">["lines"][number];

const PAGE_LINES = 50;

export function PanelLedger({ id }: { id: string }) {
  const say = useWords(ledgerWords);
  const word = useWords(panelWords);
  const tell = useSentence();
  const ledger = useInfiniteQuery({
    queryKey: ["GET /operator/accounts/{id}/ledger", id],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call("GET /operator/accounts/{id}/ledger", {
        params: { id },
        query: { limit: PAGE_LINES, ...(pageParam === null ? {} : { before: pageParam }) },
        signal,
      }),
    getNextPageParam: last => last.next,
  });
  if (ledger.data === undefined) {
    return ledger.error === null ? (
      <Skeleton className="h-40 w-full" />
    ) : (
      <ErrorState error={ledger.error} onRetry={() => void ledger.refetch()} />
    );
  }
  const lines = ledger.data.pages.flatMap(page => page.lines);
  if (lines.length === 0) {
    return (
      <EmptyState icon={<ReceiptText size={20} aria-hidden />} title={say("emptyTitle")}>
        {word("ledgerEmptyText")}
      </EmptyState>
    );
  }
  return (
    <>
      <ul aria-label={say("list")} className="rounded-lg border border-line">
        {lines.map(line => (
          <Row key={line.id} line={line} />
        ))}
      </ul>
      <div className="grid justify-items-center gap-2 py-3 text-ink-3 text-sm">
        {ledger.isFetchNextPageError ? (
          <p role="alert" className="text-bad">
            {tell(ledger.error)}
          </p>
        ) : null}
        {ledger.hasNextPage ? (
          <Button size="sm" busy={ledger.isFetchingNextPage} onClick={() => void ledger.fetchNextPage()}>
            {say("loadMore")}
          </Button>
        ) : (
          <p>{say("all")}</p>
        )}
      </div>
    </>
  );
}

function Row({ line }: { line: Line }) {
  const say = useWords(ledgerWords);
  const isLess = line.amount_usd.startsWith("-");
  const by =
    line.by === "gateway" ? say("gateway") : line.by === "command line" ? say("commandLine") : line.by;
  return (
    <li className="flex items-start justify-between gap-3 border-line border-b px-3.5 py-2 last:border-0">
      <div className="grid min-w-0 gap-px">
        <span className="font-medium">
          {say(line.kind)}
          {line.pocket === "balance" ? null : (
            <span dir="auto" className="ml-2 font-normal text-ink-2">
              {line.pocket}
            </span>
          )}
        </span>
        {line.why === "" ? null : (
          <span dir="auto" className="break-words text-ink-2 text-sm">
            {line.why}
          </span>
        )}
        <span className="flex flex-wrap gap-x-2 text-ink-3 text-xs">
          <ExactTime at={line.at} form="date-time-seconds" />
          <span className="break-all">{by}</span>
          {line.request_id === null ? null : <code className="break-all">{line.request_id}</code>}
        </span>
      </div>
      <span className={classNames("whitespace-nowrap tabular-nums", !isLess && "font-medium text-ok")}>
        {`${isLess ? "" : "+"}${formatMoney(line.amount_usd, say.language)}`}
      </span>
    </li>
  );
}
