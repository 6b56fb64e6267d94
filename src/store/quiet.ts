export type QuietOptions = {
  /** So long after the last work it is quiet. */
  quietMs: number;
  /** Less work than this leaves too little behind to look for. */
  worthTidying: number;
  tidy: () => void;
  nowTick?: () => number;
  later?: (look: () => void, ms: number) => { unref: () => unknown };
};

/**
 * A runtime collects its garbage while it works, and one that has nothing more to do keeps what the last rush has left.
 * So it is told when it is quiet, and once more: the first time frees objects, and the second what these had held.
 */
export class Quiet {
  readonly #options: Required<QuietOptions>;
  #done = 0;
  #lastTick = 0;
  #isWaiting = false;
  #hasTidied = false;

  constructor(options: QuietOptions) {
    this.#options = { nowTick: () => performance.now(), later: setTimeout, ...options };
  }

  /** A piece of work is done. */
  worked(): void {
    this.#done += 1;
    this.#lastTick = this.#options.nowTick();
    this.#hasTidied = false;
    if (!this.#isWaiting && this.#done >= this.#options.worthTidying) this.#wait(this.#options.quietMs);
  }

  #wait(ms: number): void {
    this.#isWaiting = true;
    this.#options.later(this.#look, ms).unref();
  }

  readonly #look = () => {
    this.#isWaiting = false;
    const { nowTick, quietMs, tidy } = this.#options;
    const leftMs = quietMs - (nowTick() - this.#lastTick);
    if (leftMs > 0) return this.#wait(leftMs);
    this.#done = 0;
    tidy();
    if (!this.#hasTidied) this.#wait(quietMs);
    this.#hasTidied = true;
  };
}

const QUIET_MS = 750;
const BATCHES_WORTH_TIDYING = 50;

/** For a thread that writes batches, or hands them over. */
export function tidyWhenQuiet(): Quiet {
  return new Quiet({
    quietMs: QUIET_MS,
    worthTidying: BATCHES_WORTH_TIDYING,
    tidy: () => void Bun.gc(true),
  });
}
