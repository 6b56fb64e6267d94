/** The server speaks English: a sentence of its own by its form, and the same in Chinese with the same particulars. */
export type SentenceRule = readonly [english: RegExp, chinese: (...found: string[]) => string];

/** Null where none of the rules knows it. */
export function inChinese(rules: readonly SentenceRule[], english: string): string | null {
  for (const [pattern, chinese] of rules) {
    const found = pattern.exec(english);
    if (found !== null) return chinese(...found.slice(1).map(part => part ?? ""));
  }
  return null;
}
