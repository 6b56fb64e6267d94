import { useCallback } from "react";
import type { Language } from "../../words/language.ts";
import { useLanguage } from "../../words/language-provider.tsx";
import { sayIn } from "../../words/say.ts";
import { whyWords } from "./why-words.ts";

type Word = keyof (typeof whyWords)["en"];

const STATUSES: Readonly<Record<number, Word>> = {
  401: "refused",
  402: "unpaid",
  403: "refused",
  404: "unknown",
  429: "throttled",
};
const WHOLE: Readonly<Record<string, Word>> = {
  "what it sent is no answer": "noAnswer",
  upstream_failed: "failed",
  upstream_timeout: "timeout",
  upstream_overloaded: "overloaded",
};
const KINDS: Readonly<Record<string, Word>> = {
  connect: "connect",
  "connect-timeout": "connectTimeout",
  "first-byte-timeout": "firstByteTimeout",
  "idle-timeout": "idleTimeout",
  cut: "cut",
  protocol: "protocol",
  limit: "limit",
};
const SERVER_ERROR = 500;

/** Why something failed at an upstream, from what the gateway noted; what is not known stays as it was noted. */
export function whyText(why: string, language: Language): string {
  const say = sayIn(whyWords, language);
  const [, code] = /^status (\d{3})$/.exec(why) ?? [];
  if (code !== undefined) {
    const word = STATUSES[Number(code)] ?? (Number(code) >= SERVER_ERROR ? "broken" : "status");
    return say(word, { status: code, detail: "" });
  }
  const [, kind = "", detail = ""] = /^([a-z-]+): (.*)$/s.exec(why) ?? [];
  const word = WHOLE[why] ?? KINDS[kind];
  return word === undefined ? why : say(word, { status: "", detail });
}

export function useWhy(): (why: string) => string {
  const { language } = useLanguage();
  return useCallback((why: string) => whyText(why, language), [language]);
}
