/** Failures that say what was seen. */

export class Unexpected extends Error {}

export function expectText(what: string, { text, has }: { text: string; has: string | RegExp }): void {
  const found = typeof has === "string" ? text.includes(has) : has.test(text);
  if (!found) throw new Unexpected(`${what} should have ${has}, but is: ${shortened(text)}`);
}

export function expectEqual(what: string, { found, wanted }: { found: unknown; wanted: unknown }): void {
  if (!Bun.deepEquals(found, wanted))
    throw new Unexpected(`${what} should be ${JSON.stringify(wanted)}, but is ${JSON.stringify(found)}`);
}

const SHOWN_CHARACTERS_MAX = 1500;

function shortened(text: string): string {
  const whole = text.trim();
  return whole.length <= SHOWN_CHARACTERS_MAX ? whole : `… ${whole.slice(-SHOWN_CHARACTERS_MAX)}`;
}
