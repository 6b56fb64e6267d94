export type Timed = {
  /** On the clock of `performance.now()`; infinity while no limit runs. */
  deadlineMs: number;
  onDeadline: () => void;
};

const sweepMsMax = 250;

/**
 * One coarse timer over everything that has a deadline: setting one is storing a number. A deadline is
 * met up to `sweepMsMax` late, or nearly on time if it is shorter than that.
 */
export class Deadlines {
  readonly #all = new Set<Timed>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #nextSweepMs = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#all.size;
  }

  add(timed: Timed): void {
    this.#all.add(timed);
  }

  remove(timed: Timed): void {
    this.#all.delete(timed);
  }

  [Symbol.iterator](): IterableIterator<Timed> {
    return this.#all.values();
  }

  set(timed: Timed, afterMs: number): void {
    const nowMs = performance.now();
    timed.deadlineMs = nowMs + afterMs;
    if (timed.deadlineMs < this.#nextSweepMs) this.#schedule(nowMs, timed.deadlineMs);
  }

  #schedule(nowMs: number, deadlineMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const waitMs = Math.max(1, Math.min(Math.ceil(deadlineMs - nowMs), sweepMsMax));
    this.#nextSweepMs = nowMs + waitMs;
    this.#timer = setTimeout(this.#sweep, waitMs);
    this.#timer.unref();
  }

  readonly #sweep = (): void => {
    this.#timer = null;
    this.#nextSweepMs = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const timed of this.#all) {
      if (timed.deadlineMs <= nowMs) timed.onDeadline();
      else if (timed.deadlineMs < soonestMs) soonestMs = timed.deadlineMs;
    }
    // While nothing has a deadline the timer rests; the next `set` starts it again.
    if (soonestMs < this.#nextSweepMs) this.#schedule(nowMs, soonestMs);
  };
}
