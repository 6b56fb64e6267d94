import type { Id } from "../../domain/ids.ts";
import type { Log } from "../../domain/log.ts";
import type { Jobs } from "../jobs.ts";
import type { Reports } from "../reports.ts";
import type { JobArgs, JobResult, PendingAdmission, ReportArgs, ReportResult, Store } from "../store.ts";
import { BatchQueue } from "./batch-queue.ts";
import { type Connection, openConnection } from "./connection.ts";

export type SqliteOptions = { file: string; bootId: Id<"boot">; log: Log };

/** The store on one SQLite file: a thread that writes and, from the first report on, one that only reads. */
export async function openSqliteStore({ file, bootId, log }: SqliteOptions): Promise<Store> {
  const onBroken = (message: string) => {
    log("error", "store.thread_ended", { message });
    batches.breakDown(message);
  };
  const batches = new BatchQueue(log);
  const onBatchAnswer = (text: string) => batches.answered(text);
  const writer = await openConnection({ file, bootId, readOnly: false, onBatchAnswer, onBroken });
  batches.open(writer.post);
  let reader: Promise<Connection> | null = null;
  const openReader = () => {
    reader ??= openConnection({ file, bootId, readOnly: true, onBatchAnswer: () => {}, onBroken });
    return reader;
  };

  return {
    admit: (request): PendingAdmission => batches.admit(request),
    settle: settlement => batches.push({ do: "settle", settlement }),
    checkpoint: checkpoint => batches.push({ do: "checkpoint", checkpoint }),
    run: async <N extends keyof Jobs>(name: N, args: JobArgs<N>) =>
      (await writer.call({ kind: "call", name, args })) as JobResult<N>,
    report: async <N extends keyof Reports>(name: N, args: ReportArgs<N>) =>
      (await (await openReader()).call({ kind: "call", name, args })) as ReportResult<N>,
    recover: async bootIds => Number(await writer.call({ kind: "recover", bootIds })),
    flushed: () => batches.flushed(),
    close: async () => {
      await batches.flushed();
      if (reader !== null) await (await reader).close();
      await writer.close();
    },
  };
}
