export type Toast = {
  id: number;
  text: string;
  tone: "ok" | "bad" | "info";
  action?: { label: string; onSelect: () => void };
};

const SHOWN_MS = { ok: 4000, info: 6000, bad: 9000 };
/** Long enough to read what can be taken back, and to get there. */
const SHOWN_WITH_ACTION_MS = 10_000;
const SHOWN_MAX = 4;

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const leaving = new Map<number, ReturnType<typeof setTimeout>>();

function show(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function dismissToast(id: number): void {
  holdToast(id);
  show(toasts.filter(toast => toast.id !== id));
}

/** Whoever points at it, or has reached it by the keyboard, is not left without it. */
export function holdToast(id: number): void {
  clearTimeout(leaving.get(id));
  leaving.delete(id);
}

/** From now on it has its whole time again. */
export function releaseToast({ id, tone, action }: Toast): void {
  holdToast(id);
  const ms = action === undefined ? SHOWN_MS[tone] : SHOWN_WITH_ACTION_MS;
  leaving.set(
    id,
    setTimeout(() => dismissToast(id), ms),
  );
}

/** Says something in the corner for a few seconds: `toast("Key disabled")`. */
export function toast(text: string, options: Partial<Pick<Toast, "tone" | "action">> = {}): void {
  const made: Toast = { id: nextId, text, tone: options.tone ?? "ok" };
  if (options.action !== undefined) made.action = options.action;
  nextId += 1;
  for (const { id } of toasts.slice(0, 1 - SHOWN_MAX)) dismissToast(id);
  show([...toasts, made]);
  releaseToast(made);
}

export function toastsNow(): readonly Toast[] {
  return toasts;
}

export function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
