import type { Nanos } from "./money.ts";

/** Periods roll by the clock, in UTC; a week begins on Monday; `total` never ends. */
export type Period = "day" | "week" | "month" | "total";
export const PERIODS: readonly Period[] = ["day", "week", "month", "total"];

/** Which window of which owner: of a key, an account or a subscription. */
export type WindowName = { ownerId: string; period: Period };

/** What an owner has spent and holds in the period that began at `startMs`. */
export type SpendWindow = WindowName & {
  startMs: number;
  spent: Nanos;
  held: Nanos;
  /** The clock was set back since the period began, so that `spent` has parts of a period that was left again. */
  clockBack: boolean;
};

/** The window that a hold counts in: that of the period that ran when it was made, and no later one. */
export type CountedWindow = WindowName & { startMs: number };

const DAY_MS = 86_400_000;
/** 1 January 1970 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
/** Clocks of several machines differ by less than this; more is a clock that was set. */
const SKEW_MS_MAX = 600_000;

export function periodStart(period: Period, ms: number): number {
  if (period === "total") return 0;
  if (period === "day") return Math.floor(ms / DAY_MS) * DAY_MS;
  if (period === "week") {
    const weeks = Math.floor((ms - FIRST_MONDAY_MS) / (7 * DAY_MS));
    return FIRST_MONDAY_MS + weeks * 7 * DAY_MS;
  }
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** Null where it never ends. */
export function periodEnd(period: Period, ms: number): number | null {
  if (period === "total") return null;
  if (period === "month") {
    const date = new Date(ms);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
  return periodStart(period, ms) + (period === "day" ? DAY_MS : 7 * DAY_MS);
}

export function windowKey({ ownerId, period }: WindowName): string {
  return `${ownerId}/${period}`;
}

export function newWindow({ ownerId, period }: WindowName): SpendWindow {
  return { ownerId, period, startMs: periodStart(period, 0), spent: 0n, held: 0n, clockBack: false };
}

/**
 * The time at which a request counts. Where another machine has begun the next period already, it counts there, so
 * that a period once left is not entered again.
 */
export function countedAt(windows: readonly SpendWindow[], nowMs: number): number {
  let at = nowMs;
  for (const window of windows) {
    const startMs = periodStart(window.period, window.startMs);
    if (startMs > at && startMs - nowMs <= SKEW_MS_MAX) at = startMs;
  }
  return at;
}

/** The window as it stands at a time: the same one, or the next, which is empty. */
export function rolled(window: SpendWindow, atMs: number): SpendWindow {
  const startMs = periodStart(window.period, atMs);
  const runningMs = periodStart(window.period, window.startMs);
  if (startMs === runningMs) return window;
  // How often the clock was set back is counted in the milliseconds of the start, so that a period that is entered
  // again has a start that no hold of its earlier runs has.
  const setBack = (window.startMs - runningMs) % DAY_MS;
  if (startMs > runningMs)
    return { ...window, startMs: startMs + setBack, spent: 0n, held: 0n, clockBack: false };
  // What is known to be spent or held stays counted, so that no money is found by setting a clock back.
  const spent = window.spent + window.held;
  return { ...window, startMs: startMs + setBack + 1, spent, held: 0n, clockBack: true };
}

/** As a usage row keeps them. */
export function formatWindows(windows: readonly CountedWindow[]): string | null {
  if (windows.length === 0) return null;
  return windows.map(({ ownerId, period, startMs }) => `${ownerId}/${period}/${startMs}`).join(",");
}

export function parseWindows(text: string | null): CountedWindow[] {
  if (text === null) return [];
  return text.split(",").map(part => {
    const [ownerId = "", period = "", start = ""] = part.split("/");
    return { ownerId, period: period as Period, startMs: Number(start) };
  });
}
