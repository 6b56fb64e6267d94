import { type ReactNode, useEffect, useRef } from "react";
import { formatTime } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Row } from "./log.ts";
import { useMedia } from "./use-media.ts";
import { words } from "./words.ts";

/** All of them, and those for which there is room beside a receipt: it says the others too. */
export type UsageColumns<R extends Row> = { wide: readonly Column<R>[]; narrow: readonly Column<R>[] };

/** Wide enough for a table, but not for all of its columns; on a phone the rows are cards, which have room. */
const SMALL = "(min-width: 760px) and (max-width: 1279.98px)";

type Props<R extends Row> = {
  columns: UsageColumns<R>;
  rows: readonly R[] | undefined;
  error: unknown;
  onRetry: () => void;
  openId: string | null;
  onOpen: (row: R) => void;
  /** Rows above this one came while somebody looked. */
  firstId: string | null;
  empty: ReactNode;
  footer: ReactNode;
};

const NEW_ROW =
  "transition! duration-700! starting:-translate-y-2 starting:bg-accent-soft! starting:opacity-0";

export function UsageTable<R extends Row>({ columns, firstId, ...props }: Props<R>) {
  const say = useWords(words);
  const isSmall = useMedia(SMALL);
  return (
    <DataTable
      {...props}
      label={say("list")}
      columns={props.openId !== null || isSmall ? columns.narrow : columns.wide}
      getId={row => row.id}
      rowClass={row => (firstId !== null && row.id > firstId ? NEW_ROW : undefined)}
      skeletonRows={10}
    />
  );
}

type MoreProps = {
  isMore: boolean;
  isLoading: boolean;
  count: number;
  /** Where single requests from before are not kept. */
  keptFrom: string | null;
  error: ReactNode;
  onMore: () => void;
};

/** Said where somebody would look for what is kept no longer. */
export function KeptFrom({ at }: { at: string }) {
  const say = useWords(words);
  return (
    <p className="px-4 pb-4 text-center text-ink-3 text-sm">
      {say("keptFrom", { date: formatTime(at, say.language, "date", "UTC") })}
    </p>
  );
}

/** Older ones come when their place comes near, or by the button. */
export function MoreRows({ isMore, isLoading, count, keptFrom, error, onMore }: MoreProps) {
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
      ) : keptFrom === null ? (
        <p>{say("allShown", { count })}</p>
      ) : (
        <KeptFrom at={keptFrom} />
      )}
    </div>
  );
}
