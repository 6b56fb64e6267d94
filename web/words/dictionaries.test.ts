import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { Dictionary, Entry, Words } from "./define-words.ts";

/** Every dictionary of the app, found by its form. */

const web = join(import.meta.dir, "..");
const read = (path: string) => readFileSync(join(web, path), "utf8");
const files = [...new Glob("**/*.{ts,tsx}").scanSync({ cwd: web })]
  .filter(path => !path.includes(".test."))
  .sort();

function isWords(value: unknown): value is Words<Dictionary> {
  return typeof value === "object" && value !== null && "en" in value && "zh" in value;
}

const dictionaries: { path: string; words: Words<Dictionary> }[] = [];
for (const path of files.filter(file => file.endsWith(".ts") && /defineWords\(\{/.test(read(file)))) {
  const found = Object.values(await import(join(web, path))).filter(isWords);
  dictionaries.push(...found.map(words => ({ path, words })));
}

const texts = (entry: Entry) => (typeof entry === "string" ? [entry] : [entry.one, entry.other]);
const slots = (entry: Entry) =>
  [...new Set(texts(entry).flatMap(text => [...text.matchAll(/\{(\w+)\}/g)].map(match => match[1])))].sort();

/** Names and what is typed into a machine stay as they are in every language. */
const isName = (text: string) => !/[a-z]{2,} [a-z]{2,} [a-z]{2,}/i.test(text.replaceAll(/\{\w+\}/g, ""));

const each = (check: (given: { key: string; en: Entry; zh: string }) => boolean): string[] =>
  dictionaries.flatMap(({ path, words }) =>
    Object.entries(words.en)
      .filter(([key, en]) => !check({ key, en, zh: words.zh[key] ?? "" }))
      .map(([key]) => `${path}: ${key}`),
  );

describe("dictionaries", () => {
  test("are found, and have the same keys in both languages", () => {
    expect(dictionaries.length).toBeGreaterThan(5);
    for (const { words } of dictionaries)
      expect(Object.keys(words.zh).sort()).toEqual(Object.keys(words.en).sort());
  });

  test("leave no entry empty", () => {
    expect(each(({ en, zh }) => zh.trim() !== "" && texts(en).every(text => text.trim() !== ""))).toEqual([]);
  });

  test("ask for the same values in both languages", () => {
    // Where English counts, Chinese may leave the number out.
    const without = (entry: Entry) => slots(entry).filter(slot => slot !== "count");
    expect(each(({ en, zh }) => Bun.deepEquals(without(en), without(zh)))).toEqual([]);
  });

  test("leave no English sentence in the Chinese", () => {
    expect(each(({ en, zh }) => (texts(en).includes(zh) ? isName(zh) : true) && isName(zh))).toEqual([]);
  });

  test("write Chinese with Chinese marks", () => {
    expect(
      each(({ zh }) => !/[\u4e00-\u9fff][,;!?]/.test(zh) && !/[\u4e00-\u9fff]\.(\s|$)/.test(zh)),
    ).toEqual([]);
  });
});

/** Text between tags, and text in the attributes that are read out. A simple check: what it cannot see, a person can. */
const LITERALS = [
  /(?<!=)>([^<>{}=;()`]*[A-Za-z\u4e00-\u9fff]{2,}[^<>{}=;()`]*)<\//g,
  /\s(?:aria-label|title|placeholder|alt|label|hint|description|text)="([^"]*[A-Za-z\u4e00-\u9fff]{2,}[^"]*)"/g,
];

/** The beginning of a key, an address: the same in every language. */
const isForMachines = (text: string) => /^\S*[_/:]\S*$/.test(text);

describe("markup", () => {
  test("has no text of its own: every word comes from a dictionary", () => {
    const found = files
      .filter(path => path.endsWith(".tsx"))
      .flatMap(path =>
        LITERALS.flatMap(pattern =>
          [...read(path).matchAll(pattern)]
            .map(match => match[1]?.trim() ?? "")
            .filter(text => !isForMachines(text))
            .map(text => `${path}: ${text}`),
        ),
      );
    expect(found).toEqual([]);
  });

  test("is seen by that check where it has text", () => {
    const seen = (text: string) => LITERALS.some(pattern => text.match(pattern) !== null);
    expect(seen("<p>Hello there</p>")).toBe(true);
    expect(seen('<input placeholder="Your name" />')).toBe(true);
    expect(seen('<p>{say("hello")}</p>')).toBe(false);
    expect(seen("const a = (b: Map<string, Foo>) => c;</")).toBe(false);
  });
});
