import { ChevronDown, ChevronUp } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { formatMoney } from "../../format/money.ts";
import { CodeValue } from "../../parts/code-value.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { OutcomePill } from "./outcome-pill.tsx";
import { type Receipt, ReceiptHold, ReceiptSum } from "./receipt-sum.tsx";
import { receiptWords } from "./receipt-words.ts";
import type { ReceiptGiven } from "./usage-list.tsx";

/** The server says from when on single requests are kept. */
const TOO_OLD = /^This request is too old: single requests from before (\d{4}-\d\d-\d\d \d\d:\d\d UTC)/;

type Props<R extends Receipt> = {
  given: ReceiptGiven;
  receipt: { data: R | undefined; error: Error | null; refetch: () => unknown };
  notFoundText: string;
  children: (receipt: R) => ReactNode;
};

/** Beside the list, with the way to the requests before and after. */
export function ReceiptFrame<R extends Receipt>({ given, receipt, notFoundText, children }: Props<R>) {
  const say = useWords(receiptWords);
  const { id, newer, older, onOpen } = given;
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
        children(receipt.data)
      ) : receipt.error instanceof ApiError && receipt.error.code === "not_found" ? (
        <EmptyState title={say("notFound")}>
          {TOO_OLD.test(receipt.error.message)
            ? say("tooOld", { date: TOO_OLD.exec(receipt.error.message)?.[1] ?? "" })
            : notFoundText}
        </EmptyState>
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

type BodyProps = {
  receipt: Receipt;
  /** Why it ended as it did. */
  refusal: ReactNode;
  /** After how it was paid. */
  children: ReactNode;
};

export function ReceiptBody({ receipt, refusal, children }: BodyProps) {
  const { language } = useWords(receiptWords);
  const isCharged = receipt.lines.length > 0;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-semibold text-xl tabular-nums tracking-[-0.01em]">
          {isCharged ? formatMoney(receipt.cost_usd, language) : null}
        </span>
        <OutcomePill row={receipt.row} />
      </div>
      {refusal}
      <ReceiptSum receipt={receipt} />
      <ReceiptHold receipt={receipt} />
      {children}
    </div>
  );
}
