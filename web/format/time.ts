import { type Language, LOCALE } from "../words/language.ts";
import { dateFormat } from "./formats.ts";

/** Times come as ISO 8601 in UTC and are shown in the zone of whoever looks. */

export type TimeForm = "date" | "date-time" | "date-time-seconds" | "time" | "day";

const FORMS: Record<TimeForm, Intl.DateTimeFormatOptions> = {
  date: { dateStyle: "medium" },
  "date-time": { dateStyle: "medium", timeStyle: "short" },
  "date-time-seconds": { dateStyle: "medium", timeStyle: "medium" },
  time: { timeStyle: "medium" },
  day: { day: "numeric", month: "short" },
};

export function formatTime(
  iso: string,
  language: Language,
  form: TimeForm = "date-time",
  zone?: string,
): string {
  const options = zone === undefined ? FORMS[form] : { ...FORMS[form], timeZone: zone };
  return dateFormat(LOCALE[language], options).format(new Date(iso));
}

const STEPS: readonly { unit: Intl.RelativeTimeFormatUnit; ms: number }[] = [
  { unit: "year", ms: 365 * 86_400_000 },
  { unit: "month", ms: 30 * 86_400_000 },
  { unit: "week", ms: 7 * 86_400_000 },
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
  { unit: "second", ms: 1000 },
];

/** 12 sec ago, in 3 days. */
export function formatRelative(iso: string, now: number, language: Language): string {
  const away = Date.parse(iso) - now;
  const step = STEPS.find(({ ms }) => Math.abs(away) >= ms);
  const format = new Intl.RelativeTimeFormat(LOCALE[language], { numeric: "auto", style: "short" });
  return step === undefined
    ? format.format(0, "second")
    : format.format(Math.trunc(away / step.ms), step.unit);
}

/** How long until the words for a moment change, at most an hour. */
export function nextChangeMs(iso: string, now: number): number {
  const away = Math.abs(Date.parse(iso) - now);
  if (away < 60_000) return 1000;
  if (away < 3_600_000) return 60_000 - (away % 60_000) + 50;
  return 3_600_000;
}
