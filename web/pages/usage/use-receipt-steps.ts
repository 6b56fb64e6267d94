import { useEffect } from "react";
import type { Row } from "./log.ts";

const STEPS: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
/** What has arrows of its own. */
const OTHERS = "input, textarea, select, [role='radio'], [role='tab'], [role^='menu'], [role='listbox']";

function isForReceipt(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
  if (!(target instanceof Element)) return true;
  // The list moves its focus by the same keys; the receipt goes along where it is that row's.
  if (target.hasAttribute("data-row")) return target.getAttribute("aria-current") === "true";
  return target.closest(OTHERS) === null;
}

type Given = {
  rows: readonly Row[] | undefined;
  openId: string | null;
  onOpen: (id: string, isStep: boolean) => void;
};

/** The requests beside the one whose receipt is open; the arrows go from one to the next. */
export function useReceiptSteps({ rows, openId, onOpen }: Given): { newer: Row | null; older: Row | null } {
  const at = openId === null ? -1 : (rows?.findIndex(({ id }) => id === openId) ?? -1);
  const newer = at < 1 ? null : (rows?.[at - 1] ?? null);
  const older = at < 0 ? null : (rows?.[at + 1] ?? null);
  useEffect(() => {
    if (openId === null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const step = STEPS[event.key];
      if (step === undefined || !isForReceipt(event)) return;
      const next = step > 0 ? older : newer;
      if (next === null) return;
      event.preventDefault();
      onOpen(next.id, false);
    };
    // On the way down: the panel lets no arrow out on the way up.
    document.addEventListener("keydown", onKeyDown, { capture: true });
    return () => document.removeEventListener("keydown", onKeyDown, { capture: true });
  }, [openId, newer, older, onOpen]);
  useEffect(() => {
    if (openId === null) return;
    document.querySelector("tr[data-row][aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [openId]);
  return { newer, older };
}
