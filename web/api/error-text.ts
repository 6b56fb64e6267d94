import { useCallback } from "react";
import type { Language } from "../words/language.ts";
import { useLanguage } from "../words/language-provider.tsx";
import { sayIn } from "../words/say.ts";
import { ApiError, type ErrorCode } from "./api-error.ts";
import { errorWords } from "./error-words.ts";

type PlainCode = Exclude<ErrorCode, "invalid" | "conflict" | "throttled">;

function plain(code: PlainCode, language: Language): string {
  return errorWords[language][code];
}

/** A failure as a sentence to act on. */
export function errorText(error: unknown, language: Language): string {
  const say = sayIn(errorWords, language);
  if (!(error instanceof ApiError)) return say("unexpected");
  switch (error.code) {
    case "invalid":
    case "conflict":
      return error.message;
    case "throttled":
      return error.retryAfterSeconds === null
        ? say("throttledSome")
        : say("throttled", { count: error.retryAfterSeconds });
    case "failed":
      return error.requestId === null
        ? say("failed")
        : say("withId", { text: say("failed"), id: error.requestId });
    case "not_allowed":
    case "wrong_sign_in":
    case "link_invalid":
    case "not_found":
      return language === "en" && error.message !== "" ? error.message : plain(error.code, language);
    default:
      return plain(error.code, language);
  }
}

/** `const tell = useErrorText()`, then `tell(error)`. */
export function useErrorText(): (error: unknown) => string {
  const { language } = useLanguage();
  return useCallback((error: unknown) => errorText(error, language), [language]);
}
