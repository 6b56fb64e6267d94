import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CopyFile } from "./copy-file.ts";
import { type CopySource, openCopySource, openCopyTarget, type Place } from "./copy-open.ts";
import { checkCopy, loadCopy } from "./copy-read.ts";
import { type CopyColumn, type CopyTable, copyTables, SCHEMA_NEWEST } from "./copy-schema.ts";
import { type OnCopyProgress, type WrittenCopy, writeCopy } from "./copy-write.ts";
import { freshDatabase } from "./postgres/server-test-rig.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";
import type { Finding } from "./verify.ts";

/** Databases full of awkward values, for the tests of copies. */

export const NOW_MS = 1_800_000_000_000;
export const TABLES = copyTables(SCHEMA_NEWEST);

const folder = mkdtempSync(join(tmpdir(), "wicketgate-copy-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let files = 0;

export function freshPath(ending: string): string {
  files += 1;
  return join(folder, `${files}${ending}`);
}

export const freshSqlite = (): Place => ({ kind: "sqlite", file: freshPath(".db") });

/** What every test of copies is run on. */
export const databases: readonly (readonly [name: string, fresh: () => Promise<Place>])[] = [
  ["SQLite", async () => freshSqlite()],
  ["PostgreSQL", async () => ({ kind: "postgres", url: await freshDatabase() })],
];

export async function inside<T>(place: Place, work: (tx: Tx) => Promise<T>): Promise<T> {
  const target = await openCopyTarget(place);
  return target.write(work).finally(() => target.close());
}

const AWKWARD: readonly string[] = [
  "plain",
  "",
  'It\'s "quoted" `twice` \\ and \\n is no line break',
  "line\nbreak\r\nand\ttab\u2028and\u2029separators",
  "žluťoučký 🐎 漢字 e\u0301 \u202eright to left",
  "null",
  "123",
  "\u0001\u001f\u007f\ufeff",
];

/** Columns that the ledger's checks add up; the others take the largest numbers there are. */
const SUMMED = /balance|held|hold|cost|spent|open|amount|quota/;

function awkwardValue(table: CopyTable, column: CopyColumn, at: number): SqlValue {
  const other = TABLES.find(({ name }) => `${name.slice(0, -1)}_id` === column.name);
  if (other !== undefined && table.refersTo.includes(other.name)) return idOf(other.name, at);
  if (table.key.includes(column.name)) return column.type === "int" ? BigInt(at + 1) : idOf(table.name, at);
  if (column.type === "bytes")
    return at === 0 ? new Uint8Array() : new Uint8Array(256).map((_, byte) => byte * at);
  if (column.type === "text")
    return `${AWKWARD[at % AWKWARD.length]}${at < AWKWARD.length ? "" : at}${column.name}`;
  return SUMMED.test(column.name) ? BigInt(at + 1) : 2n ** 62n - BigInt(at);
}

const idOf = (table: string, at: number) => `${table}_${String(at).padStart(9, "0")}`;

/** Rows in every table; every column that may be null is so in the last row. */
export async function furnish(tx: Tx, rows = AWKWARD.length + 1): Promise<void> {
  for (const table of TABLES) {
    if (table.name === "revision") {
      await tx.run("update revision set revision = ?", 2n ** 62n);
      continue;
    }
    const list = table.columns.map(({ name }) => name).join(", ");
    const insert = `insert into ${table.name} (${list}) values (${table.columns.map(() => "?").join(", ")})`;
    for (let at = 0; at < rows; at++) {
      await tx.run(insert, ...table.columns.map(column => awkwardValue(table, column, at)));
    }
    for (const { name } of table.columns) await nullIfAllowed(tx, { table, column: name, at: rows - 1 });
  }
}

type Cell = { table: CopyTable; column: string; at: number };

async function nullIfAllowed(tx: Tx, { table, column, at }: Cell): Promise<void> {
  if (table.key.includes(column) || !NULLABLE.has(`${table.name}.${column}`)) return;
  const last = table.key[table.key.length - 1] ?? "id";
  await tx.run(`update ${table.name} set ${column} = null where ${last} = ?`, idOf(table.name, at));
}

/** One of each type at the least. */
const NULLABLE: ReadonlySet<string> = new Set([
  "upstreams.concurrency_max",
  "upstreams.base_url",
  "keys.sealed",
  "keys.deleted_at_ms",
  "usage.reason",
  "usage.status",
  "usage.multiplier",
  "usage.attempts",
  "models.context_tokens",
]);

export async function everyRow(tx: Tx): Promise<Record<string, SqlRow[]>> {
  const found: Record<string, SqlRow[]> = {};
  for (const { name, columns, key } of TABLES) {
    const list = columns.map(column => column.name).join(", ");
    const rows = await tx.all(`select ${list} from ${name} order by ${key.join(", ")}`);
    found[name] = rows.map(row =>
      Object.fromEntries(columns.map(column => [column.name, row[column.name] ?? null])),
    );
  }
  return found;
}

export async function copyOf(place: Place, onProgress: OnCopyProgress = () => {}): Promise<string> {
  const file = freshPath(".copy");
  const source = await openCopySource(place);
  await writeFrom(source, file, onProgress).finally(() => source.close());
  return file;
}

export function writeFrom(
  source: CopySource,
  file: string,
  onProgress: OnCopyProgress,
): Promise<WrittenCopy> {
  return writeCopy(source, { file, wicketgate: "0.0.0-test", madeAtMs: NOW_MS, onProgress });
}

/** What `restore` does with a file. The target is opened only once the file has passed. */
export async function restoreTo(place: Place, path: string, acceptFindings = false): Promise<Finding[]> {
  const file = await CopyFile.open(path);
  try {
    const { rows } = await checkCopy(file, () => {});
    const target = await openCopyTarget(place);
    const load = { file, rowsAll: rows, nowMs: NOW_MS, acceptFindings, onProgress: () => {} };
    return await loadCopy(target, load).finally(() => target.close());
  } finally {
    await file.close();
  }
}

export async function problemOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "none",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
