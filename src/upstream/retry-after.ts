const RETRY_AFTER_MS_MAX = 3_600_000;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long an upstream asks to be left alone: in seconds or as a date, by the standard, or in milliseconds, as some do.
 * A date is measured against the upstream's own clock where it tells it. Null where it asks for nothing.
 */
export function retryAfter(headers: ReadonlyMap<string, string>, nowMs: number): number | null {
  const fine = Number(headers.get("retry-after-ms") ?? "");
  if (Number.isFinite(fine) && fine > 0) return Math.min(fine, RETRY_AFTER_MS_MAX);
  const given = headers.get("retry-after")?.trim() ?? "";
  const seconds = Number(given);
  if (given === "" || seconds <= 0) return null;
  if (Number.isFinite(seconds)) return Math.min(1_000 * seconds, RETRY_AFTER_MS_MAX);
  const dateMs = HTTP_DATE.test(given) ? Date.parse(given) : Number.NaN;
  const theirNowMs = Date.parse(headers.get("date") ?? "");
  const ms = dateMs - (Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
  return ms > 0 ? Math.min(ms, RETRY_AFTER_MS_MAX) : null;
}
