import { type Migration, migrations } from "../schema.ts";
import { StoreProblem } from "../store.ts";
import type { Tx } from "../tx.ts";
import type { Connection, Pool, Statement } from "./connect.ts";
import { PostgresFailure } from "./failure.ts";
import { nativeSchema, numbered } from "./translate.ts";

/** Any fixed number; it is the name of the lock in a database that is ours alone. */
const HOUSE_LOCK = 5_283_107_941n;
const ATTEMPTS_MAX = 4;
const MIGRATION_MS_MAX = 600_000;

/**
 * `write`: a control-plane change; those of all instances run one after another. `batch`: admissions, which lock the
 * rows that they touch and nothing else. `read`: all statements see the database at one moment.
 */
export type TransactionMode = "write" | "batch" | "read";

/** `batch`: its work only reads, and is sent along with the beginning; what it writes goes with the commit. */
export type Transaction<T> = {
  mode: TransactionMode;
  /** Runs again after a deadlock, so all that it changes is in the database. */
  work: (tx: Tx, connection: Connection) => Promise<T>;
  /** What the work has decided to write, sent together with the commit. */
  writes?: (value: T) => readonly Statement[];
  /** More than the pool's for a report. */
  statementMsMax?: number;
  attemptsMax?: number;
};

/** Commits, unless the work throws or answers with an object that says `rollback: true`. */
export async function inTransaction<T>(pool: Pool, transaction: Transaction<T>): Promise<T> {
  const { statementMsMax = pool.statementMsMax, attemptsMax = ATTEMPTS_MAX } = transaction;
  for (let attempt = 1; ; attempt += 1) {
    const connection = await pool.reserve({ statementMsMax });
    const progress = { begun: false };
    try {
      return await attemptOn(connection, transaction, progress);
    } catch (error) {
      await leave(connection, error);
      if (!mayTryAgain(error, progress.begun) || attempt >= attemptsMax) throw error;
    }
  }
}

async function attemptOn<T>(
  connection: Connection,
  { mode, work, writes }: Transaction<T>,
  progress: { begun: boolean },
): Promise<T> {
  const begun = connection.script(beginOf(mode, connection.statementMsMax)).then(() => {
    progress.begun = true;
  });
  if (mode !== "batch") await begun;
  const [value] = await Promise.all([work(transactionOf(connection), connection), begun]);
  const wanted = wantsRollback(value) ? "rollback" : "commit";
  // All of it is made before any of it is sent: a commit must not follow half of a batch.
  const statements = writes?.(value) ?? [];
  const sent = statements.map(({ sql, values }) => connection.query(sql, values));
  const [done] = await Promise.all([connection.script(wanted), ...sent]);
  // After a statement has failed, PostgreSQL answers a commit with a rollback, and calls it a success.
  if (done.toLowerCase() !== wanted) {
    throw new PostgresFailure("PostgreSQL: rolled back, because a statement before the commit had failed");
  }
  await connection.release();
  return value;
}

/** Another transaction was in the way, or the pool gave a connection that had died unnoticed before. */
function mayTryAgain(error: unknown, begun: boolean): boolean {
  if (!(error instanceof PostgresFailure)) return false;
  return error.undone || (error.lost && !error.late && !begun);
}

/** A lost connection cannot be rolled back, and a rollback that fails loses it. */
async function leave(connection: Connection, error: unknown): Promise<void> {
  try {
    if (error instanceof PostgresFailure && error.lost) return await connection.close();
    await connection.script("rollback");
    await connection.release();
  } catch {
    await connection.close();
  }
}

/**
 * How a transaction begins, in one round trip. The isolation is said, because a server can have another default: a
 * writer that has waited for the lock must see what the one before it has done.
 */
export function beginOf(mode: TransactionMode, statementMsMax: number): string {
  // A client that has vanished must not keep its locks until the network notices.
  const limit = `set local statement_timeout to ${Math.ceil(statementMsMax)};
    set local idle_in_transaction_session_timeout to ${Math.ceil(2 * statementMsMax)}`;
  if (mode === "read") return `begin isolation level repeatable read read only; ${limit}`;
  // A commit that has answered is on the disk, whatever the server's default: this is what makes a hold durable.
  const begin = `begin isolation level read committed; ${limit}; set local synchronous_commit to on`;
  // A batch looks its rows up by name, one after the other. A plan that was made when the tables were small would read
  // all of them.
  if (mode === "batch")
    return `${begin}; set local enable_seqscan to off; set local enable_hashjoin to off;
    set local enable_mergejoin to off; set local jit to off; set local plan_cache_mode to force_generic_plan`;
  return `${begin}; select pg_advisory_xact_lock(${HOUSE_LOCK})`;
}

function wantsRollback(value: unknown): boolean {
  return typeof value === "object" && value !== null && "rollback" in value && value.rollback === true;
}

/** The statements of a job, on a connection that is in a transaction. */
export function transactionOf(connection: Connection): Tx {
  return {
    forUpdate: " for update",
    all: (sql, ...params) => connection.query(numbered(sql), params),
    run: async (sql, ...params) => void (await connection.query(numbered(sql), params)),
  };
}

/** Runs what has not run yet, each migration in its own transaction; several processes starting at once are safe. */
export async function migrate(pool: Pool, wanted: readonly Migration[] = migrations): Promise<void> {
  const write = <T>(work: (tx: Tx) => Promise<T>) =>
    inTransaction(pool, { mode: "write", statementMsMax: MIGRATION_MS_MAX, work });
  await write(prepare);
  for (const migration of wanted) await write(tx => applyMigration(tx, migration));
  const found = await write(newestApplied);
  if (found > (wanted.at(-1)?.version ?? 0)) {
    throw new StoreProblem(
      `This database was written by a newer Wicketgate (schema ${found}); update first.`,
    );
  }
}

async function prepare(tx: Tx): Promise<void> {
  const [row] = await tx.all("select current_setting('server_encoding') as encoding");
  if (row?.["encoding"] !== "UTF8") {
    throw new StoreProblem(
      `This database keeps text as ${row?.["encoding"]}; create one with encoding UTF8 for Wicketgate.`,
    );
  }
  await tx.run("create table if not exists migrations (version bigint primary key, name text not null)");
}

async function newestApplied(tx: Tx): Promise<number> {
  const [row] = await tx.all("select max(version) as version from migrations");
  return Number(row?.["version"] ?? 0);
}

async function applyMigration(tx: Tx, migration: Migration): Promise<void> {
  const done = await tx.all("select version from migrations where version = ?", migration.version);
  if (done.length > 0) return;
  for (const statement of migration.statements) await tx.run(nativeSchema(statement));
  await tx.run("insert into migrations (version, name) values (?, ?)", migration.version, migration.name);
}
