import { isWithin, type Range, rangeClause } from "./check-fields.ts";
import { isAbsent } from "./json-value.ts";
import type { Problems } from "./problems.ts";

export type PlacedNumber = { value: unknown; at: string; problems: Problems };

/** A number of a prompt; null where none is given, or one out of its range, which is a problem. */
export function readNumber({ value, at, problems }: PlacedNumber, range: Range): number | null {
  if (isAbsent(value)) return null;
  if (isWithin(value, range)) return value;
  problems.add({ at, clause: rangeClause(range) });
  return null;
}
