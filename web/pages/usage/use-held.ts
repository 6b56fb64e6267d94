import { type RefObject, useEffect, useRef, useState } from "react";
import { type Log, type Row, shownRows } from "./log.ts";

/** Whether the list has been scrolled away from its beginning: `ref` is set on what stands just before it. */
export function useIsScrolled(): { ref: RefObject<HTMLDivElement | null>; isScrolled: boolean } {
  const ref = useRef<HTMLDivElement>(null);
  const [isScrolled, setScrolled] = useState(false);
  useEffect(() => {
    if (ref.current === null) return;
    const watch = new IntersectionObserver(changes => {
      const entry = changes.at(-1);
      if (entry !== undefined) setScrolled(!entry.isIntersecting && entry.boundingClientRect.top < 0);
    });
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return { ref, isScrolled };
}

/** While somebody reads, rows stay where they are; `release` lets in what waits. */
export function useHeld<R extends Row>(
  log: Log<R> | undefined,
  { isReading, of }: { isReading: boolean; of: unknown },
) {
  const [held, setHeld] = useState<{ rows: readonly R[]; of: unknown } | null>(null);
  const latest = useRef<readonly R[]>([]);
  const isHere = log !== undefined;
  const own = held !== null && held.of === of ? held.rows : null;
  const shown = log === undefined ? null : shownRows(log, own);
  useEffect(() => {
    latest.current = shown?.rows ?? [];
  });
  useEffect(() => {
    setHeld(isReading && isHere ? { rows: latest.current, of } : null);
  }, [isReading, isHere, of]);
  const release = () => setHeld(isReading && log !== undefined ? { rows: log.rows, of } : null);
  return { rows: shown?.rows, fresh: shown?.fresh ?? 0, release };
}
