import type { Log } from "../../domain/log.ts";
import { type Admission, type AdmissionRequest, type PendingAdmission, StoreFailure } from "../store.ts";
import { COMMITTED, type Command, decodeDecisions, encodeBatch, FAILED } from "./wire.ts";

/** Settlements that could not be written are tried again after this long. */
const RETRY_MS = 500;
/** A batch waits for the next this long for each so many commands of the last one. */
const LINGER_COMMANDS_PER_MS = 8;
const LINGER_MS_MAX = 4;
const BATCH_COMMANDS_MAX = 1_000;

/** One admission on its way; it tells whoever waits. */
class Waiter implements PendingAdmission {
  readonly decided: Promise<Admission>;
  #decide: (admission: Admission) => void = () => {};
  #refuse: (error: Error) => void = () => {};
  #state: "pending" | "durable" | Error = "pending";
  #durable: PromiseWithResolvers<void> | null = null;

  constructor() {
    this.decided = new Promise((resolve, reject) => {
      this.#decide = resolve;
      this.#refuse = reject;
    });
  }

  durable(): Promise<void> | null {
    if (this.#state === "durable") return null;
    if (this.#state !== "pending") return Promise.reject(this.#state);
    // Most holds are on the disk before the upstream has answered, so the promise is made only where it is waited for.
    this.#durable ??= Promise.withResolvers<void>();
    return this.#durable.promise;
  }

  decide(admission: Admission): void {
    this.#decide(admission);
  }

  commit(): void {
    this.#state = "durable";
    this.#durable?.resolve();
  }

  fail(error: Error): void {
    this.#state = error;
    this.#refuse(error);
    this.#durable?.reject(error);
  }
}

type Queued = Command & { waiter?: Waiter };

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
    const waiter = new Waiter();
    if (this.#broken === null) this.push({ do: "admit", request, waiter });
    else waiter.fail(new StoreFailure(this.#broken));
    return waiter;
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
    for (const { waiter } of written) waiter?.commit();
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
    for (const { waiter } of commands) waiter?.fail(new StoreFailure(message));
  }

  #settleFlushers(): void {
    const waiting = this.#flushers;
    this.#flushers = [];
    for (const done of waiting) done();
  }
}
