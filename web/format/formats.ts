/** To make one of these takes longer than to use it a hundred times, so each is made once. */

const made = new Map<string, unknown>();

function once<T>(kind: string, given: { locale: string; options: object }, make: () => T): T {
  const key = `${kind} ${given.locale} ${JSON.stringify(given.options)}`;
  const found = made.get(key) as T | undefined;
  if (found !== undefined) return found;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}

export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return once("number", { locale, options }, () => new Intl.NumberFormat(locale, options));
}

export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return once("date", { locale, options }, () => new Intl.DateTimeFormat(locale, options));
}
