import { type KeyboardEvent, useRef, useState } from "react";

const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowDown: at => at + 1,
  ArrowUp: at => at - 1,
  j: at => at + 1,
  k: at => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Walking through rows by arrows, Home and End. */
export function useRowKeys(count: number) {
  const [at, setAt] = useState(0);
  const ref = useRef<HTMLTableSectionElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const isOnRow = event.target instanceof HTMLElement && event.target.hasAttribute("data-row");
    if (step === undefined || !isOnRow || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = Math.min(count - 1, Math.max(0, step(Math.min(at, count - 1), count)));
    setAt(next);
    ref.current?.querySelectorAll<HTMLElement>("[data-row]")[next]?.focus();
  };
  return { at: Math.min(at, Math.max(0, count - 1)), setAt, ref, onKeyDown };
}
