import type { CopyFile } from "./copy-file.ts";
import { type CopyHeader, CopyReader, type CopySummary, type RowCounts } from "./copy-format.ts";
import type { CopyTarget } from "./copy-open.ts";
import { type CopyTable, copyTables, SCHEMA_NEWEST } from "./copy-schema.ts";
import { countRows, type OnCopyProgress } from "./copy-write.ts";
import { listInstances } from "./instances.ts";
import { StoreProblem } from "./store.ts";
import type { SqlValue, Tx } from "./tx.ts";
import { type Finding, verifyLedger } from "./verify.ts";

/** SQLite takes 32,766 values in a statement and PostgreSQL 65,535. */
const STATEMENT_VALUES_MAX = 8_000;
/** A process that has given no sign of life for this long is taken for gone. */
export const SILENT_MS_MAX = 15_000;
/** Every database has rows in these from its first opening on; those of the copy take their place. */
const FROM_THE_START: readonly string[] = ["revision", "house"];

/** Reads the whole file, so that one that is cut, altered or not ours is refused before anything is written. */
export async function checkCopy(file: CopyFile, onProgress: OnCopyProgress): Promise<CopySummary> {
  await file.checkSeal();
  const reader = new CopyReader();
  const onRead = (done: number) => onProgress({ done, all: file.bytes, what: "bytes" });
  for await (const piece of file.text(onRead)) reader.push(piece);
  return reader.end();
}

/** For what is to be loaded: migrations change data as well as tables, so an older copy cannot just be filled in. */
export function mustBeLoadable({ schema, wicketgate }: CopyHeader): void {
  if (schema === SCHEMA_NEWEST) return;
  throw new StoreProblem(
    `This copy was made by an older Wicketgate (${wicketgate}), with schema ${schema}, and this one loads schema ${SCHEMA_NEWEST} only. Restore it with the version that made it, then start this version on the result.`,
  );
}

/** A copy in whose ledger something is not as it should be. */
export class CopyFindings extends StoreProblem {
  constructor(readonly findings: readonly Finding[]) {
    super(`The ledger in this copy breaks ${findings.length === 1 ? "once" : `${findings.length} times`}.`);
  }
}

export type LoadOptions = {
  file: CopyFile;
  rowsAll: number;
  nowMs: number;
  acceptFindings: boolean;
  onProgress: OnCopyProgress;
};

/** All of it in one transaction, verified before it is kept. */
export async function loadCopy(target: CopyTarget, options: LoadOptions): Promise<Finding[]> {
  const { file, rowsAll, nowMs, acceptFindings, onProgress } = options;
  return target.write(async tx => {
    await mustBeEmpty(tx, nowMs);
    for (const table of FROM_THE_START) await tx.run(`delete from ${table}`);
    const loader = new Loader(tx, table =>
      onProgress({ done: loader.rows, all: rowsAll, what: `rows, in ${table}` }),
    );
    const reader = new CopyReader();
    for await (const piece of file.text()) {
      for (const { table, rows } of reader.push(piece)) await loader.take(table, rows);
    }
    await loader.flush();
    await mustHaveArrived(tx, reader.end().counts);
    const findings = await verifyLedger(tx, {});
    if (findings.length > 0 && !acceptFindings) throw new CopyFindings(findings);
    return findings;
  });
}

/** A copy is never mixed with what is there, and never slipped under a server that runs. */
export async function mustBeEmpty(tx: Tx, nowMs: number): Promise<void> {
  const filled: string[] = [];
  for (const { name } of copyTables(SCHEMA_NEWEST)) {
    if (FROM_THE_START.includes(name)) continue;
    if ((await tx.all(`select 1 as one from ${name} limit 1`)).length > 0) filled.push(name);
  }
  if (filled.length > 0) {
    throw new StoreProblem(
      `The target is not empty: it has rows in ${filled.join(", ")}. A copy is loaded into an empty database only.`,
    );
  }
  if (await isInUse(tx, nowMs)) {
    throw new StoreProblem("A server is running on the target. Stop it first.");
  }
}

/** Whether a server has given a sign of life a short while ago. One that was stopped has taken its leave. */
export async function isInUse(tx: Tx, nowMs: number): Promise<boolean> {
  const instances = await listInstances(tx);
  return instances.some(({ seenAtMs }) => nowMs - seenAtMs < SILENT_MS_MAX);
}

async function mustHaveArrived(tx: Tx, counts: RowCounts): Promise<void> {
  for (const [table, count] of Object.entries(counts)) {
    const arrived = await countRows(tx, table);
    if (arrived !== count) throw new Error(`${arrived} of ${count} rows of ${table} arrived`);
  }
}

/** Gathers rows, so that one statement inserts many. */
class Loader {
  readonly #tx: Tx;
  readonly #onProgress: (table: string) => void;
  #table: CopyTable | null = null;
  #waiting: SqlValue[][] = [];
  rows = 0;

  constructor(tx: Tx, onProgress: (table: string) => void) {
    this.#tx = tx;
    this.#onProgress = onProgress;
  }

  async take(table: CopyTable, rows: readonly SqlValue[][]): Promise<void> {
    if (table !== this.#table) await this.flush();
    this.#table = table;
    const most = Math.max(1, Math.floor(STATEMENT_VALUES_MAX / table.columns.length));
    for (const row of rows) {
      this.#waiting.push(row);
      if (this.#waiting.length >= most) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const [table, rows] = [this.#table, this.#waiting];
    if (table === null || rows.length === 0) return;
    this.#waiting = [];
    await this.#tx.run(insertOf(table, rows.length), ...rows.flat());
    this.rows += rows.length;
    this.#onProgress(table.name);
  }
}

function insertOf({ name, columns }: CopyTable, rows: number): string {
  const list = columns.map(column => column.name).join(", ");
  const marks = `(${columns.map(() => "?").join(", ")})`;
  return `insert into ${name} (${list}) values ${Array(rows).fill(marks).join(", ")}`;
}
