import { keptBrand, showAccent } from "./browser/brand.ts";
import { kept } from "./browser/kept.ts";
import { keptTheme, showTheme } from "./browser/theme.ts";
import { LOCALE, pickLanguage } from "./words/language.ts";

/** Runs before the first paint, in a file of its own because the page allows no inline script. */
showTheme(keptTheme());
const { accent, language: house } = keptBrand();
showAccent(accent);
const language = pickLanguage({
  account: null,
  kept: kept("language"),
  house,
  browser: navigator.languages,
});
document.documentElement.lang = LOCALE[language];
