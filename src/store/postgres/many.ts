import type { SqlValue } from "../tx.ts";
import { readable } from "./values.ts";

/** A column of a statement that writes many rows: its name, its type, what a row puts there, and how it is put. */
export type Column<T> = readonly [
  name: string,
  type: "text" | "bigint",
  of: (row: T) => SqlValue,
  put?: string,
];

/**
 * One statement for any number of rows. They go as one text of JSON: a list for each column would be a parameter for
 * each, and to make those cost more than all that the server does.
 */
export type Many<T> = { sql: string; values: (rows: readonly T[]) => [json: string] };

const rowsOf = <T>(columns: readonly Column<T>[]) =>
  `json_to_recordset($1::text::json) as new (${columns.map(([name, type]) => `${name} ${type}`).join(", ")})`;

const values =
  <T>(columns: readonly Column<T>[]) =>
  (rows: readonly T[]): [json: string] => [JSON.stringify(rows.map(row => record(columns, row)))];

/** What is empty is left out, and read as null. */
function record<T>(columns: readonly Column<T>[], row: T): Record<string, string | number> {
  const made: Record<string, string | number> = {};
  for (const [name, , of] of columns) {
    const value = of(row);
    if (typeof value === "bigint") made[name] = `${value}`;
    else if (typeof value === "number") made[name] = value;
    else if (typeof value === "string") made[name] = readable(value);
    else if (value !== null) throw new Error(`${name} cannot be written among many rows`);
  }
  return made;
}

/** Where `conflict` names the key, a row that is there already is replaced, or changed as its columns say. */
export function insertMany<T>(
  table: string,
  columns: readonly Column<T>[],
  conflict: readonly string[] = [],
): Many<T> {
  const names = columns.map(([name]) => name).join(", ");
  const replaced = columns
    .filter(([name]) => !conflict.includes(name))
    .map(([name, , , put]) => `${name} = ${put ?? `excluded.${name}`}`);
  const replace =
    conflict.length === 0 ? "" : ` on conflict (${conflict.join(", ")}) do update set ${replaced.join(", ")}`;
  const sql = `insert into ${table} (${names}) select ${names} from ${rowsOf(columns)}${replace}`;
  return { sql, values: values(columns) };
}

export type Update<T> = {
  table: string;
  key: Column<T>;
  columns: readonly Column<T>[];
  /** On `old`, the row that is there. */
  where?: string;
};

/** Answers with one row for each that was changed. */
export function updateMany<T>({ table, key, columns, where }: Update<T>): Many<T> {
  const all = [key, ...columns];
  const changes = columns.map(([name, , , put]) => `${name} = ${put ?? `new.${name}`}`).join(", ");
  const [id] = key;
  const condition = where === undefined ? "" : ` and ${where}`;
  const sql = `update ${table} as old set ${changes} from ${rowsOf(all)}
    where old.${id} = new.${id}${condition} returning old.${id}`;
  return { sql, values: values(all) };
}
