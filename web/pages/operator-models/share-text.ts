import { numberFormat } from "../../format/formats.ts";
import { type Language, LOCALE } from "../../words/language.ts";

/** A change as a share of what was: +12.5%, −40%. */
export function shareText(share: number, language: Language): string {
  const size = Math.abs(share);
  const maximumFractionDigits = size < 1 ? 1 : 0;
  const options = { style: "percent", maximumFractionDigits, signDisplay: "exceptZero" } as const;
  return numberFormat(LOCALE[language], options).format(share).replace("-", "−");
}
