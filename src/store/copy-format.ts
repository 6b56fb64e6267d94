import { createHash } from "node:crypto";
import { type CopyColumn, type CopyTable, copyTables, SCHEMA_NEWEST } from "./copy-schema.ts";
import { StoreProblem } from "./store.ts";
import type { SqlRow, SqlValue } from "./tx.ts";

/**
 * The text of a copy: JSON lines. A header; for each table a line with its columns, then a line for each row, its
 * values in the order of the columns; a footer with the number of rows of each table and the SHA-256 of all lines
 * before it. Integers are decimal digits in a string and bytes are base64, because JSON carries neither exactly.
 */
const FORMAT = "wicketgate copy";
const FORMAT_VERSION = 1;
/** No row comes near it; a file that means harm must not fill the memory. */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;
const NEWLINE = 10;
const INT_MAX = 2n ** 63n - 1n;

export type CopyHeader = {
  format: string;
  version: number;
  /** The newest migration of the database that was copied. */
  schema: number;
  /** The version of the software that made the copy. */
  wicketgate: string;
  made_at_ms: number;
};

export type RowCounts = Readonly<Record<string, number>>;
export type CopySummary = { header: CopyHeader; counts: RowCounts; rows: number };
export type TableRows = { table: CopyTable; rows: SqlValue[][] };

export function headerLine({ schema, wicketgate, madeAtMs }: HeaderFacts): string {
  const header: CopyHeader = {
    format: FORMAT,
    version: FORMAT_VERSION,
    schema,
    wicketgate,
    made_at_ms: madeAtMs,
  };
  return `${JSON.stringify(header)}\n`;
}

export type HeaderFacts = { schema: number; wicketgate: string; madeAtMs: number };

export function tableLine({ name, columns }: CopyTable): string {
  return `${JSON.stringify({ table: name, columns: columns.map(column => [column.name, column.type]) })}\n`;
}

export function rowLine({ name, columns }: CopyTable, row: SqlRow): string {
  const line = `${JSON.stringify(columns.map(column => encode(column, row[column.name])))}\n`;
  if (line.length * 3 > LINE_BYTES_MAX && Buffer.byteLength(line) > LINE_BYTES_MAX) {
    throw new StoreProblem(`A row of ${name} is too long for a copy: more than ${LINE_BYTES_MAX} bytes.`);
  }
  return line;
}

export function footerLine(counts: RowCounts, sha256: string): string {
  return `${JSON.stringify({ rows: counts, sha256 })}\n`;
}

function encode({ name, type }: CopyColumn, value: SqlValue | undefined): string | null {
  if (value === null) return null;
  if (type === "text" && typeof value === "string") return value;
  if (type === "int" && (typeof value === "bigint" || Number.isSafeInteger(value))) return `${value}`;
  if (type === "bytes" && value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  throw new StoreProblem(`The column ${name} holds a ${typeof value} where a value of type ${type} belongs.`);
}

/** Undefined for what `encode` could not have written. */
function decode({ type }: CopyColumn, value: unknown): SqlValue | undefined {
  if (value === null) return null;
  if (typeof value !== "string") return undefined;
  if (type === "text") return value;
  if (type === "bytes") {
    const bytes = Buffer.from(value, "base64");
    return bytes.toString("base64") === value ? new Uint8Array(bytes) : undefined;
  }
  const number = /^(0|-?[1-9]\d{0,18})$/.test(value) ? BigInt(value) : null;
  return number === null || number > INT_MAX || number < -INT_MAX - 1n ? undefined : number;
}

/** Takes a copy's text piece by piece, gives its rows, and refuses what is not well formed with a sentence. */
export class CopyReader {
  readonly #hash = createHash("sha256");
  readonly #counts = new Map<string, number>();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #carry: Uint8Array = new Uint8Array();
  #header: CopyHeader | null = null;
  #tables: readonly CopyTable[] = [];
  #table: CopyTable | null = null;
  #lines = 0;

  /** The last line is kept back, for it may be the footer, which is not in its own hash. */
  push(piece: Uint8Array): TableRows[] {
    const bytes = this.#carry.length === 0 ? piece : Buffer.concat([this.#carry, piece]);
    const last = bytes.lastIndexOf(NEWLINE);
    const before = last < 1 ? -1 : bytes.lastIndexOf(NEWLINE, last - 1);
    this.#keep(bytes.subarray(before + 1));
    if (before < 0) return [];
    const whole = bytes.subarray(0, before + 1);
    this.#hash.update(whole);
    const found: TableRows[] = [];
    for (const line of this.#text(whole).slice(0, -1).split("\n")) this.#read(line, found);
    return found;
  }

  end(): CopySummary {
    const lines = this.#text(this.#carry).split("\n");
    if (this.#header === null || lines.length !== 2 || lines[1] !== "")
      throw this.#malformed("it ends early");
    if (this.#counts.size !== this.#tables.length) throw this.#malformed("tables are missing");
    this.#lines += 1;
    const counts = Object.fromEntries(this.#counts);
    if (`${lines[0]}\n` !== footerLine(counts, this.#hash.digest("hex"))) {
      throw this.#malformed("its footer does not fit what stands before it");
    }
    const rows = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    return { header: this.#header, counts, rows };
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length > 2 * LINE_BYTES_MAX) throw this.#malformed("a line is too long");
    this.#carry = bytes;
  }

  #text(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      throw this.#malformed("it is not UTF-8");
    }
  }

  #read(line: string, found: TableRows[]): void {
    this.#lines += 1;
    const value = this.#parse(line);
    if (this.#header === null) {
      this.#header = readHeader(value);
      this.#tables = copyTables(this.#header.schema);
    } else if (Array.isArray(value)) this.#row(value, found);
    else this.#open(line);
  }

  #parse(line: string): unknown {
    try {
      return JSON.parse(line);
    } catch {
      throw this.#malformed("it is not JSON");
    }
  }

  /** The schema version says which tables there are, in which order and with which columns. */
  #open(line: string): void {
    const table = this.#tables[this.#counts.size];
    if (table === undefined || `${line}\n` !== tableLine(table)) {
      throw this.#malformed("these are not the table and columns that its schema has here");
    }
    this.#table = table;
    this.#counts.set(table.name, 0);
  }

  #row(values: readonly unknown[], found: TableRows[]): void {
    const table = this.#table;
    if (table === null) throw this.#malformed("a row stands before its table");
    if (values.length !== table.columns.length)
      throw this.#malformed(`a row of ${table.name} has other columns`);
    const row = table.columns.map((column, at) => {
      const value = decode(column, values[at]);
      if (value === undefined) throw this.#malformed(`${table.name}.${column.name} is not ${column.type}`);
      return value;
    });
    this.#counts.set(table.name, (this.#counts.get(table.name) ?? 0) + 1);
    const last = found.at(-1);
    if (last?.table === table) last.rows.push(row);
    else found.push({ table, rows: [row] });
  }

  #malformed(why: string): StoreProblem {
    return new StoreProblem(`This copy is not well formed: ${why}, at line ${this.#lines}.`);
  }
}

function readHeader(value: unknown): CopyHeader {
  const header = (typeof value === "object" ? value : null) as Partial<CopyHeader> | null;
  const { version, schema, wicketgate, made_at_ms } = header ?? {};
  if (header?.format !== FORMAT || !isCount(version)) throw notACopy();
  const maker =
    typeof wicketgate === "string" && /^[\w.+-]{1,40}$/.test(wicketgate) ? ` (${wicketgate})` : "";
  if (version > FORMAT_VERSION) {
    throw new StoreProblem(
      `This copy was made by a newer Wicketgate${maker}, in copy format ${version}; update first.`,
    );
  }
  if (!isCount(schema) || schema === 0 || !isCount(made_at_ms) || typeof wicketgate !== "string")
    throw notACopy();
  if (schema > SCHEMA_NEWEST) {
    throw new StoreProblem(
      `This copy was made by a newer Wicketgate${maker}, with schema ${schema}, and this one knows ${SCHEMA_NEWEST}; update first.`,
    );
  }
  return { format: FORMAT, version, schema, wicketgate, made_at_ms };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

export function notACopy(): StoreProblem {
  return new StoreProblem("This file is not a Wicketgate copy.");
}
