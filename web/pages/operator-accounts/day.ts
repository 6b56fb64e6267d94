/** Days as an input of the kind “date” has them, in the zone of whoever looks. */

const pad = (part: number) => String(part).padStart(2, "0");

export function dayOf(iso: string): string {
  const at = new Date(iso);
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
}

/** The day is included. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}
