import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useErrorText } from "../../api/error-text.ts";
import { now } from "../../format/clock.ts";
import { classNames } from "../../parts/class-names.ts";
import { isOpenEnded, type UsageFilter } from "./filter.ts";
import { LiveLine } from "./live-line.tsx";
import { UsageEmpty } from "./usage-empty.tsx";
import { MoreRows, UsageTable } from "./usage-table.tsx";
import { useHeld, useIsScrolled } from "./use-held.ts";
import { useLog } from "./use-log.ts";
import { useReceiptSteps } from "./use-receipt-steps.ts";

const Receipt = lazy(async () => ({ default: (await import("./receipt-panel.tsx")).ReceiptPanel }));

type Props = {
  filter: UsageFilter;
  /** The request whose receipt is open. */
  openId: string | null;
  /** A step is one that the back button undoes. */
  onOpen: (id: string | null, isStep: boolean) => void;
};

/** The newest row when the list was first seen: those above it came while somebody looked. */
function useFirstId(id: string | undefined, of: unknown): string | null {
  const [first, setFirst] = useState<{ id: string; of: unknown } | null>(null);
  useEffect(() => {
    if (id !== undefined) setFirst(before => (before?.of === of ? before : { id, of }));
  }, [id, of]);
  return first !== null && first.of === of ? first.id : null;
}

export function UsageList({ filter, openId, onOpen }: Props) {
  const tell = useErrorText();
  const isLive = isOpenEnded(filter, now());
  const { log, isHere, isLost, more } = useLog(filter, isLive);
  const [isPaused, setPaused] = useState(false);
  const { ref, isScrolled } = useIsScrolled();
  const isReading = isScrolled || openId !== null || isPaused;
  const { rows, fresh, release } = useHeld(isHere ? log.data : undefined, { isReading, of: filter });
  const shown = rows ?? log.data?.rows;
  const firstId = useFirstId(isHere ? log.data?.rows[0]?.id : undefined, filter);
  const { newer, older } = useReceiptSteps({ rows: shown, openId, onOpen });
  // A page may be empty although older ones are not: it has looked at as much as one page may.
  const isSearching = shown?.length === 0 && log.data?.next !== null;
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
          rows={isSearching ? undefined : shown}
          error={log.error}
          onRetry={() => void log.refetch()}
          openId={openId}
          onOpen={row => onOpen(row.id, openId === null)}
          firstId={firstId}
          empty={<UsageEmpty />}
          footer={
            shown === undefined ? null : (
              <MoreRows
                isMore={log.data?.next !== null && isHere}
                isLoading={more.isPending}
                count={shown.length}
                error={more.error === null ? null : tell(more.error)}
                onMore={() => more.mutate()}
              />
            )
          }
        />
      </div>
      {openId === null ? null : (
        <Suspense fallback={null}>
          <Receipt
            id={openId}
            repeated={shown?.find(({ id }) => id === openId)?.repeated ?? null}
            newer={newer}
            older={older}
            onOpen={id => onOpen(id, false)}
          />
        </Suspense>
      )}
    </div>
  );
}
