const DISTANCE_MAX = 2;

/** The known word that was most likely meant, or null where none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = DISTANCE_MAX + 1;
  for (const candidate of known) {
    const begins = word.length >= 3 && candidate.startsWith(word);
    const found = begins ? 1 : distance(word, candidate);
    if (found < bestDistance && found < candidate.length) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

/** Levenshtein's: how many letters must be added, dropped or changed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
