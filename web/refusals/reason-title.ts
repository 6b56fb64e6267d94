import { useCallback } from "react";
import type { Language } from "../words/language.ts";
import { useLanguage } from "../words/language-provider.tsx";
import { titlesEn, titlesZh } from "./refusal-words.ts";

/** Apart from the sentences: a list of requests needs the titles alone. */

function isTitled(reason: string): reason is keyof typeof titlesEn {
  return Object.hasOwn(titlesEn, reason);
}

/** A few words, for a pill. A reason of a newer server is shown as it is. */
export function reasonTitle(reason: string, language: Language): string {
  if (!isTitled(reason)) return reason.replaceAll("_", " ");
  return (language === "zh" ? titlesZh : titlesEn)[reason];
}

export function useReasonTitle(): (reason: string) => string {
  const { language } = useLanguage();
  return useCallback((reason: string) => reasonTitle(reason, language), [language]);
}
