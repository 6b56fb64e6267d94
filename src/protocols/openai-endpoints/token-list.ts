/** A text may also be given as the numbers of its tokens. */
export function isTokenList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isToken);
}

function isToken(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
