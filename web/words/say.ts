import type { ReactNode } from "react";
import { numberFormat } from "../format/formats.ts";
import type { Dictionary, Entry, Slots, Words } from "./define-words.ts";
import { type Language, LOCALE } from "./language.ts";

type Values<E, V> = [Slots<E>] extends [never] ? [] : [values: Record<Slots<E>, V>];

/** Says an entry in the language chosen; numbers are written the way that language writes them. */
export type Say<D extends Dictionary> = {
  <K extends keyof D & string>(key: K, ...values: Values<D[K], string | number>): string;
  /** The same with elements in the braces, such as a piece of code. */
  rich: <K extends keyof D & string>(key: K, ...values: Values<D[K], ReactNode>) => ReactNode[];
  language: Language;
};

const SLOT = /\{(\w+)\}/;

function sentence(entry: Entry, values: Record<string, unknown>, language: Language): string {
  if (typeof entry === "string") return entry;
  const count = Number(values["count"]);
  return new Intl.PluralRules(LOCALE[language]).select(count) === "one" ? entry.one : entry.other;
}

function shown(value: unknown, language: Language): ReactNode {
  if (typeof value === "number") return numberFormat(LOCALE[language]).format(value);
  return value as ReactNode;
}

/** Odd places are the slots: `String.split` keeps what its pattern catches. */
function fill(text: string, values: Record<string, unknown>, language: Language): ReactNode[] {
  return text.split(SLOT).map((part, at) => (at % 2 === 0 ? part : shown(values[part], language)));
}

export function sayIn<D extends Dictionary>(words: Words<D>, language: Language): Say<D> {
  const parts = (key: string, values: Record<string, unknown> = {}) => {
    const entry: Entry = words[language][key] ?? key;
    return fill(sentence(entry, values, language), values, language);
  };
  const say = (key: string, values?: Record<string, unknown>) => parts(key, values).join("");
  return Object.assign(say, { rich: parts, language }) as Say<D>;
}
