/**
 * How somebody has been doing, as this process has seen it. Whoever fails is given a rest, tried again by a single
 * request, and taken back when that succeeds.
 */
export type Standing = {
  state: "open" | "resting" | "trying";
  /** Since when it is so, and why. */
  sinceMs: number;
  why: string | null;
  untilMs: number | null;
  /** The upstream asked for it itself: then not even the last one is tried before it is over. */
  isAskedFor: boolean;
  /** The credential was refused: somebody has to mend it. */
  isRefused?: true;
};

/** What a failure says about the time to come. */
export type Failure = {
  why: string;
  /** What the upstream asked for. */
  retryAfterMs: number | null;
  /** The credential is refused, or the operator's balance there is used up: one such failure is enough. */
  isCredential: boolean;
  /** The credential is good, and may not call this model. */
  isForModel?: boolean;
  /** Too much was asked with this credential. */
  isThrottle?: boolean;
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

export type Failed = {
  failure: Failure;
  nowMs: number;
  /** It rests at once, whatever it did before. */
  isEnough?: boolean;
  /** How long, where nobody asked for a time and it does not grow. */
  restMs?: number;
};

export type StandingsOptions = {
  /** `isLonger`: the same rest, prolonged. */
  onChange: (name: string, standing: Standing, isLonger: boolean) => void;
};

/** By a name that the caller makes up. */
export class Standings {
  readonly #rows = new Map<string, Row>();
  readonly #options: StandingsOptions;

  constructor(options: StandingsOptions) {
    this.#options = options;
  }

  /** Null where a request may go there; otherwise how it stands. */
  rest(name: string, nowMs: number): Standing | null {
    const standing = this.#rows.get(name)?.standing ?? OPEN;
    if (standing.state === "open") return null;
    return standing.untilMs !== null && nowMs < standing.untilMs ? standing : null;
  }

  /** A request goes there. The first one after a rest tries it out, and the others wait for what becomes of it. */
  begins(name: string, nowMs: number): void {
    const row = this.#rows.get(name);
    if (row === undefined || row.standing.state === "open") return;
    const { state, why } = row.standing;
    // Where there is no other upstream, more than one go there.
    if (state === "trying" && nowMs < (row.standing.untilMs ?? 0)) return;
    const untilMs = nowMs + TRYING_MS_MAX;
    this.#become(name, row, { state: "trying", sinceMs: nowMs, why, untilMs, isAskedFor: false });
  }

  standing(name: string): Standing | null {
    return this.#rows.get(name)?.standing ?? null;
  }

  /** What became of it before, newest last. */
  record(name: string): readonly Standing[] {
    return this.#rows.get(name)?.record ?? [];
  }

  succeeded(name: string, nowMs: number): void {
    const row = this.#rows.get(name);
    // Who never failed is not written down: most never do.
    if (row === undefined) return;
    row.failures = 0;
    count(row, nowMs).good += 1;
    this.answers(name, nowMs);
  }

  /** It has begun to answer well: whoever tries it out has seen enough, however long the answer is. */
  answers(name: string, nowMs: number): void {
    const row = this.#rows.get(name);
    // Those that were under way when it was given its rest do not end it.
    if (row?.standing.state !== "trying") return;
    row.failures = 0;
    row.restMs = REST_MS_MIN;
    row.window = { good: 0, bad: 0 };
    row.last = { good: 0, bad: 0 };
    this.#become(name, row, { ...OPEN, sinceMs: nowMs });
  }

  /** Nobody waited for what would become of it: the next request may try. */
  unheard(name: string, nowMs: number): void {
    const row = this.#rows.get(name);
    if (row?.standing.state === "trying") row.standing = { ...row.standing, untilMs: nowMs };
  }

  failed(name: string, { failure, nowMs, ...more }: Failed): void {
    const row = this.#row(name, nowMs);
    row.failures += 1;
    count(row, nowMs).bad += 1;
    const { why, retryAfterMs, isCredential } = failure;
    const { state } = row.standing;
    const isAskedFor = retryAfterMs !== null;
    const isAtOnce = isAskedFor || isCredential || more.isEnough === true || state === "trying";
    if (!isAtOnce && row.failures < FAILURES_IN_ROW_MAX && !isMostlyBad(row)) return;
    // Those that were under way when it was given its rest say nothing new, unless they ask for a longer one.
    if (state === "resting" && !isAskedFor) return;
    if (isCredential) row.restMs = Math.max(row.restMs, CREDENTIAL_REST_MS_MIN);
    const restMs = isAskedFor ? Math.min(retryAfterMs, RETRY_AFTER_MS_MAX) : (more.restMs ?? row.restMs);
    if (!isAskedFor) row.restMs = Math.min(2 * row.restMs, REST_MS_MAX);
    const resting: Standing = {
      ...{ state: "resting", sinceMs: nowMs, why, untilMs: nowMs + restMs, isAskedFor },
      ...(isCredential && { isRefused: true }),
    };
    if (state === "resting") this.#prolong(name, row, resting);
    else this.#become(name, row, resting);
  }

  /** The operator says that it is well. */
  reset(isMeant: (name: string) => boolean, nowMs: number): void {
    for (const [name, { standing }] of [...this.#rows].filter(([name]) => isMeant(name))) {
      this.#rows.delete(name);
      if (standing.state === "open") continue;
      this.#options.onChange(name, { ...OPEN, sinceMs: nowMs, why: "reset by the operator" }, false);
    }
  }

  #row(name: string, nowMs: number): Row {
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

  #become(name: string, row: Row, standing: Standing): void {
    row.record.push(row.standing);
    if (row.record.length > RECORD_MAX) row.record.shift();
    row.standing = standing;
    this.#options.onChange(name, standing, false);
  }

  /** Still the same rest: many may ask for it at once, and whoever asks for most has it. */
  #prolong(name: string, row: Row, { why, untilMs, isAskedFor }: Standing): void {
    const { standing } = row;
    if (standing.isAskedFor && (untilMs ?? 0) <= (standing.untilMs ?? 0)) return;
    row.standing = { ...standing, why, untilMs, isAskedFor };
    this.#options.onChange(name, row.standing, true);
  }
}

function count(row: Row, nowMs: number): Counts {
  if (nowMs - row.windowAtMs < WINDOW_MS) return row.window;
  row.last = nowMs - row.windowAtMs < 2 * WINDOW_MS ? row.window : { good: 0, bad: 0 };
  row.window = { good: 0, bad: 0 };
  row.windowAtMs = nowMs;
  return row.window;
}

function isMostlyBad({ window, last }: Row): boolean {
  const bad = window.bad + last.bad;
  const all = bad + window.good + last.good;
  return all >= WINDOW_REQUESTS_MIN && bad / all > BAD_SHARE_MAX;
}
