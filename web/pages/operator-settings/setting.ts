import type { Answer } from "../../api/client.ts";

export type Setting = Answer<"GET /operator/settings">["settings"][number];
/** What is to be saved: null gives a default back. What is not in it stays as it is. */
export type Draft = Readonly<Record<string, string | null>>;

/** Undefined takes back what was changed. */
export type Given = string | null | undefined;

/** What stands in the input. */
export function shownValue(setting: Setting, draft: Draft): string {
  const given = draft[setting.name];
  if (given === undefined) return setting.value;
  return given ?? setting.default;
}

/** Whether the environment has fixed it, so that nothing here can change it. */
export function isLocked({ from }: Setting): boolean {
  return from === "environment";
}

/** Back to what it is, and nothing is to be saved; emptied where it begins empty, and its default comes back. */
export function changed(draft: Draft, setting: Setting, value: Given): Draft {
  const { [setting.name]: _, ...others } = draft;
  if (value === undefined) return others;
  const isUnset = value === null || (value === "" && setting.default === "");
  if (isUnset) return setting.from === "console" ? { ...others, [setting.name]: null } : others;
  const isSame = setting.kind !== "secret" && value === setting.value;
  return isSame ? others : { ...others, [setting.name]: value };
}

/** The part of a draft that a section saves. */
export function partOf(draft: Draft, names: readonly string[]): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => names.includes(name)));
}

/** What was typed while some of it was on its way is still to be saved. */
export function unsaved(draft: Draft, saved: Draft): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([name, value]) => saved[name] !== value));
}

export function without(draft: Draft, names: readonly string[]): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !names.includes(name)));
}

/** The settings of these names, in their order; a server may lack one. */
export function named(settings: readonly Setting[], names: readonly string[]): Setting[] {
  return names.flatMap(name => settings.find(setting => setting.name === name) ?? []);
}
