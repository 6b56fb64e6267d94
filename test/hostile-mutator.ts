/** Makes nonsense of good streams and bodies, a little at a time; the same chance makes the same nonsense. */

export type Chance = () => number;

const DEEP = "@@deep@@";
const HUGE = "@@huge@@";

/** What a value may become; the marks stand for what cannot be written as a value. */
const NONSENSE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  -1e30,
  HUGE,
  "",
  " ",
  "12",
  "text",
  "__proto__",
  "\ud800",
  "\0",
  "x".repeat(3_000),
  [],
  [null],
  [[]],
  {},
  { type: "text", text: 5 },
  { error: null },
  DEEP,
];

export function below(chance: Chance, end: number): number {
  return Math.floor(chance() * end);
}

export function pick<T>(chance: Chance, options: readonly T[]): T {
  const picked = options[below(chance, options.length)];
  if (picked === undefined) throw new Error("nothing to pick from");
  return picked;
}

/** A stream of events: one to three changes of it, to its events or to its bytes. */
export function mutatedStream(stream: string, chance: Chance, other: string): Buffer {
  let events = stream.split(/(?<=\n\n)/);
  const changes = 1 + below(chance, 3);
  for (let made = 0; made < changes; made++) events = eventsChanged(events, chance, other);
  const bytes = Buffer.from(writtenOut(events.join(""), chance));
  return chance() < 0.3 ? bytesChanged(bytes, chance) : bytes;
}

export function mutatedBody(body: string, chance: Chance): Buffer {
  let text = body;
  const changes = 1 + below(chance, 3);
  for (let made = 0; made < changes; made++) text = jsonChanged(text, chance);
  const bytes = Buffer.from(writtenOut(text, chance));
  return chance() < 0.1 ? bytesChanged(bytes, chance) : bytes;
}

function eventsChanged(events: readonly string[], chance: Chance, other: string): string[] {
  if (events.length === 0) return [other];
  const [at, to] = [below(chance, events.length), below(chance, events.length)];
  const [here = "", there = ""] = [events[at], events[to]];
  switch (below(chance, 8)) {
    case 0:
      return events.toSpliced(at, 1);
    case 1:
      return events.toSpliced(to, 0, here);
    case 2:
      return events.with(at, there).with(to, here);
    case 3:
      return events.slice(0, at + 1);
    case 4:
      return events.toSpliced(at, 0, pick(chance, other.split(/(?<=\n\n)/)));
    default:
      return events.with(at, eventChanged(here, chance));
  }
}

function eventChanged(event: string, chance: Chance): string {
  return event.replace(/^data: (.*)$/m, (line: string, data: string) => {
    const changed = jsonChanged(data, chance);
    return changed === data ? line : `data: ${changed}`;
  });
}

function jsonChanged(text: string, chance: Chance): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const changed = valueChanged(value, { chance, place: below(chance, sizeOf(value)) });
  return JSON.stringify(changed) ?? "";
}

/** Last of all, for what is that deep is changed no more. */
function writtenOut(text: string, chance: Chance): string {
  const levels = chance() < 0.1 ? 100_000 : 200;
  const isList = chance() < 0.5;
  const deep = `${(isList ? "[" : '{"a":').repeat(levels)}1${(isList ? "]" : "}").repeat(levels)}`;
  return text.replaceAll(`"${DEEP}"`, () => deep).replaceAll(`"${HUGE}"`, "1e400");
}

type Change = { chance: Chance; place: number };

/** The nodes are numbered in the order in which they are written; the one at the place is changed. */
function valueChanged(value: unknown, { chance, place }: Change): unknown {
  if (place === 0) return chance() < 0.1 ? [value] : pick(chance, NONSENSE);
  if (typeof value !== "object" || value === null) return value;
  let from = 1;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const local = place - from;
    const size = sizeOf(inner);
    from += size;
    if (local < 0 || local >= size) return [[name, inner]];
    if (local === 0 && chance() < 0.25) return [];
    if (local === 0 && chance() < 0.1) return [[pick(chance, ["type", "__proto__", "", "index"]), inner]];
    return [[name, valueChanged(inner, { chance, place: local })]];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + sizeOf(inner), 1);
}

function bytesChanged(bytes: Buffer, chance: Chance): Buffer {
  const changed = Buffer.from(bytes);
  const count = 1 + below(chance, 6);
  for (let made = 0; made < count; made++) {
    const at = below(chance, changed.length);
    changed[at] = chance() < 0.5 ? below(chance, 256) : (changed[at] ?? 0) ^ (1 << below(chance, 8));
  }
  return chance() < 0.3 ? changed.subarray(0, below(chance, changed.length)) : changed;
}
