import { useCallback } from "react";
import { catalogue, type Reason } from "../../src/domain/errors.ts";
import { formatTime } from "../format/time.ts";
import type { Language } from "../words/language.ts";
import { useLanguage } from "../words/language-provider.tsx";
import { keyProblemZh } from "./key-problem-words.ts";
import { readParams } from "./read-params.ts";
import { reasonTitle } from "./reason-title.ts";
import { refusalsZh } from "./refusals-zh.ts";

export type Refused = { reason: string; message: string; remedy: string };
export type RefusalText = { title: string; message: string; remedy: string };

function isReason(reason: string): reason is Reason {
  return Object.hasOwn(catalogue, reason);
}

/** A refusal of the gateway for people: the server's English, or Chinese with the same particulars. */
export function refusalText(refused: Refused, language: Language): RefusalText {
  const { reason, message, remedy } = refused;
  const title = reasonTitle(reason, language);
  if (language === "en" || !isReason(reason)) return { title, message, remedy };
  const { message: english, remedy: englishRemedy } = catalogue[reason];
  const told = refusalsZh[reason];
  const params = { ...readParams(englishRemedy, remedy), ...readParams(english, message) };
  const zh = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, paramZh(name, value)]));
  return {
    title,
    message: filled(told.message, zh) ?? told.bare ?? told.message,
    remedy: filled(told.remedy, zh) ?? withoutSlots(told.remedy),
  };
}

const WORDS_ZH: Record<string, string> = {
  requests: "个请求",
  tokens: "个 token",
  day: "天",
  week: "周",
  month: "月",
  "The account of this key": "此密钥所属账户",
};

function paramZh(name: string, value: string): string {
  if (name === "problem") return keyProblemZh(value) ?? value;
  if (name === "whose") return WORDS_ZH[value] ?? value.replace(/^The key “(.*)”$/s, "密钥“$1”");
  if (name === "what" || name === "period") return WORDS_ZH[value] ?? value;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return formatTime(value, "zh");
  return value;
}

/** Null where something that the sentence needs is not there. */
function filled(template: string, params: Record<string, string>): string | null {
  let isWhole = true;
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    // A row of an older version has no particulars, and its sentence has an ellipsis in their place.
    if (value === undefined || value === "…") isWhole = false;
    return value ?? "";
  });
  return isWhole ? text : null;
}

/** The first sentence of a remedy that needs none of what is missing. */
function withoutSlots(template: string): string {
  const parts = template.split(/(?<=[。；])/).filter(part => !part.includes("{"));
  return parts.join("") || "请稍后重试，或联系管理员。";
}

export function useRefusalText(): (refused: Refused) => RefusalText {
  const { language } = useLanguage();
  return useCallback((refused: Refused) => refusalText(refused, language), [language]);
}
