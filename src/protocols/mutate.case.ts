import fc from "fast-check";

/** Makes nonsense of good JSON, a little at a time: this is how upstreams and clients go wrong. */

type Change = { at: number; with: unknown; how: "replace" | "remove" | "wrap" | "repeat" };

const NONSENSE: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e30,
    Number.MAX_SAFE_INTEGER,
    "",
    " ",
    "text",
    "__proto__",
    "constructor",
    "12",
    [],
    [null],
    [[]],
    {},
    { type: "text" },
    { type: null },
    { error: null },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    at: fc.nat(10_000),
    with: NONSENSE,
    how: fc.constantFrom<Change["how"]>("replace", "replace", "remove", "wrap", "repeat"),
  }),
  { minLength: 1, maxLength: 3 },
);

export function mutated(value: unknown, made: readonly Change[]): unknown {
  return made.reduce((whole, change) => changedAt(whole, change, change.at % sizeOf(whole)), value);
}

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + sizeOf(inner), 1);
}

/** The nodes are numbered in the order in which they are written. */
function changedAt(value: unknown, change: Change, place: number): unknown {
  if (place === 0) return change.how === "wrap" ? [value] : change.with;
  if (Array.isArray(value)) {
    return entriesChanged([...value.entries()], change, place).map(([, inner]) => inner);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(entriesChanged(Object.entries(value), change, place));
}

function entriesChanged<Key>(entries: [Key, unknown][], change: Change, place: number): [Key, unknown][] {
  let from = 1;
  return entries.flatMap(([key, inner]): [Key, unknown][] => {
    const local = place - from;
    from += sizeOf(inner);
    if (local < 0 || local >= sizeOf(inner)) return [[key, inner]];
    if (local === 0 && change.how === "remove") return [];
    if (local === 0 && change.how === "repeat")
      return [
        [key, inner],
        [key, inner],
      ];
    return [[key, changedAt(inner, change, local)]];
  });
}
