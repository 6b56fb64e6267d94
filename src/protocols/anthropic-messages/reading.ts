import { textOf } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";

/** Something of a client's prompt, and where it stands. */
export type Reading = { block: Json; at: string; problems: Problems };

/** A text that must be there, and must not be empty. */
export function required({ block, at, problems }: Reading, name: string): string | null {
  const value = textOf(block[name]);
  if (value !== "") return value;
  problems.add({ at: `${at}.${name}`, clause: "must be a text that is not empty" });
  return null;
}
