import type { Log } from "../../domain/log.ts";
import type { Admission, AdmissionRequest, PendingAdmission } from "../store.ts";
import { COMMITTED, type Command, decodeDecisions, encodeBatch, FAILED } from "./wire.ts";

/** Settlements that could not be written are tried again after this long. */
const RETRY_MS = 500;
/** A batch waits for the next this long for each so many commands of the last one. */
const LINGER_COMMANDS_PER_MS = 8;
const LINGER_MS_MAX = 4;
const BATCH_COMMANDS_MAX = 1_000;

/** An admission carries the ears that wait for it. */
type Queued = Command & { waiter?: Waiter };

type Waiter = {
  decide: (admission: Admission) => void;
  durable: () => void;
  fail: (error: Error) => void;
};

/** Commands that arrive while one batch is being written form the next one. */
export class BatchQueue {
  readonly #log: Log;
  #post: (batch: string) => void = () => {};
  #queue: Queued[] = [];
  #writing: Queued[] = [];
  #scheduled = false;
  #sentTick = 0;
  #sentCommands = 0;
  #broken: string | null = null;
  #flushers: (() => void)[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  open(post: (batch: string) => void): void {
    this.#post = post;
  }

  admit(request: AdmissionRequest): PendingAdmission {
    const decided = Promise.withResolvers<Admission>();
    const durable = Promise.withResolvers<void>();
    // Whoever waits for the decision hears of the failure; a hold that nobody waits for any more fails quietly.
    durable.promise.catch(() => {});
    const fail = (error: Error) => {
      decided.reject(error);
      durable.reject(error);
    };
    if (this.#broken !== null) fail(new Error(this.#broken));
    else {
      const waiter = { decide: decided.resolve, durable: durable.resolve, fail };
      this.push({ do: "admit", request, waiter });
    }
    return { decided: decided.promise, durable: durable.promise };
  }

  push(command: Queued): void {
    this.#queue.push(command);
    if (this.#scheduled || this.#writing.length > 0) return;
    this.#schedule();
  }

  answered(text: string): void {
    if (text === COMMITTED) this.#committed();
    else if (text.startsWith(FAILED)) this.#failed(text.slice(FAILED.length));
    else this.#decided(decodeDecisions(text));
  }

  #decided(admissions: readonly Admission[]): void {
    let at = 0;
    for (const { waiter } of this.#writing) {
      if (waiter === undefined) continue;
      const admission = admissions[at++];
      if (admission !== undefined) waiter.decide(admission);
    }
  }

  /** The thread is gone: nobody is let in any more. Open holds are resolved at the next start. */
  breakDown(message: string): void {
    this.#broken = message;
    this.#failAdmissions([...this.#writing, ...this.#queue], message);
    this.#queue = [];
    this.#writing = [];
    this.#settleFlushers();
  }

  flushed(): Promise<void> {
    return new Promise(resolve => {
      this.#flushers.push(resolve);
      if (this.#writing.length === 0 && this.#queue.length === 0) this.#settleFlushers();
    });
  }

  /**
   * A lone request is written after this turn of the event loop, so that what arrived together is written together.
   * Under load a batch waits a little after the last, since a transaction costs much the same for ten as for one.
   */
  #schedule(): void {
    this.#scheduled = true;
    const lingerMs = Math.min(this.#sentCommands / LINGER_COMMANDS_PER_MS, LINGER_MS_MAX);
    const waitMs = Math.floor(lingerMs - (performance.now() - this.#sentTick));
    if (waitMs >= 1) setTimeout(this.#sendNow, waitMs);
    else setImmediate(this.#sendNow);
  }

  readonly #sendNow = () => this.#send();

  #send(): void {
    this.#scheduled = false;
    if (this.#writing.length > 0 || this.#queue.length === 0) return;
    const all = this.#queue;
    this.#queue = all.length > BATCH_COMMANDS_MAX ? all.splice(BATCH_COMMANDS_MAX) : [];
    this.#writing = all;
    this.#sentTick = performance.now();
    this.#sentCommands = all.length;
    this.#post(encodeBatch(all));
  }

  #committed(): void {
    const written = this.#writing;
    this.#writing = [];
    if (this.#queue.length > 0 && !this.#scheduled) this.#schedule();
    for (const { waiter } of written) waiter?.durable();
    if (this.#queue.length === 0) this.#settleFlushers();
  }

  #failed(message: string): void {
    const failed = this.#writing;
    this.#writing = [];
    this.#log("error", "store.batch_failed", { message, commands: failed.length });
    this.#failAdmissions(failed, message);
    this.#queue = [...failed.filter(command => command.do !== "admit"), ...this.#queue];
    this.#scheduled = true;
    setTimeout(() => this.#send(), RETRY_MS);
  }

  #failAdmissions(commands: readonly Queued[], message: string): void {
    for (const { waiter } of commands) waiter?.fail(new Error(message));
  }

  #settleFlushers(): void {
    const waiting = this.#flushers;
    this.#flushers = [];
    for (const done of waiting) done();
  }
}
