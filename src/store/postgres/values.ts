import type { SQL } from "bun";
import type { SqlRow, SqlValue } from "../tx.ts";

/** What a statement takes: a plain value, or a list for `= any($1)` and `unnest($1::text[])`. */
export type PostgresValue = SqlValue | readonly SqlValue[];

const NUL = "\0";
const REPLACEMENT = "\uFFFD";

/** A list is made by the client that sends it: the one that the driver has ready follows the environment. */
export function toParameter(client: Pick<SQL, "array">, value: PostgresValue): unknown {
  return isList(value) ? client.array(value.map(element)) : scalar(value);
}

function isList(value: PostgresValue): value is readonly SqlValue[] {
  return Array.isArray(value);
}

function scalar(value: SqlValue): SqlValue {
  // The driver types a number by its size, and a comparison with a float would not use the index of a bigint.
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return element(value);
}

function element(value: SqlValue): SqlValue {
  return typeof value === "string" ? readable(value) : value;
}

/** PostgreSQL refuses a zero in a text, and half a character in JSON; one bad model name must not refuse a whole batch. */
export function readable(text: string): string {
  const formed = text.toWellFormed();
  return formed.includes(NUL) ? formed.replaceAll(NUL, REPLACEMENT) : formed;
}

type Reader = (value: unknown) => SqlValue;

const asIs: Reader = value => value as SqlValue;
const whole: Reader = value => BigInt(value as number);
const truth: Reader = value => (value === true ? 1n : 0n);
const bytes: Reader = value => Uint8Array.from(value as Uint8Array);
/** Sums of bigint are numeric, and whole; what has a fraction is a number, as SQLite has it. */
const numeric: Reader = value => {
  const digits = String(value);
  return /^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits);
};

/** By the number that PostgreSQL gives a type. What is not here would come as something that `Tx` does not promise. */
const READERS: ReadonlyMap<number, Reader> = new Map([
  [16, truth],
  [17, bytes],
  [19, asIs], // name
  [20, asIs], // int8
  [21, whole], // int2
  [23, whole], // int4
  [25, asIs], // text
  [26, whole], // oid
  [700, asIs], // float4
  [701, asIs], // float8
  [1043, asIs], // varchar
  [1700, numeric],
  [2278, asIs], // void
]);

/** Rows by the contract of `Tx`. Most results need no change, and are looked at by column, not by cell. */
export function toRows(result: readonly unknown[] & { columns: SQL.ResultColumn[] | null }): SqlRow[] {
  const rows = Array.from(result) as SqlRow[];
  for (const { name, type } of result.columns ?? []) {
    const reader = READERS.get(type);
    if (reader === undefined) {
      throw new Error(`column ${name} has type ${type}, which is not read here: cast it to text or bigint`);
    }
    if (reader === asIs) continue;
    for (const row of rows) {
      if (row[name] !== null) row[name] = reader(row[name]);
    }
  }
  return rows;
}
