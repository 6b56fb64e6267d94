import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { type Migration, migrations } from "../schema.ts";
import { StoreProblem } from "../store.ts";
import type { SqlRow, SqlValue, Tx } from "../tx.ts";

export const BUSY_MS_MAX = 10_000;
const WAL_PAGES_MAX = 2_000;
const OWNER_ONLY = 0o600;

/** The write-ahead log, which is there as long as the database is open. */
export function walOf(file: string): string {
  return `${file}-wal`;
}

export function openDatabase(file: string, readOnly: boolean): Database {
  // SQLite would make it readable by all; its journals take the mode of the file itself.
  if (!readOnly) closeSync(openSync(file, "a", OWNER_ONLY));
  const db = new Database(file, {
    create: !readOnly,
    readwrite: !readOnly,
    readonly: readOnly,
    safeIntegers: true,
  });
  db.run(`pragma busy_timeout = ${BUSY_MS_MAX}`);
  if (readOnly) return db;
  db.run("pragma journal_mode = wal");
  // A commit is in the write-ahead log, and the log is synced by us: so a decision need not wait for the disk.
  db.run("pragma synchronous = normal");
  db.run(`pragma wal_autocheckpoint = ${WAL_PAGES_MAX}`);
  db.run("pragma foreign_keys = on");
  return db;
}

/** Runs what has not run yet, each migration in its own transaction; two processes starting at once are safe. */
export function migrate(db: Database): void {
  db.run("create table if not exists migrations (version integer primary key, name text not null) strict");
  for (const migration of migrations) applyMigration(db, migration);
  const newest = migrations.at(-1)?.version ?? 0;
  const row = db.query<{ version: bigint }, []>("select max(version) as version from migrations").get();
  if (Number(row?.version ?? 0) > newest) {
    throw new StoreProblem(
      `This database was written by a newer Wicketgate (schema ${row?.version}); update first.`,
    );
  }
}

function applyMigration(db: Database, migration: Migration): void {
  db.run("begin immediate");
  try {
    const done = db.query("select version from migrations where version = ?").get(migration.version);
    if (done === null) {
      for (const statement of migration.statements) db.run(native(statement));
      db.query("insert into migrations (version, name) values (?, ?)").run(migration.version, migration.name);
    }
    db.run("commit");
  } catch (error) {
    db.run("rollback");
    throw error;
  }
}

/** What SQLite calls the types; time-sorted ids are the tables' own order, so no second tree is kept beside them. */
function native(statement: string): string {
  const typed = statement.replaceAll("$int", "integer").replaceAll("$bytes", "blob");
  return statement.startsWith("create table") ? `${typed} strict, without rowid` : typed;
}

/**
 * The statements of a job. They run at once, and the promises are already resolved, so a transaction never spans a
 * turn of the thread's event loop and nothing can come between.
 */
export function transactionOf(db: Database): Tx {
  return {
    all: async (sql, ...params) => db.query<SqlRow, SqlValue[]>(sql).all(...params),
    run: async (sql, ...params) => void db.query<SqlRow, SqlValue[]>(sql).run(...params),
    forUpdate: "",
  };
}
