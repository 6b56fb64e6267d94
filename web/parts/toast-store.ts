export type Toast = {
  id: number;
  text: string;
  tone: "ok" | "bad" | "info";
  action?: { label: string; onSelect: () => void };
};

const SHOWN_MS = { ok: 4000, info: 6000, bad: 9000 };
const SHOWN_MAX = 4;

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function show(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function dismissToast(id: number): void {
  show(toasts.filter(toast => toast.id !== id));
}

/** Says something in the corner for a few seconds: `toast("Key disabled")`. */
export function toast(text: string, options: Partial<Pick<Toast, "tone" | "action">> = {}): void {
  const made: Toast = { id: nextId, text, tone: options.tone ?? "ok" };
  if (options.action !== undefined) made.action = options.action;
  nextId += 1;
  show([...toasts, made].slice(-SHOWN_MAX));
  setTimeout(() => dismissToast(made.id), SHOWN_MS[made.tone]);
}

export function toastsNow(): readonly Toast[] {
  return toasts;
}

export function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
