export type ExportFormat = "csv" | "json";

const NEWLINE = 10;
const QUOTE = 34;
const BRACE = 123;

/** Counts rows as the bytes of a file go by; a network cuts them anywhere. */
export function createRowCounter(format: ExportFormat): (bytes: Uint8Array) => number {
  return format === "csv" ? csvCounter() : jsonCounter();
}

/** Line ends, but for that of the names of the columns; one between quotes belongs to a cell. */
function csvCounter(): (bytes: Uint8Array) => number {
  let [lines, isQuoted] = [0, false];
  return bytes => {
    for (const byte of bytes) {
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === NEWLINE && !isQuoted) lines += 1;
    }
    return Math.max(0, lines - 1);
  };
}

/** Every row begins a line, and no row has a line end within. */
function jsonCounter(): (bytes: Uint8Array) => number {
  let [rows, isLineStart] = [0, true];
  return bytes => {
    for (const byte of bytes) {
      if (byte === BRACE && isLineStart) rows += 1;
      isLineStart = byte === NEWLINE;
    }
    return rows;
  };
}
