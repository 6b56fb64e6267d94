const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** An ISO date (its first moment in UTC) or an ISO time with its zone, as epoch milliseconds; null for anything else. */
export function parseMoment(text: string): number | null {
  const match = SHAPE.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour = "0", minute = "0", second = "0"] = match;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // 30 February would silently become 2 March.
  if (Number(year) < 1970 || date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day))
    return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const ms = Date.parse(text.replace(" ", "T").toUpperCase());
  return Number.isNaN(ms) ? null : ms;
}
