/**
 * Where the fields of a JSON object stand in its bytes, so that a passing body can be edited by splices and every
 * other byte arrives as it was sent. Says nothing about whether the JSON is valid: the parser does that.
 */
export type Field = { name: string; start: number; valueStart: number; valueEnd: number };
export type ObjectScan = { fields: Field[]; openBrace: number; tooDeep: boolean };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;

export function scanObject(bytes: Buffer, depthMax: number): ObjectScan {
  const fields: Field[] = [];
  const scan: ObjectScan = { fields, openBrace: -1, tooDeep: false };
  let depth = 0;
  let field: Field | null = null;
  let expectsName = true;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const closing = closingQuote(bytes, at);
      const end = closing < 0 ? bytes.length - 1 : closing;
      if (depth === 1 && expectsName) {
        field = { name: stringAt(bytes, at, end), start: at, valueStart: -1, valueEnd: -1 };
        expectsName = false;
      }
      at = end;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth === 1) scan.openBrace = at;
      if (depth > depthMax) return { ...scan, tooDeep: true };
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === COMMA) {
      if (depth === 1 && field !== null) {
        field.valueEnd = trimEnd(bytes, at);
        fields.push(field);
        field = null;
      }
      if (byte !== COMMA) depth -= 1;
      if (depth === 1 && byte === COMMA) expectsName = true;
    } else if (byte === COLON && depth === 1 && field !== null && field.valueStart < 0) {
      field.valueStart = skipSpace(bytes, at + 1);
    }
  }
  return scan;
}

/** Replaces each named field's value, or adds the field at the front where it is absent. */
export function spliceFields(
  bytes: Buffer,
  scan: ObjectScan,
  edits: ReadonlyMap<string, string>,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const afterBrace = scan.openBrace + 1;
  const present = scan.fields.filter(field => edits.has(field.name));
  const added = [...edits].filter(([name]) => !present.some(field => field.name === name));
  parts.push(bytes.subarray(0, afterBrace));
  if (added.length > 0) {
    const front = added.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
    parts.push(Buffer.from(scan.fields.length === 0 ? front : `${front},`));
  }
  let from = afterBrace;
  for (const field of present) {
    parts.push(bytes.subarray(from, field.valueStart), Buffer.from(edits.get(field.name) ?? "null"));
    from = field.valueEnd;
  }
  parts.push(bytes.subarray(from));
  return Buffer.concat(parts);
}

/** The quote that closes a string, or -1. Jumps by native search, so long texts cost little. */
export function closingQuote(bytes: Buffer, open: number): number {
  let end = bytes.indexOf(QUOTE, open + 1);
  while (end > 0 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1);
  return end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let slashes = 0;
  while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

function stringAt(bytes: Buffer, open: number, close: number): string {
  const raw = bytes.toString("utf8", open + 1, close);
  if (!raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] ?? SPACE) <= SPACE) at += 1;
  return at;
}

function trimEnd(bytes: Buffer, end: number): number {
  let at = end;
  while (at > 0 && (bytes[at - 1] ?? 0) <= SPACE) at -= 1;
  return at;
}
