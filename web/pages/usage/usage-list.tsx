import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { useErrorText } from "../../api/error-text.ts";
import { now } from "../../format/clock.ts";
import { classNames } from "../../parts/class-names.ts";
import { cutAt, isOpenEnded, type UsageFilter } from "./filter.ts";
import { LiveLine } from "./live-line.tsx";
import type { Row } from "./log.ts";
import { KeptFrom, MoreRows, type UsageColumns, UsageTable } from "./usage-table.tsx";
import { useHeld, useIsScrolled } from "./use-held.ts";
import { type LogSource, useLog } from "./use-log.ts";
import { useReceiptSteps } from "./use-receipt-steps.ts";

/** What the panel beside the list is given. */
export type ReceiptGiven = {
  id: string;
  /** Where its line in the list stands for several. */
  repeated: Row["repeated"];
  newer: Row | null;
  older: Row | null;
  /** Null closes it. */
  onOpen: (id: string | null) => void;
};

type Props<R extends Row, F extends UsageFilter> = {
  source: LogSource<R, F>;
  columns: UsageColumns<R>;
  filter: F;
  /** The request whose receipt is open. */
  openId: string | null;
  /** A step is one that the back button undoes. */
  onOpen: (id: string | null, isStep: boolean) => void;
  empty: ReactNode;
  receipt: (given: ReceiptGiven) => ReactNode;
};

/** The newest row when the list was first seen: those above it came while somebody looked. */
function useFirstId(id: string | undefined, of: unknown): string | null {
  const [first, setFirst] = useState<{ id: string; of: unknown } | null>(null);
  useEffect(() => {
    if (id !== undefined) setFirst(before => (before?.of === of ? before : { id, of }));
  }, [id, of]);
  return first !== null && first.of === of ? first.id : null;
}

export function UsageList<R extends Row, F extends UsageFilter>(props: Props<R, F>) {
  const { filter, openId, onOpen } = props;
  const tell = useErrorText();
  const isLive = isOpenEnded(filter, now());
  const { log, isHere, isLost, more } = useLog(props.source, { filter, isLive });
  const [isPaused, setPaused] = useState(false);
  const { ref, isScrolled } = useIsScrolled();
  const isReading = isScrolled || openId !== null || isPaused;
  const { rows, fresh, release } = useHeld(isHere ? log.data : undefined, { isReading, of: filter });
  const shown = rows ?? log.data?.rows;
  const firstId = useFirstId(isHere ? log.data?.rows[0]?.id : undefined, filter);
  const { newer, older } = useReceiptSteps({ rows: shown, openId, onOpen });
  // A page may be empty although older ones are not: it has looked at as much as one page may.
  const isSearching = shown?.length === 0 && log.data?.next !== null;
  const keptFrom = cutAt(filter, log.data?.kept_from);
  const top = useRef<HTMLDivElement>(null);
  const show = () => {
    setPaused(false);
    release();
    top.current?.scrollIntoView({ block: "start", behavior: "smooth" });
  };
  const state = isLost ? "lost" : isPaused ? "paused" : isReading ? "held" : "live";
  return (
    <div ref={top} className="panel scroll-mt-2 phone:scroll-mt-14">
      <div ref={ref} aria-hidden />
      {isLive && shown !== undefined && shown.length > 0 ? (
        <LiveLine state={state} fresh={fresh} onPause={setPaused} onShow={show} />
      ) : null}
      <div
        className={classNames("transition-opacity", log.isPlaceholderData && "opacity-55")}
        aria-busy={log.isPlaceholderData}
      >
        <UsageTable
          columns={props.columns}
          rows={isSearching ? undefined : shown}
          error={log.error}
          onRetry={() => void log.refetch()}
          openId={openId}
          onOpen={row => onOpen(row.id, openId === null)}
          firstId={firstId}
          empty={
            <>
              {props.empty}
              {keptFrom === null ? null : <KeptFrom at={keptFrom} />}
            </>
          }
          footer={
            shown === undefined ? null : (
              <MoreRows
                isMore={log.data?.next !== null && isHere}
                isLoading={more.isPending}
                count={shown.length}
                keptFrom={keptFrom}
                error={more.error === null ? null : tell(more.error)}
                onMore={() => more.mutate()}
              />
            )
          }
        />
      </div>
      {openId === null ? null : (
        <Suspense fallback={null}>
          {props.receipt({
            id: openId,
            repeated: shown?.find(({ id }) => id === openId)?.repeated ?? null,
            newer,
            older,
            onOpen: id => onOpen(id, false),
          })}
        </Suspense>
      )}
    </div>
  );
}
