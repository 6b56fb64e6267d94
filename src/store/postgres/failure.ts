import { SQL } from "bun";
import { StoreFailure } from "../store.ts";

const DEADLOCK = "40P01";
const SERIALIZATION = "40001";
const STATEMENT_TOO_LONG = "57014";
/** With these the server closes the connection: no connection, idle in a transaction, going down, none free. */
const SERVER_GONE = /^(08...|25P03|57P0[1-5]|53300)$/;

/** PostgreSQL did not do what it was asked. */
export class PostgresFailure extends StoreFailure {
  /** The server's five characters; null where no server answered. */
  readonly sqlState: string | null;
  /** The connection is no more. What was under way may have happened or not. */
  readonly lost: boolean;
  /** It took longer than it may: a statement, a lock, a server that says nothing, a connection to become free. */
  readonly late: boolean;

  constructor(
    message: string,
    is: Partial<Pick<PostgresFailure, "sqlState" | "lost" | "late" | "cause">> = {},
  ) {
    super(message, { cause: is.cause });
    this.sqlState = is.sqlState ?? null;
    this.lost = is.lost ?? false;
    this.late = is.late ?? this.sqlState === STATEMENT_TOO_LONG;
  }

  /** The server undid the transaction because of another one; the same again may well succeed. */
  get undone(): boolean {
    return this.sqlState === DEADLOCK || this.sqlState === SERIALIZATION;
  }
}

export function failureOf(error: unknown): PostgresFailure {
  if (error instanceof PostgresFailure) return error;
  if (!(error instanceof SQL.PostgresError)) {
    const message = error instanceof Error ? error.message : String(error);
    return new PostgresFailure(`PostgreSQL: ${message}`, { cause: error });
  }
  const sqlState = error.errno ?? null;
  // The driver's own errors have no state; nearly all of them mean that there is no connection.
  const lost =
    sqlState === null ? error.code.startsWith("ERR_POSTGRES_CONNECTION") : SERVER_GONE.test(sqlState);
  const message = `PostgreSQL: ${error.message} (${sqlState ?? error.code})`;
  return new PostgresFailure(message, { sqlState, lost, cause: error });
}
