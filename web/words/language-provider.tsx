import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";
import { keptBrand } from "../browser/brand.ts";
import { keep, kept } from "../browser/kept.ts";
import type { Dictionary, Words } from "./define-words.ts";
import { type Language, LOCALE, pickLanguage } from "./language.ts";
import { type Say, sayIn } from "./say.ts";

type Choice = {
  language: Language;
  choose: (language: Language) => void;
  /** What the house would have, for whoever has not chosen. */
  offer: (house: string) => void;
};

const LanguageContext = createContext<Choice>({ language: "en", choose: () => {}, offer: () => {} });

function picked(house: string): Language {
  return pickLanguage({ account: null, kept: kept("language"), house, browser: navigator.languages });
}

export function LanguageProvider({ children, initial }: { children: ReactNode; initial?: Language }) {
  const [language, setLanguage] = useState<Language>(() => initial ?? picked(keptBrand().language));
  const choose = useCallback((next: Language) => {
    keep("language", next);
    setLanguage(next);
  }, []);
  const offer = useCallback((house: string) => setLanguage(picked(house)), []);
  useEffect(() => {
    document.documentElement.lang = LOCALE[language];
  }, [language]);
  const choice = useMemo(() => ({ language, choose, offer }), [language, choose, offer]);
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

export function useLanguage(): Choice {
  return use(LanguageContext);
}

/** A page's words in the language chosen: `const say = useWords(words)`, then `say("title")`. */
export function useWords<D extends Dictionary>(words: Words<D>): Say<D> {
  const { language } = use(LanguageContext);
  return useMemo(() => sayIn(words, language), [words, language]);
}
