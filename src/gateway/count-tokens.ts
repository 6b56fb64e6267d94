import type { Log } from "../domain/log.ts";
import type { Dialect } from "../domain/usage.ts";

export type Tokens = { input: number; output: number };

/** What was delivered: all its bytes, and the first of them as they were written. */
export type Content = { readonly bytes: number; readonly sample: Uint8Array };

export type Countable = {
  dialect: Dialect;
  request: Uint8Array;
  /** For what is in the request and is no text. */
  dataTokens: number;
  content: Content;
  /** Taken where counting fails or takes too long. */
  guess: Tokens;
};

/** To the thread and back. The input is null where the request was not understood. */
export type CountOrder = { dialect: Dialect; request: Uint8Array; sample: Uint8Array };
export type CountReply = { input: number | null; sample: number };

export type CounterOptions = {
  log: Log;
  openThread?: () => Worker;
  countMsMax?: number;
  /** How long there is no new thread after one has died. */
  restMs?: number;
  /** A thread that has nothing to do for so long is ended, for it has much in memory. */
  idleMsMax?: number;
};

type Job = { what: Countable; resolve: (tokens: Tokens) => void; timer: Timer };
type Timer = ReturnType<typeof setTimeout>;

const COUNT_MS_MAX = 2_000;
const REST_MS = 5_000;
const IDLE_MS_MAX = 300_000;
/** Counting is bounded, so a thread that takes longer than this will never answer. */
const STUCK_MS_MAX = 10_000;
const JOBS_MAX = 1_000;
const QUEUED_BYTES_MAX = 64 * 1_024 * 1_024;
/** Copying more than this would be felt by those who are served meanwhile. */
const REQUEST_BYTES_MAX = 8 * 1_024 * 1_024;

const thread = () => new Worker(new URL("./count-thread.ts", import.meta.url).href);

/**
 * The event loop's end of the thread that has the tokenizer. Begun at the first need: where upstreams report their
 * usage, nobody loads a tokenizer. It always answers within the time limit, with a guess if need be.
 */
export class TokenCounter {
  readonly #options: Required<CounterOptions>;
  #thread: Worker | null = null;
  #queue: Job[] = [];
  #queuedBytes = 0;
  #active: Job | null = null;
  #idle: Timer | null = null;
  #isResting = false;
  #isClosed = false;

  constructor(options: CounterOptions) {
    const { openThread = thread, countMsMax = COUNT_MS_MAX, restMs = REST_MS } = options;
    const { log, idleMsMax = IDLE_MS_MAX } = options;
    this.#options = { log, openThread, countMsMax, restMs, idleMsMax };
  }

  count(what: Countable): Promise<Tokens> {
    const isFull =
      this.#queue.length >= JOBS_MAX || this.#queuedBytes + what.request.length > QUEUED_BYTES_MAX;
    if (this.#isClosed || this.#isResting || isFull) return Promise.resolve(what.guess);
    return new Promise(resolve => {
      const timer = setTimeout(() => this.#giveUp(job), this.#options.countMsMax);
      const job: Job = { what, resolve, timer };
      this.#queue.push(job);
      this.#queuedBytes += what.request.length;
      this.#next();
    });
  }

  /** Whoever waits still gets the guess. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  /** One at a time, so that what waits can be given up and is copied only when its turn comes. */
  #next(): void {
    if (this.#active !== null) return;
    const job = this.#queue.shift();
    if (job === undefined) {
      this.#rest();
      return;
    }
    this.#queuedBytes -= job.what.request.length;
    this.#active = job;
    if (this.#idle !== null) clearTimeout(this.#idle);
    const { dialect, request, content } = job.what;
    const copied = request.length > REQUEST_BYTES_MAX ? new Uint8Array() : new Uint8Array(request);
    const sample = new Uint8Array(content.sample);
    const order: CountOrder = { dialect, request: copied, sample };
    try {
      this.#thread ??= this.#open();
      this.#thread.postMessage(order, [copied.buffer, sample.buffer]);
    } catch (error) {
      this.#died(error instanceof Error ? error.message : String(error));
    }
  }

  #open(): Worker {
    const opened = this.#options.openThread();
    const died = (why: string) => {
      if (this.#thread === opened) this.#died(why);
    };
    opened.onmessage = (event: MessageEvent<CountReply>) => {
      if (this.#thread === opened) this.#answered(event.data);
    };
    opened.onerror = event => died(event.message);
    opened.addEventListener("close", () => died("it ended"));
    opened.unref();
    return opened;
  }

  #answered({ input, sample }: CountReply): void {
    const job = this.#active;
    this.#active = null;
    if (job !== null) {
      const { guess, dataTokens, content } = job.what;
      const sampleBytes = content.sample.length;
      finish(job, {
        input: input === null ? guess.input : input + dataTokens,
        output: sampleBytes === 0 ? guess.output : Math.ceil((sample * content.bytes) / sampleBytes),
      });
    }
    this.#next();
  }

  /** It took too long. The thread goes on, unless it seems that it never ends. */
  #giveUp(job: Job): void {
    job.resolve(job.what.guess);
    const place = this.#queue.indexOf(job);
    if (place >= 0) {
      this.#queue.splice(place, 1);
      this.#queuedBytes -= job.what.request.length;
    } else if (job === this.#active) {
      job.timer = setTimeout(() => {
        if (job === this.#active) this.#died("it does not answer");
      }, STUCK_MS_MAX);
      job.timer.unref();
    }
  }

  /** A thread that cannot live must not be begun again and again. */
  #died(why: string): void {
    this.#options.log("warn", "tokens.thread_ended", { why });
    this.#isResting = true;
    setTimeout(() => {
      this.#isResting = false;
    }, this.#options.restMs).unref();
    this.#drop();
  }

  #drop(): void {
    const waiting = this.#active === null ? this.#queue : [this.#active, ...this.#queue];
    this.#active = null;
    this.#queue = [];
    this.#queuedBytes = 0;
    for (const job of waiting) finish(job, job.what.guess);
    this.#end();
  }

  #rest(): void {
    this.#idle = setTimeout(() => this.#end(), this.#options.idleMsMax);
    this.#idle.unref();
  }

  #end(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const ending = this.#thread;
    // First forgotten, so that its end is not taken for a death.
    this.#thread = null;
    ending?.terminate();
  }
}

function finish(job: Job, tokens: Tokens): void {
  clearTimeout(job.timer);
  job.resolve(tokens);
}
