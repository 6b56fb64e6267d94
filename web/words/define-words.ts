/** A sentence, or one for one and one for many by its `count`. */
export type Entry = string | { one: string; other: string };
export type Dictionary = Record<string, Entry>;

type SlotsIn<Text> = Text extends `${string}{${infer Slot}}${infer Rest}` ? Slot | SlotsIn<Rest> : never;

/** The names in braces that a sentence has to be given. */
export type Slots<E> = E extends { one: infer One; other: infer Other }
  ? SlotsIn<One> | SlotsIn<Other> | "count"
  : SlotsIn<E>;

/** Chinese has one form for any count, so each of its entries is one sentence. */
export type Words<D extends Dictionary> = { en: D; zh: { [K in keyof D]: string } };

/** A page's words: the English ones give the keys, and leaving one out of the Chinese is a type error. */
export function defineWords<const D extends Dictionary>(words: {
  en: D;
  zh: { [K in keyof NoInfer<D>]: string };
}): Words<D> {
  return words;
}
