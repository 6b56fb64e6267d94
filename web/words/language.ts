export type Language = "en" | "zh";

export const LANGUAGES: readonly { id: Language; name: string }[] = [
  { id: "en", name: "English" },
  { id: "zh", name: "简体中文" },
];

/** What Intl is asked for. */
export const LOCALE: Record<Language, string> = { en: "en-GB", zh: "zh-CN" };

export function isLanguage(value: unknown): value is Language {
  return value === "en" || value === "zh";
}

/** The account's choice, else this browser's, else the house's, else the first of the browser's languages that there is. */
export function pickLanguage(from: {
  account: Language | null;
  kept: string | null;
  /** `auto` where it leaves it to the browser. */
  house?: string;
  browser: readonly string[];
}): Language {
  if (from.account !== null) return from.account;
  if (isLanguage(from.kept)) return from.kept;
  if (isLanguage(from.house)) return from.house;
  for (const tag of from.browser) {
    const start = tag.toLowerCase().split("-")[0];
    if (isLanguage(start)) return start;
  }
  return "en";
}
