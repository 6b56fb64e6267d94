import { stringEnd } from "./content-meter.ts";
import { scanObject } from "./json-object.ts";
import { dataStart } from "./sse.ts";

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;

/** An event with the `model` of the object in its field `inside` replaced, wherever else in it the word may stand. */
export function renamedInside(event: Buffer, { inside, name }: { inside: string; name: string }): Uint8Array {
  const from = event.indexOf(OPEN_BRACE, dataStart(event));
  if (from < 0) return event;
  const written = Buffer.from(JSON.stringify(name));
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const start of objectStarts(event, { from, name: inside })) {
    for (const value of valueStarts(event, { from: start, name: "model" })) {
      if (event[value] !== QUOTE) continue;
      parts.push(event.subarray(at, value), written);
      at = stringEnd(event, value) + 1;
    }
  }
  return parts.length === 0 ? event : Buffer.concat([...parts, event.subarray(at)]);
}

function objectStarts(event: Buffer, of: { from: number; name: string }): number[] {
  return valueStarts(event, of).filter(start => event[start] === OPEN_BRACE);
}

/** A name may stand in an object twice, and it is not ours to say which of them counts. */
function valueStarts(event: Buffer, { from, name }: { from: number; name: string }): number[] {
  const { fields } = scanObject(event.subarray(from), Number.MAX_SAFE_INTEGER);
  return fields.filter(field => field.name === name).map(({ valueStart }) => from + valueStart);
}
