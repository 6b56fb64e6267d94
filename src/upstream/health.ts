import type { Id } from "../domain/ids.ts";

/**
 * How an upstream has been doing with a model, as this process has seen it. It is given a rest when it fails, tried again
 * by a single request, and taken back when that succeeds.
 */
export type Standing = {
  state: "open" | "resting" | "trying";
  /** Since when it is so, and why. */
  sinceMs: number;
  why: string | null;
  untilMs: number | null;
  /** The upstream asked for it itself: then not even the last one is tried before it is over. */
  isAskedFor: boolean;
};

/** What a failure says about the time to come. */
export type Failure = {
  why: string;
  /** What the upstream asked for. */
  retryAfterMs: number | null;
  /** Its credential is refused: one such failure is enough. */
  isCredential: boolean;
};

type Row = {
  standing: Standing;
  /** In a row. */
  failures: number;
  /** Of the last window, and the one before it. */
  window: Counts;
  last: Counts;
  windowAtMs: number;
  restMs: number;
  record: Standing[];
};
type Counts = { good: number; bad: number };

const FAILURES_IN_ROW_MAX = 5;
const WINDOW_MS = 10_000;
/** Statistics need some numbers to be worth anything. */
const WINDOW_REQUESTS_MIN = 20;
const BAD_SHARE_MAX = 0.3;
const REST_MS_MIN = 1_000;
const REST_MS_MAX = 60_000;
/** An operator mends it, which takes longer than a hiccup. */
const CREDENTIAL_REST_MS_MIN = 30_000;
const RETRY_AFTER_MS_MAX = 600_000;
/** A request that tries it out and is never heard of again must not keep it out for ever. */
const TRYING_MS_MAX = 120_000;
const RECORD_MAX = 20;

const OPEN: Standing = { state: "open", sinceMs: 0, why: null, untilMs: null, isAskedFor: false };

export class UpstreamHealth {
  readonly #rows = new Map<string, Row>();
  readonly #running = new Map<Id<"ups">, number>();

  /** Null where a request may go there; otherwise how it stands. */
  rest(upstream: Id<"ups">, model: string, nowMs: number): Standing | null {
    // Most never fail, and are never looked up.
    if (this.#rows.size === 0) return null;
    const standing = this.#rows.get(nameOf(upstream, model))?.standing ?? OPEN;
    if (standing.state === "open") return null;
    return standing.untilMs !== null && nowMs < standing.untilMs ? standing : null;
  }

  /** A request goes there. The first one after a rest tries it out, and the others wait for what becomes of it. */
  begins(upstream: Id<"ups">, model: string, nowMs: number): void {
    this.#running.set(upstream, this.running(upstream) + 1);
    const row = this.#rows.size === 0 ? undefined : this.#rows.get(nameOf(upstream, model));
    if (row === undefined || row.standing.state === "open") return;
    const { state, why } = row.standing;
    // Where there is no other upstream, more than one go there.
    if (state === "trying" && nowMs < (row.standing.untilMs ?? 0)) return;
    const untilMs = nowMs + TRYING_MS_MAX;
    this.#become(row, { state: "trying", sinceMs: nowMs, why, untilMs, isAskedFor: false });
  }

  ends(upstream: Id<"ups">): void {
    const left = this.running(upstream) - 1;
    if (left > 0) this.#running.set(upstream, left);
    else this.#running.delete(upstream);
  }

  running(upstream: Id<"ups">): number {
    return this.#running.get(upstream) ?? 0;
  }

  standing(upstream: Id<"ups">, model: string): Standing | null {
    return this.#rows.get(nameOf(upstream, model))?.standing ?? null;
  }

  /** What became of it before, newest last. */
  record(upstream: Id<"ups">, model: string): readonly Standing[] {
    return this.#rows.get(nameOf(upstream, model))?.record ?? [];
  }

  succeeded(upstream: Id<"ups">, model: string, nowMs: number): void {
    const row = this.#rows.get(nameOf(upstream, model));
    // Who never failed is not written down: most never do.
    if (row === undefined) return;
    row.failures = 0;
    this.#count(row, nowMs).good += 1;
    // Those that were under way when it was given its rest do not end it.
    if (row.standing.state !== "trying") return;
    row.restMs = REST_MS_MIN;
    row.window = { good: 0, bad: 0 };
    row.last = { good: 0, bad: 0 };
    this.#become(row, { ...OPEN, sinceMs: nowMs });
  }

  /** Nobody waited for what would become of it: the next request may try. */
  unheard(upstream: Id<"ups">, model: string, nowMs: number): void {
    const row = this.#rows.get(nameOf(upstream, model));
    if (row?.standing.state === "trying") row.standing = { ...row.standing, untilMs: nowMs };
  }

  failed(upstream: Id<"ups">, model: string, { failure, nowMs }: { failure: Failure; nowMs: number }): void {
    const row = this.#row(upstream, model, nowMs);
    row.failures += 1;
    this.#count(row, nowMs).bad += 1;
    const { why, retryAfterMs, isCredential } = failure;
    const { state } = row.standing;
    const isAskedFor = retryAfterMs !== null;
    const isEnough = isAskedFor || isCredential || state === "trying" || row.failures >= FAILURES_IN_ROW_MAX;
    if (!isEnough && !isMostlyBad(row)) return;
    // Those that were under way when it was given its rest say nothing new, unless they ask for a longer one.
    if (state === "resting" && !isAskedFor) return;
    if (isCredential) row.restMs = Math.max(row.restMs, CREDENTIAL_REST_MS_MIN);
    const restMs = isAskedFor ? Math.min(retryAfterMs, RETRY_AFTER_MS_MAX) : row.restMs;
    if (!isAskedFor) row.restMs = Math.min(2 * row.restMs, REST_MS_MAX);
    const resting: Standing = { state: "resting", sinceMs: nowMs, why, untilMs: nowMs + restMs, isAskedFor };
    if (state === "resting") prolong(row, resting);
    else this.#become(row, resting);
  }

  #row(upstream: Id<"ups">, model: string, nowMs: number): Row {
    const name = nameOf(upstream, model);
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    const row: Row = {
      standing: { ...OPEN, sinceMs: nowMs },
      failures: 0,
      window: { good: 0, bad: 0 },
      last: { good: 0, bad: 0 },
      windowAtMs: nowMs,
      restMs: REST_MS_MIN,
      record: [],
    };
    this.#rows.set(name, row);
    return row;
  }

  #count(row: Row, nowMs: number): Counts {
    if (nowMs - row.windowAtMs < WINDOW_MS) return row.window;
    row.last = nowMs - row.windowAtMs < 2 * WINDOW_MS ? row.window : { good: 0, bad: 0 };
    row.window = { good: 0, bad: 0 };
    row.windowAtMs = nowMs;
    return row.window;
  }

  #become(row: Row, standing: Standing): void {
    row.record.push(row.standing);
    if (row.record.length > RECORD_MAX) row.record.shift();
    row.standing = standing;
  }
}

/** Still the same rest: many may ask for it at once, and whoever asks for most has it. */
function prolong(row: Row, { why, untilMs, isAskedFor }: Standing): void {
  const { standing } = row;
  if (standing.isAskedFor && (untilMs ?? 0) <= (standing.untilMs ?? 0)) return;
  row.standing = { ...standing, why, untilMs, isAskedFor };
}

function isMostlyBad({ window, last }: Row): boolean {
  const bad = window.bad + last.bad;
  const all = bad + window.good + last.good;
  return all >= WINDOW_REQUESTS_MIN && bad / all > BAD_SHARE_MAX;
}

function nameOf(upstream: Id<"ups">, model: string): string {
  return `${upstream} ${model}`;
}
