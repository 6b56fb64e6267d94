import { scanObject, spliceFields } from "../../protocols/json-object.ts";

/** Sets fields of a JSON body to the texts given, and takes out those that are null; every other value stays as sent. */
export function editBody(body: Uint8Array, edits: ReadonlyMap<string, string | null>): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const scan = scanObject(bytes, Number.MAX_SAFE_INTEGER);
  const kept = scan.fields.filter(({ name }) => edits.get(name) !== null);
  const set = new Map([...edits].filter((edit): edit is [string, string] => edit[1] !== null));
  if (kept.length === scan.fields.length) {
    return set.size === 0 ? body : spliceFields(bytes, scan, set);
  }
  const fields = kept.map(({ name, start, valueStart, valueEnd }) => {
    const text = set.get(name);
    if (text === undefined) return bytes.subarray(start, valueEnd);
    set.delete(name);
    return Buffer.concat([bytes.subarray(start, valueStart), Buffer.from(text)]);
  });
  const added = [...set].map(([name, text]) => Buffer.from(`${JSON.stringify(name)}:${text}`));
  const parts = [...added, ...fields].flatMap((field, at) => (at === 0 ? [field] : [COMMA, field]));
  return Buffer.concat([OPEN, ...parts, CLOSE]);
}

const OPEN = Buffer.from("{");
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("}");
