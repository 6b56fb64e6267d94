/** What a group has besides models to talk to. */
const OTHER_WORK = /embed|image|dall-e|tts|whisper|speech|transcri|audio|moderation|rerank/i;

/** The first wish that a model fulfils; of several the last by name, which is the newest where names count up. */
export function pickModel(names: readonly string[], wishes: readonly RegExp[]): string | null {
  const talking = names.filter(name => !OTHER_WORK.test(name));
  const candidates = talking.length > 0 ? talking : names;
  for (const wish of wishes) {
    const found = candidates
      .filter(name => wish.test(name))
      .sort(byName)
      .at(-1);
    if (found !== undefined) return found;
  }
  return candidates[0] ?? null;
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
