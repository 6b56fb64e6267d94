import { createHash } from "node:crypto";
import { writeCopyFile } from "./copy-file.ts";
import { type CopySummary, footerLine, headerLine, rowLine, tableLine } from "./copy-format.ts";
import type { CopySource } from "./copy-open.ts";
import { type CopyTable, copyTables, SCHEMA_NEWEST } from "./copy-schema.ts";
import { whole } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";

const PAGE_ROWS = 1_000;

/** Throwing in here ends the copy. */
export type OnCopyProgress = (progress: CopyProgress) => void;
/** `what` says what is counted, for a sentence. */
export type CopyProgress = { done: number; all: number; what: string };

export type CopyFacts = { wicketgate: string; madeAtMs: number; onProgress: OnCopyProgress };
export type WrittenCopy = Pick<CopySummary, "counts" | "rows"> & { schema: number; bytes: number };

/** Copies the database as it is at one moment, whoever writes to it meanwhile. */
export async function writeCopy(
  source: CopySource,
  facts: CopyFacts & { file: string },
): Promise<WrittenCopy> {
  return source.read(async tx => {
    const plan = await planCopy(tx);
    const bytes = await writeCopyFile(facts.file, copyText(tx, plan, facts));
    const { schema, counts, rows } = plan;
    return { schema, counts, rows, bytes };
  });
}

type Plan = { schema: number; tables: CopyTable[]; counts: Record<string, number>; rows: number };

async function planCopy(tx: Tx): Promise<Plan> {
  const schema = await schemaVersion(tx);
  if (schema > SCHEMA_NEWEST) {
    throw new StoreProblem(
      `This database was written by a newer Wicketgate (schema ${schema}); update first.`,
    );
  }
  const tables = copyTables(schema);
  const counts: Record<string, number> = {};
  for (const { name } of tables) counts[name] = await countRows(tx, name);
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { schema, tables, counts, rows };
}

export async function schemaVersion(tx: Tx): Promise<number> {
  try {
    const [row] = await tx.all("select max(version) as version from migrations");
    return whole(row?.["version"]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreProblem(`This is not a database of Wicketgate: ${why}.`, { cause: error });
  }
}

export async function countRows(tx: Tx, table: string): Promise<number> {
  const [row] = await tx.all(`select count(*) as count from ${table}`);
  return whole(row?.["count"]);
}

async function* copyText(tx: Tx, plan: Plan, facts: CopyFacts): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  const hashed = (text: string) => {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    return bytes;
  };
  yield hashed(headerLine({ ...facts, schema: plan.schema }));
  let rows = 0;
  for (const table of plan.tables) {
    yield hashed(tableLine(table));
    const before = rows;
    for await (const page of pages(tx, table)) {
      rows += page.length;
      yield hashed(page.map(row => rowLine(table, row)).join(""));
      facts.onProgress({ done: rows, all: plan.rows, what: `rows, in ${table.name}` });
    }
    if (rows - before !== plan.counts[table.name]) {
      throw new Error(`${table.name} changed within one transaction, so this is no consistent copy`);
    }
  }
  yield Buffer.from(footerLine(plan.counts, hash.digest("hex")));
}

/** In the order of the primary key, each page from where the last one ended: the database never holds more than one. */
async function* pages(tx: Tx, { name, columns, key }: CopyTable): AsyncGenerator<SqlRow[]> {
  const list = columns.map(column => column.name).join(", ");
  const keys = key.join(", ");
  const beyond = `where (${keys}) > (${key.map(() => "?").join(", ")})`;
  const page = (after: string) => `select ${list} from ${name} ${after} order by ${keys} limit ${PAGE_ROWS}`;
  let rows = await tx.all(page(""));
  for (;;) {
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    const from: SqlValue[] = key.map(column => last[column] ?? null);
    rows = await tx.all(page(beyond), ...from);
  }
}
