const SLOT = /\{(\w+)\}/;

/** What fills the braces of a template in a sentence that was made from it; nothing where it was not. */
export function readParams(template: string, sentence: string): Record<string, string> {
  const parts = template.split(SLOT);
  const names = parts.filter((_, at) => at % 2 === 1);
  if (names.length === 0) return {};
  const pattern = parts.map((part, at) => (at % 2 === 1 ? "(.*?)" : escaped(part))).join("");
  const match = new RegExp(`^${pattern}$`, "s").exec(sentence);
  if (match === null) return {};
  const found: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const value = match[at + 1] ?? "";
    // A place that was left unfilled tells nothing.
    if (!SLOT.test(value)) found[name] = value;
  }
  return found;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
