import { type Migration, migrations } from "./schema.ts";

/**
 * What a copy holds, read off the migrations, so that a table or column added there is in the next copy without a
 * second list to keep. A test compares the outcome with the tables that the databases really have.
 */
export type ColumnType = "text" | "int" | "bytes";
export type CopyColumn = { name: string; type: ColumnType };
export type CopyTable = {
  name: string;
  columns: readonly CopyColumn[];
  /** The primary key, by which the rows are read page by page. */
  key: readonly string[];
  /** Tables whose rows must be there before rows of this one. */
  refersTo: readonly string[];
};

export const SCHEMA_NEWEST = migrations.at(-1)?.version ?? 0;

/** Running processes belong to a machine, not to the data. */
const NOT_COPIED: ReadonlySet<string> = new Set(["instances"]);

const TYPES: Readonly<Record<string, ColumnType>> = { text: "text", $int: "int", $bytes: "bytes" };

/** The tables as they are at a schema version, each after those that it refers to. */
export function copyTables(version: number, all: readonly Migration[] = migrations): CopyTable[] {
  const tables = new Map<string, CopyTable>();
  for (const migration of all) {
    if (migration.version > version) continue;
    for (const statement of migration.statements) follow(tables, statement);
  }
  return inOrder([...tables.values()].filter(({ name }) => !NOT_COPIED.has(name)));
}

/** Does to the list what the statement does to the database. */
function follow(tables: Map<string, CopyTable>, statement: string): void {
  const words = statement.trim().replace(/\s+/g, " ");
  const created = /^create table (\w+) \((.*)\)$/.exec(words);
  const dropped = /^drop table (\w+)$/.exec(words);
  const altered = /^alter table (\w+) (.*)$/.exec(words);
  if (created !== null) put(tables, readTable(created[1] ?? "", created[2] ?? ""));
  else if (dropped !== null) tables.delete(dropped[1] ?? "");
  else if (altered !== null) alter(tables, { name: altered[1] ?? "", change: altered[2] ?? "" });
  else if (!/^(create (unique )?index|insert into|update|delete from|drop index) /.test(words)) {
    throw new Error(`the copy cannot follow this statement of a migration: ${words}`);
  }
}

function alter(tables: Map<string, CopyTable>, { name, change }: { name: string; change: string }): void {
  const table = tables.get(name);
  const added = /^add column (.*)$/.exec(change);
  const renamed = /^rename to (\w+)$/.exec(change);
  const dropped = /^drop column (\w+)$/.exec(change);
  if (table === undefined || (added ?? renamed ?? dropped) === null) {
    throw new Error(`the copy cannot follow this change of ${name}: ${change}`);
  }
  if (added !== null) {
    const more = readTable(name, added[1] ?? "");
    const refersTo = [...table.refersTo, ...more.refersTo];
    put(tables, { ...table, columns: [...table.columns, ...more.columns], refersTo });
  } else if (dropped !== null) {
    put(tables, { ...table, columns: table.columns.filter(column => column.name !== dropped[1]) });
  } else rename(tables, { from: name, to: renamed?.[1] ?? name });
}

function rename(tables: Map<string, CopyTable>, { from, to }: { from: string; to: string }): void {
  const now = (name: string) => (name === from ? to : name);
  const renamed = [...tables.values()].map(table => ({
    ...table,
    name: now(table.name),
    refersTo: table.refersTo.map(now),
  }));
  tables.clear();
  for (const table of renamed) put(tables, table);
}

function put(tables: Map<string, CopyTable>, table: CopyTable): void {
  tables.set(table.name, table);
}

function readTable(name: string, body: string): CopyTable {
  const columns: CopyColumn[] = [];
  const refersTo: string[] = [];
  let key: string[] = [];
  for (const part of parts(body)) {
    const constraint = /^(primary key|check|unique|foreign key) ?\(([^)]*)\)/.exec(part);
    const reference = /\breferences (\w+)/.exec(part);
    if (reference !== null) refersTo.push(reference[1] ?? "");
    if (constraint !== null) {
      if (constraint[1] === "primary key") key = parts(constraint[2] ?? "");
      continue;
    }
    const [column = "", typeName = ""] = part.split(" ");
    const type = TYPES[typeName];
    if (type === undefined) throw new Error(`the copy does not know the type of ${name}.${column}`);
    columns.push({ name: column, type });
    if (/\bprimary key\b/.test(part)) key = [column];
  }
  return { name, columns, key, refersTo };
}

/** Split at the commas that are in no brackets. */
function parts(body: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= body.length; at++) {
    const character = body[at];
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (at === body.length || (character === "," && depth === 0)) {
      found.push(body.slice(from, at).trim());
      from = at + 1;
    }
  }
  return found;
}

function inOrder(tables: readonly CopyTable[]): CopyTable[] {
  const done = new Map<string, CopyTable>();
  let left = [...tables];
  while (left.length > 0) {
    const ready = left.filter(table => table.refersTo.every(name => done.has(name) || name === table.name));
    if (ready.length === 0) throw new Error("tables refer to each other in a circle, so none can be first");
    for (const table of ready) done.set(table.name, table);
    left = left.filter(table => !done.has(table.name));
  }
  return [...done.values()];
}
