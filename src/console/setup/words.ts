import { english } from "./words-en.ts";
import { chinese } from "./words-zh.ts";

export type Language = "en" | "zh";
/** Every sentence around the texts; the two languages have the same ones by type. */
export type Words = typeof english;

export function wordsOf(language: Language): Words {
  return language === "zh" ? chinese : english;
}
