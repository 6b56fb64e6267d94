import type { Clock } from "../../domain/clock.ts";
import type { Id } from "../../domain/ids.ts";
import type { Log } from "../../domain/log.ts";
import { BatchQueue, type BatchQueueOptions } from "../batch-queue.ts";
import { type Jobs, jobs, readingJobs } from "../jobs.ts";
import type { Journal } from "../journal.ts";
import { type Reports, reports } from "../reports.ts";
import type { JobArgs, JobResult, ReportArgs, ReportResult, Store } from "../store.ts";
import type { Tx } from "../tx.ts";
import { Batcher } from "./batch.ts";
import { openPool } from "./connect.ts";
import { inTransaction, migrate } from "./database.ts";

export type PostgresOptions = Clock &
  Pick<BatchQueueOptions, "onBatch"> & { url: string; bootId: Id<"boot">; log: Log; journal?: Journal };

const JOB_CONNECTIONS_MAX = 4;
const REPORT_CONNECTIONS_MAX = 2;
/** Whoever waits to be admitted hears soon that the database is away. */
const BATCH_MS_MAX = 3_000;
const JOB_MS_MAX = 4_000;
const REPORT_MS_MAX = 60_000;

type Work = (tx: Tx, args: never) => Promise<unknown>;

/** The store on PostgreSQL: one connection for batches, some for jobs, some for reports, which may take their time. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, bootId, log, journal, nowMs, onBatch } = options;
  const jobPool = openPool({ url, connectionsMax: JOB_CONNECTIONS_MAX, statementMsMax: JOB_MS_MAX });
  await migrate(jobPool);
  const batchPool = openPool({ url, connectionsMax: 1, statementMsMax: BATCH_MS_MAX });
  const reportPool = openPool({
    url,
    connectionsMax: REPORT_CONNECTIONS_MAX,
    statementMsMax: REPORT_MS_MAX,
  });
  const batcher = new Batcher(batchPool, { bootId, nowMs });
  const recoverer = new Batcher(jobPool, { bootId, nowMs });
  const batches = new BatchQueue({ log, journal: journal ?? null, onBatch });
  batches.open(commands => {
    batcher
      .run(commands, answers => {
        batches.written(answers);
        batches.synced(1);
      })
      .catch((error: unknown) => batches.failed(error instanceof Error ? error.message : String(error)));
  });

  return {
    admit: request => batches.admit(request),
    settle: settlement => batches.push({ do: "settle", settlement }),
    checkpoint: checkpoint => batches.push({ do: "checkpoint", checkpoint }),
    extend: request => batches.extend(request),
    run: async <N extends keyof Jobs>(name: N, args: JobArgs<N>) => {
      const work = jobs[name] as Work;
      const mode = readingJobs.has(name) ? "read" : "write";
      const done = inTransaction(jobPool, { mode, work: tx => work(tx, args as never) });
      return (await done) as JobResult<N>;
    },
    report: async <N extends keyof Reports>(name: N, args: ReportArgs<N>) => {
      const work = reports[name] as Work;
      const done = inTransaction(reportPool, { mode: "read", work: tx => work(tx, args as never) });
      return (await done) as ReportResult<N>;
    },
    recover: async bootIds => {
      let count = 0;
      for (const gone of bootIds) count += await recoverer.recover(gone);
      return count;
    },
    flushed: () => batches.flushed(),
    close: async () => {
      await batches.close();
      await Promise.all([batchPool.close(), jobPool.close(), reportPool.close()]);
    },
  };
}
