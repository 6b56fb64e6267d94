/** Text inside other text, written so that it stays what it is whatever it holds. */

/** What a JSON text may hold as it is and other languages, or people's eyes, do not take: written as an escape. */
const TO_ESCAPE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * A string literal of JSON, which is one of TOML, YAML, Python and TypeScript, too. Doubled braces are broken up,
 * because clients and the console take them for places to fill in.
 */
export function quoted(text: string): string {
  return breakBraces(escapeOdd(JSON.stringify(text)));
}

export function jsonText(value: unknown): string {
  return escapeOdd(JSON.stringify(value, null, 2));
}

/** On one line and in plain ASCII, for shells whose encoding nobody knows. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escapeOf);
}

export function bashQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** PowerShell takes four typographic quotes for plain ones. */
export function powershellQuoted(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, quote => quote + quote)}'`;
}

/** Between double quotes cmd still fills in variables, and has no way to write a double quote: null where it matters. */
export function cmdQuoted(text: string): string | null {
  return /[%!"\p{Cc}]/u.test(text) ? null : `"${text}"`;
}

/** As an argument with its double quotes escaped, which cmd itself does not see as inside; null where that matters. */
export function cmdArgument(text: string): string | null {
  if (/[%!^&|<>\p{Cc}]|\\"/u.test(text)) return null;
  return `"${text.replaceAll('"', '\\"')}"`;
}

function escapeOdd(json: string): string {
  return json.replace(TO_ESCAPE, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function breakBraces(literal: string): string {
  return literal.replaceAll("{", "\\u007b");
}
