import { useCallback } from "react";
import type { Dictionary } from "../../words/define-words.ts";
import { useLanguage } from "../../words/language-provider.tsx";
import { actionWords, nounWords, throughWords } from "./entry-words.ts";

/** What the server calls things, in the language chosen; what is new to this page stays as it is. */
export function useNames() {
  const { language } = useLanguage();
  const named = useCallback(
    (words: { en: Dictionary; zh: Record<string, string> }, name: string): string => {
      const found = words[language][name.replaceAll(" ", "_")];
      return typeof found === "string" ? found : name;
    },
    [language],
  );
  return {
    nounName: (noun: string) => named(nounWords, noun),
    actionName: (action: string) => named(actionWords, action),
    throughName: (through: string) => named(throughWords, through),
  };
}
