import { textOf } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";

/** A text that must be there; empty where it is not, which is a problem. */
export function requiredText(
  item: Json,
  { field, at, problems }: { field: string; at: string; problems: Problems },
): string {
  const value = textOf(item[field]);
  if (value === "") problems.add({ at: `${at}.${field}`, clause: "must be a text, and not empty" });
  return value;
}
