import type { Sorting } from "./table-column.ts";

/** As an address has it: `-spent` is the column spent, largest first. */
export function readSort(text: string | undefined): Sorting | undefined {
  if (text === undefined) return undefined;
  return text.startsWith("-") ? { id: text.slice(1), desc: true } : { id: text, desc: false };
}

export function writeSort(sorting: Sorting | null): string | undefined {
  return sorting === null ? undefined : `${sorting.desc ? "-" : ""}${sorting.id}`;
}
