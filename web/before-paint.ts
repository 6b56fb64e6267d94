import { kept } from "./browser/kept.ts";
import { keptTheme, showTheme } from "./browser/theme.ts";
import { LOCALE, pickLanguage } from "./words/language.ts";

/** Runs before the first paint, in a file of its own because the page allows no inline script. */
showTheme(keptTheme());
const language = pickLanguage({ account: null, kept: kept("language"), browser: navigator.languages });
document.documentElement.lang = LOCALE[language];
