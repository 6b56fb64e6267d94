import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { Button } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Row } from "./log.ts";
import {
  CostCell,
  DurationCell,
  KeyCell,
  ModelCell,
  StatusCell,
  TimeCell,
  TokensCell,
} from "./row-cells.tsx";
import { useMedia } from "./use-media.ts";
import { words } from "./words.ts";

/** Left out where there is no room, beside a receipt for one: the receipt says them too. */
const ON_RECEIPT: readonly string[] = ["key", "duration"];

function useColumns(isNarrow: boolean): Column<Row>[] {
  const say = useWords(words);
  return useMemo(() => {
    const all: Column<Row>[] = [
      { id: "time", header: say("time"), card: "hide", cell: row => <TimeCell row={row} /> },
      { id: "key", header: say("keyAndTool"), cell: row => <KeyCell row={row} /> },
      {
        id: "model",
        header: say("model"),
        card: "title",
        cell: row => <ModelCell row={row} withKey={isNarrow} />,
      },
      {
        id: "tokens",
        header: say("tokens"),
        align: "right",
        cell: row => <TokensCell row={row} isShort={isNarrow} />,
      },
      { id: "cost", header: say("cost"), align: "right", cell: row => <CostCell row={row} /> },
      {
        id: "duration",
        header: say("duration"),
        align: "right",
        card: "hide",
        cell: row => <DurationCell row={row} />,
      },
      { id: "status", header: say("status"), card: "aside", cell: row => <StatusCell row={row} /> },
    ];
    return isNarrow ? all.filter(({ id }) => !ON_RECEIPT.includes(id)) : all;
  }, [say, isNarrow]);
}

/** Wide enough for a table, but not for all of its columns; on a phone the rows are cards, which have room. */
const SMALL = "(min-width: 760px) and (max-width: 1279.98px)";

type Props = {
  rows: readonly Row[] | undefined;
  error: unknown;
  onRetry: () => void;
  openId: string | null;
  onOpen: (row: Row) => void;
  /** Rows above this one came while somebody looked. */
  firstId: string | null;
  empty: ReactNode;
  footer: ReactNode;
};

const NEW_ROW =
  "transition! duration-700! starting:-translate-y-2 starting:bg-accent-soft! starting:opacity-0";

export function UsageTable({ rows, error, onRetry, openId, onOpen, firstId, empty, footer }: Props) {
  const say = useWords(words);
  const isSmall = useMedia(SMALL);
  const columns = useColumns(openId !== null || isSmall);
  return (
    <DataTable
      label={say("list")}
      columns={columns}
      rows={rows}
      getId={row => row.id}
      onOpen={onOpen}
      openId={openId}
      error={error}
      onRetry={onRetry}
      rowClass={row => (firstId !== null && row.id > firstId ? NEW_ROW : undefined)}
      skeletonRows={10}
      empty={empty}
      footer={footer}
    />
  );
}

type MoreProps = { isMore: boolean; isLoading: boolean; count: number; error: ReactNode; onMore: () => void };

/** Older ones come when their place comes near, or by the button. */
export function MoreRows({ isMore, isLoading, count, error, onMore }: MoreProps) {
  const say = useWords(words);
  const ref = useRef<HTMLDivElement>(null);
  const isWaiting = isMore && !isLoading && error === null;
  useEffect(() => {
    if (!isWaiting || ref.current === null) return;
    // Several changes may be told at once: the last one holds.
    const watch = new IntersectionObserver(changes => changes.at(-1)?.isIntersecting && onMore(), {
      rootMargin: "300px",
    });
    watch.observe(ref.current);
    return () => watch.disconnect();
  });
  return (
    <div
      ref={ref}
      className="grid justify-items-center gap-2 border-line border-t px-4 py-3 text-ink-3 text-sm"
    >
      {error === null ? null : (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      {isMore ? (
        <Button size="sm" busy={isLoading} onClick={onMore}>
          {say(isLoading ? "loadingMore" : "loadMore")}
        </Button>
      ) : (
        <p>{say("allShown", { count })}</p>
      )}
    </div>
  );
}
