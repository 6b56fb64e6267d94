const BYTES = 16;

/** A name of its own for one movement of money: sent twice under it, it moves once. */
export function newOnce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return `console-${[...bytes].map(byte => byte.toString(16).padStart(2, "0")).join("")}`;
}
