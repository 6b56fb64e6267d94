import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp } from "lucide-react";
import { ApiError } from "../../api/api-error.ts";
import { queryOf } from "../../api/query.ts";
import { formatMoney } from "../../format/money.ts";
import { CodeValue } from "../../parts/code-value.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Row } from "./log.ts";
import { OutcomePill } from "./outcome-pill.tsx";
import { ReceiptFacts } from "./receipt-facts.tsx";
import { ReceiptRefusal } from "./receipt-refusal.tsx";
import { type Receipt, ReceiptHold, ReceiptSum } from "./receipt-sum.tsx";
import { receiptWords } from "./receipt-words.ts";

const RUNNING_MS = 2000;

type Props = {
  id: string;
  /** Where its line in the list stands for several. */
  repeated: Row["repeated"];
  newer: Row | null;
  older: Row | null;
  /** Null closes it. */
  onOpen: (id: string | null) => void;
};

/** What one request cost and why, beside the list; it follows a request that still runs. */
export function ReceiptPanel({ id, repeated, newer, older, onOpen }: Props) {
  const say = useWords(receiptWords);
  const receipt = useQuery({
    ...queryOf("GET /usage/{id}", { params: { id } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.row.outcome === "running" ? RUNNING_MS : false),
  });
  return (
    <SidePanel
      open
      onClose={() => onOpen(null)}
      title={say("title")}
      description={<CodeValue value={id} what={say("requestId")} />}
      footer={
        <>
          <IconButton
            label={say("newer")}
            icon={<ChevronUp size={17} aria-hidden />}
            disabled={newer === null}
            onClick={() => newer !== null && onOpen(newer.id)}
          />
          <IconButton
            label={say("older")}
            icon={<ChevronDown size={17} aria-hidden />}
            disabled={older === null}
            onClick={() => older !== null && onOpen(older.id)}
          />
        </>
      }
    >
      {receipt.data !== undefined && receipt.error === null ? (
        <ReceiptBody receipt={receipt.data} repeated={repeated} />
      ) : receipt.error instanceof ApiError && receipt.error.code === "not_found" ? (
        <EmptyState title={say("notFound")}>{say("notFoundText")}</EmptyState>
      ) : receipt.error !== null ? (
        <ErrorState error={receipt.error} onRetry={() => void receipt.refetch()} />
      ) : (
        <div className="grid gap-3">
          <Skeleton className="h-7 w-32" />
          <Skeleton className="h-28 w-full" />
          <Skeleton className="h-52 w-full" />
        </div>
      )}
    </SidePanel>
  );
}

function ReceiptBody({ receipt, repeated }: { receipt: Receipt; repeated: Row["repeated"] }) {
  const { language } = useWords(receiptWords);
  const { row, refusal } = receipt;
  const isCharged = receipt.lines.length > 0;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-semibold text-xl tabular-nums tracking-[-0.01em]">
          {isCharged ? formatMoney(receipt.cost_usd, language) : null}
        </span>
        <OutcomePill row={row} />
      </div>
      {refusal === null ? null : <ReceiptRefusal refusal={refusal} row={row} />}
      <ReceiptSum receipt={receipt} />
      <ReceiptHold receipt={receipt} />
      <ReceiptFacts receipt={receipt} repeated={repeated} />
    </div>
  );
}
