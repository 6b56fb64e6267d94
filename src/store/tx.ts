/** A value that both databases take and give back. */
export type SqlValue = string | number | bigint | Uint8Array | null;
export type SqlRow = Record<string, SqlValue>;

/**
 * One transaction. Placeholders are `?`; integers come back as bigint, whichever the database, and `rows.ts` is the
 * one place that turns them into what the domain means.
 */
export type Tx = {
  all: (sql: string, ...params: SqlValue[]) => Promise<SqlRow[]>;
  run: (sql: string, ...params: SqlValue[]) => Promise<void>;
  /** What a select ends with that is followed by a change of its rows: admissions wait for it where they run beside. */
  forUpdate: "" | " for update";
};
