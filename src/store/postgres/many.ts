import type { SqlValue } from "../tx.ts";

/** A column of a statement that writes many rows: its name, its type, what a row puts there, and how it is put. */
export type Column<T> = readonly [
  name: string,
  type: "text" | "bigint",
  of: (row: T) => SqlValue,
  put?: string,
];

/** One statement for any number of rows: each column is one list. */
export type Many<T> = { sql: string; values: (rows: readonly T[]) => SqlValue[][] };

const lists = <T>(columns: readonly Column<T>[]) =>
  columns.map(([, type], at) => `$${at + 1}::${type}[]`).join(", ");

const values =
  <T>(columns: readonly Column<T>[]) =>
  (rows: readonly T[]) =>
    columns.map(([, , of]) => rows.map(of));

/** Where `conflict` names the key, a row that is there already is replaced, or changed as its columns say. */
export function insertMany<T>(
  table: string,
  columns: readonly Column<T>[],
  conflict: readonly string[] = [],
): Many<T> {
  const names = columns.map(([name]) => name);
  const replaced = columns
    .filter(([name]) => !conflict.includes(name))
    .map(([name, , , put]) => `${name} = ${put ?? `excluded.${name}`}`);
  const replace =
    conflict.length === 0 ? "" : ` on conflict (${conflict.join(", ")}) do update set ${replaced.join(", ")}`;
  const sql = `insert into ${table} (${names.join(", ")}) select * from unnest(${lists(columns)})${replace}`;
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
  const names = all.map(([name]) => name).join(", ");
  const changes = columns.map(([name, , , put]) => `${name} = ${put ?? `new.${name}`}`).join(", ");
  const [id] = key;
  const condition = where === undefined ? "" : ` and ${where}`;
  const sql = `update ${table} as old set ${changes} from unnest(${lists(all)}) as new (${names})
    where old.${id} = new.${id}${condition} returning old.${id}`;
  return { sql, values: values(all) };
}
