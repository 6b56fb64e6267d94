import { type Language, LOCALE } from "../words/language.ts";
import { numberFormat } from "./formats.ts";

export function formatCount(count: number, language: Language): string {
  return numberFormat(LOCALE[language]).format(count);
}

/** British English writes 214.6m, which reads as thousandths. */
const COMPACT: Record<Language, string> = { ...LOCALE, en: "en-US" };

/** 214.6M, or 2.1亿. */
export function formatCompact(count: number, language: Language): string {
  return numberFormat(COMPACT[language], { notation: "compact", maximumFractionDigits: 1 }).format(count);
}

/** Of a share between 0 and 1. */
export function formatShare(share: number, language: Language): string {
  return numberFormat(LOCALE[language], { style: "percent", maximumFractionDigits: 0 }).format(share);
}

function unit(value: number, name: "millisecond" | "second" | "minute" | "hour", language: Language): string {
  return numberFormat(LOCALE[language], {
    style: "unit",
    unit: name,
    unitDisplay: language === "en" ? "narrow" : "short",
    maximumFractionDigits: name === "second" && value < 100 ? (value < 10 ? 2 : 1) : 0,
  }).format(value);
}

/** How long something took: 812ms, 9.41s, 2m 3s. */
export function formatDuration(ms: number, language: Language): string {
  if (ms < 1000) return unit(ms, "millisecond", language);
  if (ms < 60_000) return unit(ms / 1000, "second", language);
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1000);
  if (minutes >= 60) return unit(ms / 3_600_000, "hour", language);
  return seconds === 0
    ? unit(minutes, "minute", language)
    : `${unit(minutes, "minute", language)} ${unit(seconds, "second", language)}`;
}
