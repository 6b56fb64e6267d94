import { closeSync, fdatasync, openSync } from "node:fs";
import type { Clock } from "../../domain/clock.ts";
import type { Id } from "../../domain/ids.ts";
import type { Log } from "../../domain/log.ts";
import { BatchQueue, type BatchQueueOptions } from "../batch-queue.ts";
import { decodeAnswers, encodeCommands } from "../command.ts";
import type { Jobs } from "../jobs.ts";
import type { Journal } from "../journal.ts";
import type { Reports } from "../reports.ts";
import type { JobArgs, JobResult, PendingAdmission, ReportArgs, ReportResult, Store } from "../store.ts";
import { type Connection, openConnection } from "./connection.ts";
import { walOf } from "./database.ts";
import { FAILED } from "./wire.ts";

export type SqliteOptions = {
  file: string;
  bootId: Id<"boot">;
  log: Log;
  journal?: Journal;
  /** For a command that does one thing and ends, its clock: there are no threads then. */
  here?: Clock | null;
} & Pick<BatchQueueOptions, "onBatch">;

/** The store on one SQLite file: a thread that writes and, from the first report on, one that only reads. */
export async function openSqliteStore({ log, journal, onBatch, ...options }: SqliteOptions): Promise<Store> {
  const { file, bootId, here = null } = options;
  const onBroken = (message: string) => {
    log("error", "store.thread_ended", { message });
    batches.breakDown(message);
  };
  const batches = new BatchQueue({ log, journal: journal ?? null, onBatch });
  const onBatchAnswer = (text: string) => {
    if (text.startsWith(FAILED)) return batches.failed(text.slice(FAILED.length));
    batches.written(decodeAnswers(text));
    sync();
  };
  const writer = await openConnection({ file, bootId, here, readOnly: false, onBatchAnswer, onBroken });
  const wal = openSync(walOf(file), "r");
  const sync = syncer({ wal, batches, onBroken });
  batches.open(commands => writer.post(encodeCommands(commands)));
  let reader: Promise<Connection> | null = null;
  const openReader = () => {
    reader ??= openConnection({ file, bootId, here, readOnly: true, onBatchAnswer: () => {}, onBroken });
    return reader;
  };

  return {
    admit: (request): PendingAdmission => batches.admit(request),
    settle: settlement => batches.push({ do: "settle", settlement }),
    checkpoint: checkpoint => batches.push({ do: "checkpoint", checkpoint }),
    extend: request => batches.extend(request),
    run: async <N extends keyof Jobs>(name: N, args: JobArgs<N>) =>
      (await writer.call({ kind: "call", name, args })) as JobResult<N>,
    report: async <N extends keyof Reports>(name: N, args: ReportArgs<N>) =>
      (await (await openReader()).call({ kind: "call", name, args })) as ReportResult<N>,
    recover: async bootIds => Number(await writer.call({ kind: "recover", bootIds })),
    flushed: () => batches.flushed(),
    close: async () => {
      await batches.close();
      if (reader !== null) await (await reader).close();
      await writer.close();
      closeSync(wal);
    },
  };
}

type Syncing = { wal: number; batches: BatchQueue; onBroken: (message: string) => void };

/** Syncs the log on a thread of the runtime's pool, one sync for all batches that were written before it. */
function syncer({ wal, batches, onBroken }: Syncing): () => void {
  let isSyncing = false;
  return function sync(): void {
    const count = batches.unsynced;
    if (isSyncing || count === 0) return;
    isSyncing = true;
    fdatasync(wal, error => {
      isSyncing = false;
      // A disk that did not take it once cannot be asked again: what it has is not known any more.
      if (error !== null) return onBroken(`the disk failed: ${error.message}`);
      batches.synced(count);
      sync();
    });
  };
}
