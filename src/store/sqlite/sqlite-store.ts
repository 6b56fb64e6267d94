import type { Id } from "../../domain/ids.ts";
import type { Log } from "../../domain/log.ts";
import type { Admission, AdmissionRequest, PendingAdmission, Store } from "../store.ts";
import { type Connection, openConnection } from "./connection.ts";
import { COMMITTED, type Command, decodeDecisions, encodeBatch, FAILED } from "./wire.ts";

/** Settlements that could not be written are tried again after this long. */
const RETRY_MS = 500;
const BATCH_COMMANDS_MAX = 1_000;

type Waiter = {
  decide: (admission: Admission) => void;
  durable: () => void;
  fail: (error: Error) => void;
};

export type SqliteOptions = { file: string; bootId: Id<"boot">; log: Log };

/** The store on one SQLite file. Commands that arrive while one batch is being written form the next one. */
export async function openSqliteStore({ file, bootId, log }: SqliteOptions): Promise<Store> {
  let queue: Command[] = [];
  let running: Command[] = [];
  let scheduled = false;
  let broken: string | null = null;
  const waiters = new Map<Id<"req">, Waiter>();
  let flushers: (() => void)[] = [];

  const writer = await openConnection({ file, bootId, readOnly: false, onBatchAnswer, onBroken });
  let reader: Promise<Connection> | null = null;
  const openReader = () => {
    reader ??= openConnection({ file, bootId, readOnly: true, onBatchAnswer: () => {}, onBroken });
    return reader;
  };

  function onBroken(message: string): void {
    broken = message;
    log("error", "store.thread_ended", { message });
    failAdmissions([...running, ...queue], message);
  }

  function onBatchAnswer(text: string): void {
    if (text === COMMITTED) finish(null);
    else if (text.startsWith(FAILED)) finish(text.slice(FAILED.length));
    else for (const { id, admission } of decodeDecisions(text)) waiters.get(id)?.decide(admission);
  }

  function finish(failure: string | null): void {
    const done = running;
    running = [];
    if (failure === null) {
      for (const command of done) if (command.do === "admit") resolveDurable(command.request.id);
      if (queue.length > 0) post();
      else settleFlushers();
      return;
    }
    log("error", "store.batch_failed", { message: failure, commands: done.length });
    failAdmissions(done, failure);
    queue = [...done.filter(command => command.do !== "admit"), ...queue];
    scheduled = true;
    setTimeout(post, RETRY_MS);
  }

  function resolveDurable(id: Id<"req">): void {
    waiters.get(id)?.durable();
    waiters.delete(id);
  }

  function failAdmissions(commands: readonly Command[], message: string): void {
    for (const command of commands) {
      if (command.do !== "admit") continue;
      waiters.get(command.request.id)?.fail(new Error(message));
      waiters.delete(command.request.id);
    }
  }

  function settleFlushers(): void {
    const waiting = flushers;
    flushers = [];
    for (const done of waiting) done();
  }

  function push(command: Command): void {
    queue.push(command);
    if (scheduled || running.length > 0) return;
    // After this turn of the event loop, so that what arrived together is written together.
    scheduled = true;
    setImmediate(post);
  }

  function post(): void {
    scheduled = false;
    if (running.length > 0 || queue.length === 0 || broken !== null) return;
    running = queue.length > BATCH_COMMANDS_MAX ? queue.splice(0, BATCH_COMMANDS_MAX) : queue;
    if (running === queue) queue = [];
    writer.post(encodeBatch(running));
  }

  function admit(request: AdmissionRequest): PendingAdmission {
    const decided = Promise.withResolvers<Admission>();
    const durable = Promise.withResolvers<void>();
    // Whoever waits for the decision hears of the failure; a hold nobody waits for any more fails quietly.
    durable.promise.catch(() => {});
    const fail = (error: Error) => {
      decided.reject(error);
      durable.reject(error);
    };
    if (broken !== null) fail(new Error(broken));
    else {
      waiters.set(request.id, { decide: decided.resolve, durable: durable.resolve, fail });
      push({ do: "admit", request });
    }
    return { decided: decided.promise, durable: durable.promise };
  }

  return {
    admit,
    settle: settlement => push({ do: "settle", settlement }),
    checkpoint: checkpoint => push({ do: "checkpoint", checkpoint }),
    run: (async (name: string, args: unknown) => writer.call({ kind: "call", name, args })) as Store["run"],
    report: (async (name: string, args: unknown) =>
      (await openReader()).call({ kind: "call", name, args })) as Store["report"],
    recover: async bootIds => Number(await writer.call({ kind: "recover", bootIds })),
    flushed: () =>
      new Promise(resolve => {
        if (running.length === 0 && queue.length === 0) resolve();
        else flushers.push(resolve);
      }),
    close: async () => {
      if (reader !== null) await (await reader).close();
      await writer.close();
    },
  };
}
