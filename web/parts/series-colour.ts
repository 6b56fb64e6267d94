const COLOURS = 8;

/** Series keep the colour of their place; the rest together is quiet. */
export function seriesColour(at: number, isRest = false): string {
  return isRest ? "var(--series-rest)" : `var(--series-${(at % COLOURS) + 1})`;
}
