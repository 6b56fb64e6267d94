import type { Id } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import { NO_USAGE } from "../domain/usage.ts";
import type { Answer, Command } from "./command.ts";
import { isKept, type Journal, type Kept } from "./journal.ts";
import { PendingAdmit, PendingExtension, type Waiter } from "./pending.ts";
import {
  type AdmissionRequest,
  type Extension,
  type ExtensionRequest,
  type PendingAdmission,
  StoreFailure,
} from "./store.ts";

/** Settlements that could not be written are tried again after this long, and whether the database is back. */
const RETRY_MS = 500;
/** A batch that takes longer may not come back at all, so what waits for it goes into the journal. */
const SLOW_MS = 500;
/** A batch waits for the next this long for each so many commands of the last one. */
const LINGER_COMMANDS_PER_MS = 8;
const LINGER_MS_MAX = 4;
/** What nobody waits for may wait this long for the next request, and be written with it. */
const UNASKED_MS_MAX = 4;
const BATCH_COMMANDS_MAX = 1_000;
const CLOSE_MS_MAX = 1_000;

type Queued = Command & { waiter?: Waiter; order?: number };

/**
 * Writes one batch at a time, and calls the queue back: `written` when it is committed and will outlive this process,
 * with the answers; then `synced` when it will outlive the machine's power, too. Or `failed`.
 */
export type Backend = (commands: readonly Command[]) => void;

/** How many commands a batch had, and what it took until it was committed. */
export type WrittenBatch = { commands: number; ms: number };

export type BatchQueueOptions = {
  log: Log;
  journal: Journal | null;
  onBatch?: ((batch: WrittenBatch) => void) | undefined;
};

/**
 * Commands that arrive while one batch is being written form the next one. Where one fails, nobody is let in until
 * another one, empty if need be, has been written; settlements wait for that in memory and in the journal.
 */
export class BatchQueue {
  readonly #options: BatchQueueOptions;
  #write: Backend = () => {};
  #queue: Queued[] = [];
  #writing: Queued[] = [];
  #isWriting = false;
  /** How many in the queue somebody waits for. */
  #asked = 0;
  #unaskedTimer: ReturnType<typeof setTimeout> | null = null;
  /** Committed, and on its way to the disk. */
  #unsynced: Queued[][] = [];
  #scheduled = false;
  #sentTick = 0;
  #sentCommands = 0;
  #pushed = 0;
  /** Why the last batch failed. */
  #away: string | null = null;
  #isSlow = false;
  #slowTimer: ReturnType<typeof setTimeout> | null = null;
  #broken: string | null = null;
  #flushers: { order: number; done: () => void }[] = [];

  constructor(options: BatchQueueOptions) {
    this.#options = options;
  }

  open(write: Backend): void {
    this.#write = write;
  }

  admit(request: AdmissionRequest): PendingAdmission {
    const waiter = new PendingAdmit();
    this.#ask({ do: "admit", request, waiter, order: 0 }, waiter);
    return waiter;
  }

  extend(extension: ExtensionRequest): Promise<Extension> {
    const waiter = new PendingExtension();
    this.#ask({ do: "extend", extension, waiter, order: 0 }, waiter);
    return waiter.extended;
  }

  push(command: Queued): void {
    const isAway = this.#away !== null || this.#broken !== null;
    // While it is not known whether the database takes anything, a settlement is safe only in the journal.
    if ((isAway || this.#isSlow) && isKept(command)) this.#options.journal?.keep([command]);
    // Streams tell how far they are again and again: the next one after the database is back is enough.
    if (isAway && command.do === "checkpoint") return;
    this.#pushed += 1;
    command.order = this.#pushed;
    this.#queue.push(command);
    if (command.waiter !== undefined) this.#asked += 1;
    this.#wake();
  }

  /** Nobody is sent on before this: whatever an upstream is asked for has its row, however the process ends. */
  written(answers: readonly Answer[]): void {
    const written = this.#writing;
    this.#writing = [];
    this.#isWriting = false;
    this.#isSlow = false;
    if (this.#away !== null) this.#options.log("info", "store.back");
    this.#away = null;
    this.#options.onBatch?.({ commands: written.length, ms: performance.now() - this.#sentTick });
    this.#unsynced.push(written);
    this.#wake();
    let at = 0;
    for (const { waiter } of written) {
      if (waiter === undefined) continue;
      const answer = answers[at++];
      if (answer !== undefined) waiter.decide(answer);
    }
  }

  /** How many batches are committed and not yet known to be on the disk. */
  get unsynced(): number {
    return this.#unsynced.length;
  }

  /** The oldest so many of them are. */
  synced(count: number): void {
    const { journal } = this.#options;
    for (const written of this.#unsynced.splice(0, count)) {
      if (journal?.isInUse() === true) journal.settled(settlementsOf(written));
      for (const { waiter } of written) waiter?.commit();
    }
    this.#settleFlushers();
  }

  failed(message: string): void {
    const all = [...this.#writing, ...this.#queue];
    const isFirst = this.#away === null;
    if (isFirst) this.#options.log("error", "store.away", { message, commands: this.#writing.length });
    this.#away = message;
    this.#isWriting = false;
    this.#isSlow = false;
    this.#options.journal?.keep(keptOf(all));
    // Whoever waits behind it would only wait for the next failure. A commit whose answer was lost may have happened,
    // so what was to be admitted is voided, which does nothing where it did not.
    const voids = this.#writing.flatMap(command => (command.do === "admit" ? [voidOf(command.request)] : []));
    this.#queue = [...voids, ...all.filter(command => command.do === "settle")];
    this.#asked = 0;
    this.#writing = [];
    this.#failWaiters(all, message);
    this.#settleFlushers();
    this.#scheduled = true;
    // A batch can also fail for a reason of its own, and then nobody has to wait.
    setTimeout(this.#sendNow, isFirst ? 0 : RETRY_MS);
  }

  /** The thread is gone: nobody is let in any more. Open holds are resolved at the next start. */
  breakDown(message: string): void {
    this.#broken = message;
    const lost = [...this.#unsynced.flat(), ...this.#writing, ...this.#queue];
    this.#options.journal?.keep(keptOf(lost));
    this.#queue = [];
    this.#writing = [];
    this.#unsynced = [];
    this.#isWriting = false;
    this.#failWaiters(lost, message);
    this.#settleFlushers();
  }

  flushed(): Promise<void> {
    return new Promise(done => {
      this.#flushers.push({ order: this.#pushed, done });
      this.#settleFlushers();
      this.#wake();
    });
  }

  /** Waits for what can be written; what cannot is in the journal by then. */
  async close(): Promise<void> {
    if (this.#away === null) {
      const tooLong = Promise.withResolvers<void>();
      const timer = setTimeout(tooLong.resolve, CLOSE_MS_MAX);
      await Promise.race([this.flushed(), tooLong.promise]);
      clearTimeout(timer);
    }
    if (this.#broken === null) this.breakDown("the store is closed");
    await this.#options.journal?.close();
  }

  #ask(command: Queued, waiter: Waiter): void {
    const closed = this.#broken ?? this.#away;
    if (closed === null) this.push(command);
    else waiter.fail(new StoreFailure(closed));
  }

  #wake(): void {
    if (this.#scheduled || this.#isWriting || this.#queue.length === 0) return;
    if (this.#asked > 0 || this.#flushers.length > 0) this.#schedule();
    else this.#unaskedTimer ??= setTimeout(this.#sendNow, UNASKED_MS_MAX);
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
    if (this.#unaskedTimer !== null) clearTimeout(this.#unaskedTimer);
    this.#unaskedTimer = null;
    if (this.#isWriting || this.#broken !== null) return;
    if (this.#queue.length === 0 && this.#away === null) return;
    const all = this.#queue;
    this.#queue = all.length > BATCH_COMMANDS_MAX ? all.splice(BATCH_COMMANDS_MAX) : [];
    this.#asked =
      this.#queue.length === 0 ? 0 : this.#queue.filter(({ waiter }) => waiter !== undefined).length;
    this.#writing = all;
    this.#isWriting = true;
    this.#sentTick = performance.now();
    this.#sentCommands = all.length;
    this.#slowTimer ??= setTimeout(this.#lookIfSlow, SLOW_MS);
    this.#write(all);
  }

  /** One timer for many batches: it looks how old the one under way is. */
  readonly #lookIfSlow = () => {
    this.#slowTimer = null;
    if (!this.#isWriting || this.#isSlow) return;
    const leftMs = SLOW_MS - (performance.now() - this.#sentTick);
    if (leftMs > 0) {
      this.#slowTimer = setTimeout(this.#lookIfSlow, leftMs);
      return;
    }
    this.#isSlow = true;
    this.#options.journal?.keep(keptOf([...this.#writing, ...this.#queue]));
  };

  #failWaiters(commands: readonly Queued[], message: string): void {
    for (const { waiter } of commands) waiter?.fail(new StoreFailure(message));
  }

  /** Commands are written in the order of their arrival, so the oldest that is left tells what is done. */
  #settleFlushers(): void {
    if (this.#flushers.length === 0) return;
    const unsynced = this.#unsynced.find(batch => batch.length > 0);
    const first = unsynced?.[0] ?? this.#writing[0] ?? this.#queue[0];
    const oldest = first?.order ?? Number.POSITIVE_INFINITY;
    const waiting = this.#flushers;
    this.#flushers = waiting.filter(({ order }) => order >= oldest);
    for (const { order, done } of waiting) if (order < oldest) done();
  }
}

function voidOf({ id }: AdmissionRequest): Queued {
  const end = { state: "voided", status: 503, reason: "store_unavailable", upstream: null } as const;
  const nothing = { usage: NO_USAGE, cost: 0n, bound: 0n, source: null, firstByteMs: null, durationMs: 0 };
  return { do: "settle", settlement: { id, ...end, ...nothing }, order: 0 };
}

function settlementsOf(commands: readonly Command[]): Id<"req">[] {
  return commands.flatMap(command => (command.do === "settle" ? [command.settlement.id] : []));
}

/** Of several checkpoints of a stream the last counts. */
function keptOf(commands: readonly Queued[]): Kept[] {
  const kept = new Map<string, Kept>();
  for (const command of commands) {
    if (command.do === "settle") kept.set(command.settlement.id, command);
    else if (command.do === "checkpoint" && kept.get(command.checkpoint.id)?.do !== "settle")
      kept.set(command.checkpoint.id, command);
  }
  return [...kept.values()];
}
