import type { Log } from "../domain/log.ts";
import type { Answer, Command } from "./command.ts";
import type { Journal } from "./journal.ts";
import {
  type Admission,
  type AdmissionRequest,
  type Extension,
  type ExtensionRequest,
  type PendingAdmission,
  StoreFailure,
} from "./store.ts";

/** Settlements that could not be written are tried again after this long. */
const RETRY_MS = 500;
/** A batch waits for the next this long for each so many commands of the last one. */
const LINGER_COMMANDS_PER_MS = 8;
const LINGER_MS_MAX = 4;
const BATCH_COMMANDS_MAX = 1_000;
const CLOSE_MS_MAX = 3_000;

/** Whoever waits for a command's answer, and for it to be on the disk. */
type Waiter = { decide: (answer: Answer) => void; commit: () => void; fail: (error: Error) => void };

/** One admission on its way; it tells whoever waits. */
class PendingAdmit implements PendingAdmission, Waiter {
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

  decide(answer: Answer): void {
    if ("admitted" in answer) this.#decide(answer);
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

/** A longer hold is told of when it is on the disk. */
class PendingExtension implements Waiter {
  readonly #told = Promise.withResolvers<Extension>();
  readonly extended = this.#told.promise;
  #answer: Extension | null = null;

  decide(answer: Answer): void {
    if (!("admitted" in answer)) this.#answer = answer;
  }

  commit(): void {
    if (this.#answer !== null) this.#told.resolve(this.#answer);
  }

  fail(error: Error): void {
    this.#told.reject(error);
  }
}

type Queued = Command & { waiter?: Waiter };

/** Writes one batch at a time, and calls the queue back: decided, then committed; or failed. */
export type Backend = (commands: readonly Command[]) => void;

export type BatchQueueOptions = { log: Log; journal: Journal | null };

/** Commands that arrive while one batch is being written form the next one. */
export class BatchQueue {
  readonly #options: BatchQueueOptions;
  #write: Backend = () => {};
  #queue: Queued[] = [];
  #writing: Queued[] = [];
  #scheduled = false;
  #sentTick = 0;
  #sentCommands = 0;
  #away = false;
  #broken: string | null = null;
  #flushers: (() => void)[] = [];

  constructor(options: BatchQueueOptions) {
    this.#options = options;
  }

  open(write: Backend): void {
    this.#write = write;
  }

  admit(request: AdmissionRequest): PendingAdmission {
    const waiter = new PendingAdmit();
    if (this.#broken === null) this.push({ do: "admit", request, waiter });
    else waiter.fail(new StoreFailure(this.#broken));
    return waiter;
  }

  extend(extension: ExtensionRequest): Promise<Extension> {
    const waiter = new PendingExtension();
    if (this.#broken === null) this.push({ do: "extend", extension, waiter });
    else waiter.fail(new StoreFailure(this.#broken));
    return waiter.extended;
  }

  push(command: Queued): void {
    // While the database is away a settlement is safe only in the journal.
    if (this.#away && command.do === "settle") this.#options.journal?.keep([command.settlement]);
    this.#queue.push(command);
    if (this.#scheduled || this.#writing.length > 0) return;
    this.#schedule();
  }

  decided(answers: readonly Answer[]): void {
    let at = 0;
    for (const { waiter } of this.#writing) {
      if (waiter === undefined) continue;
      const answer = answers[at++];
      if (answer !== undefined) waiter.decide(answer);
    }
  }

  committed(): void {
    const written = this.#writing;
    this.#writing = [];
    if (this.#away) this.#return(written);
    if (this.#queue.length > 0 && !this.#scheduled) this.#schedule();
    for (const { waiter } of written) waiter?.commit();
    if (this.#queue.length === 0) this.#settleFlushers();
  }

  failed(message: string): void {
    const failed = this.#writing;
    this.#writing = [];
    const { log, journal } = this.#options;
    if (!this.#away) log("error", "store.away", { message, commands: failed.length });
    const settlements = failed.flatMap(command => (command.do === "settle" ? [command.settlement] : []));
    const waiting = this.#queue.flatMap(command => (command.do === "settle" ? [command.settlement] : []));
    // Those that came while it was known to be away are in the journal already.
    journal?.keep(this.#away ? settlements : [...settlements, ...waiting]);
    this.#away = true;
    this.#failWaiters(failed, message);
    this.#queue = [...failed.filter(({ waiter }) => waiter === undefined), ...this.#queue];
    this.#scheduled = true;
    setTimeout(this.#sendNow, RETRY_MS);
  }

  /** The thread is gone: nobody is let in any more. Open holds are resolved at the next start. */
  breakDown(message: string): void {
    this.#broken = message;
    const lost = [...this.#writing, ...this.#queue];
    this.#options.journal?.keep(
      lost.flatMap(command => (command.do === "settle" ? [command.settlement] : [])),
    );
    this.#failWaiters(lost, message);
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

  /** Waits for what can be written; what cannot is in the journal by then. */
  async close(): Promise<void> {
    const tooLong = Promise.withResolvers<void>();
    const timer = setTimeout(tooLong.resolve, CLOSE_MS_MAX);
    await Promise.race([this.flushed(), tooLong.promise]);
    clearTimeout(timer);
    this.#broken = "the store is closed";
    await this.#options.journal?.synced();
  }

  #return(written: readonly Queued[]): void {
    const { log, journal } = this.#options;
    journal?.settled(written.flatMap(command => (command.do === "settle" ? [command.settlement.id] : [])));
    if (this.#queue.some(command => command.do === "settle")) return;
    this.#away = false;
    log("info", "store.back");
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
    if (this.#writing.length > 0 || this.#queue.length === 0 || this.#broken !== null) return;
    const all = this.#queue;
    this.#queue = all.length > BATCH_COMMANDS_MAX ? all.splice(BATCH_COMMANDS_MAX) : [];
    this.#writing = all;
    this.#sentTick = performance.now();
    this.#sentCommands = all.length;
    this.#write(all);
  }

  #failWaiters(commands: readonly Queued[], message: string): void {
    for (const { waiter } of commands) waiter?.fail(new StoreFailure(message));
  }

  #settleFlushers(): void {
    const waiting = this.#flushers;
    this.#flushers = [];
    for (const done of waiting) done();
  }
}
