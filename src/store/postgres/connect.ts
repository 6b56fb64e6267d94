import { type ReservedSQL, SQL } from "bun";
import type { SqlRow } from "../tx.ts";
import { failureOf, PostgresFailure } from "./failure.ts";
import { type PostgresValue, toParameter, toRows } from "./values.ts";

/** A server that is well ends a statement that is too long by itself; this is what it gets to say so. */
const GRACE_MS = 1_000;
const CLOSE_SECONDS_MAX = 1;

export type PoolOptions = {
  url: string;
  /** All of them are opened at the first use, and opened again when they are lost. */
  connectionsMax: number;
  connectMsMax: number;
  /** Ordinary work; the watchdog's and the server's measure. */
  statementMsMax: number;
};

export type Pool = {
  statementMsMax: number;
  /** Waits for a free connection, and for a server that answers, as long as a statement may take. */
  reserve: (limits?: { statementMsMax: number }) => Promise<Connection>;
  close: () => Promise<void>;
};

export type Statement = { sql: string; values: readonly PostgresValue[] };

/**
 * One connection, ours until it is given back. Statements that are not awaited in between are sent at once and run in
 * their order; each has its own answer.
 */
export type Connection = {
  statementMsMax: number;
  /** One statement with `$1`, prepared once for each connection. */
  query: (sql: string, params?: readonly PostgresValue[]) => Promise<SqlRow[]>;
  /** Statements without values, in one round trip; gives the name of what the last of them did. */
  script: (sql: string) => Promise<string>;
  /** Back into the pool; a connection inside a transaction is closed instead. */
  release: () => Promise<void>;
  /** What waits on it fails at once. */
  close: () => Promise<void>;
};

export const poolDefaults = { connectionsMax: 10, connectMsMax: 5_000, statementMsMax: 5_000 };

export function openPool(options: Partial<PoolOptions> & { url: string }): Pool {
  const { url, connectionsMax, connectMsMax, statementMsMax } = { ...poolDefaults, ...options };
  const sql = new SQL(url, {
    ...database(url),
    bigint: true,
    max: connectionsMax,
    connectionTimeout: connectMsMax / 1_000,
    connection: { application_name: "wicketgate" },
  });
  return {
    statementMsMax,
    reserve: async limits => {
      const msMax = limits?.statementMsMax ?? statementMsMax;
      const reserved = await reserve(sql, msMax);
      return connectionOf(reserved, msMax);
    },
    close: () => sql.close({ timeout: CLOSE_SECONDS_MAX }),
  };
}

/** The driver lets PGDATABASE win over the URL, which must not decide where a ledger is. */
function database(url: string): { database?: string } {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  return name === "" ? {} : { database: name };
}

async function reserve(sql: SQL, msMax: number): Promise<ReservedSQL> {
  const giveUp = new AbortController();
  const message = `PostgreSQL: no connection was free within ${msMax} ms`;
  const timer = setTimeout(() => giveUp.abort(new PostgresFailure(message, { late: true })), msMax);
  try {
    return await sql.reserve({ signal: giveUp.signal });
  } catch (error) {
    throw failureOf(error);
  } finally {
    clearTimeout(timer);
  }
}

function connectionOf(reserved: ReservedSQL, statementMsMax: number): Connection {
  const msMax = statementMsMax + GRACE_MS;
  const silence = new Silence(msMax, () => reserved.close({ timeout: 0 }));
  const watched = async <T>(query: SQL.Query<T>) => {
    silence.asked();
    try {
      return await query;
    } catch (error) {
      const failure = failureOf(error);
      if (!silence.isOver) throw failure;
      const message = `PostgreSQL: no answer within ${msMax} ms; the connection was closed`;
      throw new PostgresFailure(message, { lost: true, late: true, cause: error });
    } finally {
      silence.answered();
    }
  };
  return {
    statementMsMax,
    query: async (sql, params = []) => {
      const values = params.map(value => toParameter(reserved, value));
      return toRows(await watched(reserved.unsafe<unknown[]>(sql, values)));
    },
    script: async sql => lastCommand(await watched(reserved.unsafe<unknown[]>(sql))),
    release: () => {
      silence.end();
      return reserved.release();
    },
    close: () => {
      silence.end();
      return reserved.close({ timeout: 0 });
    },
  };
}

/**
 * A server that is stopped, or behind a cut wire, says nothing at all: then only closing ends the wait. One timer looks
 * how long the last answer is ago, since statements are many and short.
 */
class Silence {
  isOver = false;
  readonly #msMax: number;
  readonly #onTooLong: () => unknown;
  #open = 0;
  #sinceTick = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(msMax: number, onTooLong: () => unknown) {
    this.#msMax = msMax;
    this.#onTooLong = onTooLong;
  }

  asked(): void {
    if (this.#open === 0) this.#sinceTick = performance.now();
    this.#open += 1;
    this.#timer ??= setTimeout(this.#look, this.#msMax);
  }

  answered(): void {
    this.#open -= 1;
    this.#sinceTick = performance.now();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  readonly #look = () => {
    this.#timer = null;
    if (this.#open === 0) return;
    const leftMs = this.#msMax - (performance.now() - this.#sinceTick);
    if (leftMs > 0) {
      this.#timer = setTimeout(this.#look, leftMs);
      return;
    }
    this.isOver = true;
    void this.#onTooLong();
  };
}

/** One statement answers with its result, several with a list of theirs. */
function lastCommand(result: unknown[] & { command?: string | null }): string {
  const last = result.at(-1);
  const one = Array.isArray(last) ? (last as { command?: string | null }) : result;
  return one.command ?? "";
}
