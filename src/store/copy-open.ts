import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { sqliteFile } from "./open.ts";
import { openPool } from "./postgres/connect.ts";
import { inTransaction, migrate as migratePostgres } from "./postgres/database.ts";
import { migrate, openDatabase, transactionOf } from "./sqlite/database.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** A database as copies see it: one transaction that reads a single moment, or one that writes all or nothing. */
export type CopySource = {
  read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};
export type CopyTarget = {
  /** What `work` did is kept when it returns, and none of it when it throws. */
  write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

/** Where a database is: a PostgreSQL URL, or a SQLite file as an absolute path. */
export type Place = { kind: "postgres"; url: string } | { kind: "sqlite"; file: string };

/** Reads `postgres://…`, `sqlite:PATH` or a path: of a file that ends in `.db`, or else of a data directory. */
export function readPlace(text: string, cwd: string): Place {
  if (/^postgres(ql)?:\/\//.test(text)) return { kind: "postgres", url: text };
  const path = text.replace(/^sqlite:(\/\/(?=\/))?/, "");
  if (path === "" || /^[a-z][a-z0-9+.-]*:/i.test(path)) {
    throw new StoreProblem("A database is given as postgres://USER:PASSWORD@HOST/NAME or as sqlite:PATH.");
  }
  const whole = resolve(cwd, path);
  const isFile = existsSync(whole) ? statSync(whole).isFile() : path.endsWith(".db");
  return { kind: "sqlite", file: isFile ? whole : sqliteFile({ dataDir: whole }) };
}

/** For sentences: without the password, and without what else a URL may carry. */
export function placeName(place: Place): string {
  if (place.kind === "sqlite") return `SQLite database ${place.file}`;
  const url = URL.canParse(place.url) ? new URL(place.url) : null;
  return `PostgreSQL database ${url === null ? "" : `${url.pathname.slice(1)} on ${url.host}`}`.trim();
}

/** The setting that makes the server use a place. A URL with its password is not repeated. */
export function settingFor(place: Place): string {
  if (place.kind === "postgres") return "DATABASE_URL to the URL that you gave";
  return `WICKETGATE_DATA_DIR=${dirname(place.file)}`;
}

export async function openCopySource(place: Place): Promise<CopySource> {
  if (place.kind === "postgres") return openPostgresSource(place);
  if (!existsSync(place.file)) throw new StoreProblem(`There is no database ${place.file}.`);
  const db = openSqlite(place, true);
  return {
    // In write-ahead mode a reader sees the moment of its first statement, and keeps no writer waiting.
    read: async work => {
      db.run("begin");
      try {
        return await work(transactionOf(db));
      } finally {
        db.run("rollback");
      }
    },
    close: async () => db.close(),
  };
}

/** Makes the database where there is none, with the newest schema. */
export async function openCopyTarget(place: Place): Promise<CopyTarget> {
  if (place.kind === "postgres") return openPostgresTarget(place);
  const db = openSqlite(place, false);
  return {
    write: async work => {
      db.run("begin immediate");
      try {
        const value = await work(transactionOf(db));
        db.run("commit");
        return value;
      } catch (error) {
        if (db.inTransaction) db.run("rollback");
        throw error;
      }
    },
    close: async () => db.close(),
  };
}

type Sqlite = Extract<Place, { kind: "sqlite" }>;
type Postgres = Extract<Place, { kind: "postgres" }>;

function openSqlite(place: Sqlite, readOnly: boolean): ReturnType<typeof openDatabase> {
  try {
    if (!readOnly) mkdirSync(dirname(place.file), { recursive: true, mode: 0o700 });
    const db = openDatabase(place.file, readOnly);
    if (!readOnly) migrate(db);
    return db;
  } catch (error) {
    throw cannotOpen(place, error);
  }
}

/** A count of all usage, or a check of all the books, is one statement. */
const STATEMENT_MS_MAX = 3_600_000;

const limits = { statementMsMax: STATEMENT_MS_MAX, attemptsMax: 1 };

async function openPostgresSource(place: Postgres): Promise<CopySource> {
  const pool = openPool({ url: place.url, connectionsMax: 1 });
  const source: CopySource = {
    read: work => inTransaction(pool, { mode: "read", ...limits, work }),
    close: () => pool.close(),
  };
  await openedOr(place, source, () => source.read(tx => tx.all("select 1 as one")));
  return source;
}

async function openPostgresTarget(place: Postgres): Promise<CopyTarget> {
  const pool = openPool({ url: place.url, connectionsMax: 1 });
  const target: CopyTarget = {
    write: work => inTransaction(pool, { mode: "write", ...limits, work }),
    close: () => pool.close(),
  };
  await openedOr(place, target, () => migratePostgres(pool));
  return target;
}

/** A pool connects at its first use, so a wrong address or password shows only then. */
async function openedOr(
  place: Place,
  { close }: Pick<CopySource, "close">,
  use: () => Promise<unknown>,
): Promise<void> {
  try {
    await use();
  } catch (error) {
    await close();
    throw cannotOpen(place, error);
  }
}

function cannotOpen(place: Place, error: unknown): unknown {
  if (error instanceof StoreProblem) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new StoreProblem(`The ${placeName(place)} cannot be opened: ${why.replace(/\.$/, "")}.`, {
    cause: error,
  });
}
