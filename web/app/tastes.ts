import { useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { type Session, sessionQuery } from "../api/session.ts";
import { chooseTheme, type Theme } from "../browser/theme.ts";
import type { Language } from "../words/language.ts";
import { useLanguage } from "../words/language-provider.tsx";

/** Choices show at once and are kept by the account; where that fails they still hold in this browser. */
export function useTastes(session: Session) {
  const queries = useQueryClient();
  const { choose } = useLanguage();
  const save = async (change: { language?: Language; theme?: Theme }) => {
    const next: Session = { ...session, account: { ...session.account, ...change } };
    queries.setQueryData<Session | null>(sessionQuery.queryKey, next);
    await call("PATCH /account", { body: change }).catch(() => undefined);
    void queries.invalidateQueries({ queryKey: ["GET /account"] });
  };
  return {
    setTheme: (theme: Theme) => {
      chooseTheme(theme);
      void save({ theme });
    },
    setLanguage: (language: Language) => {
      choose(language);
      void save({ language });
    },
  };
}
