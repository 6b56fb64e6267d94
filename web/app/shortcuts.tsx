import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useSyncExternalStore } from "react";

const Help = lazy(async () => ({ default: (await import("./shortcuts-help.tsx")).ShortcutsHelp }));

let isShown = false;
const listeners = new Set<() => void>();

function show(next: boolean): void {
  isShown = next;
  for (const listener of listeners) listener();
}

export function showShortcuts(): void {
  show(true);
}

const GO = { k: "/keys", m: "/models", u: "/usage", c: "/check", a: "/account" } as const;
const SECOND_KEY_MS = 1200;

/** Letters typed into a field, or while a dialog is open, are not meant for the page. */
function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("input, textarea, select, [contenteditable], [role='menu'], [role='listbox']") !== null)
    return true;
  return document.querySelector("[role='dialog'][data-open], [role='alertdialog']") !== null;
}

export function Shortcuts() {
  const navigate = useNavigate();
  const first = useRef<number | null>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const wasFirst = first.current !== null && event.timeStamp - first.current < SECOND_KEY_MS;
      first.current = event.key === "g" ? event.timeStamp : null;
      const page = GO[event.key as keyof typeof GO];
      if (wasFirst && page !== undefined) void navigate({ to: page });
      else if (event.key === "?") show(true);
      else if (event.key === "c") void navigate({ to: "/keys", search: { show: "create" } });
      else if (event.key === "/") {
        const input = document.querySelector<HTMLInputElement>("main input[type='search']");
        if (input === null) return;
        input.focus();
      } else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [navigate]);
  const isHelp = useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isShown,
  );
  return isHelp ? (
    <Suspense fallback={null}>
      <Help onClose={() => show(false)} />
    </Suspense>
  ) : null;
}
