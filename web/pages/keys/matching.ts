import type { Key } from "./draft.ts";
import type { KeysSearch } from "./use-search.ts";

export function isFiltered({ q, state, group }: KeysSearch): boolean {
  return q !== undefined || state !== undefined || group !== undefined;
}

/** Every word of the search is somewhere in the key's name, its preview, its group or its tool. Deleted ones only when asked for. */
export function matching(keys: readonly Key[], { q, state, group }: KeysSearch): Key[] {
  const wanted = folded(q ?? "")
    .split(/\s+/)
    .filter(Boolean);
  return keys.filter(key => {
    if (state === undefined ? key.state === "deleted" : key.state !== state) return false;
    if (group !== undefined && key.group.id !== group) return false;
    const text = folded([key.name, key.preview, key.group.name, key.last_used?.tool ?? "", key.id].join(" "));
    return wanted.every(word => text.includes(word));
  });
}

/** Without capitals and accents: “Büro” is found by “buro”. */
function folded(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
