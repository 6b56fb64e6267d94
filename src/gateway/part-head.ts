export type PartName = { name: string; isFile: boolean; isEncoded: boolean };

const DISPOSITION = /^content-disposition[ \t]*:[ \t]*form-data[ \t]*(?=;|$)/i;
const PARAMETER = /;[ \t]*([a-z0-9*_-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))[ \t]*/iy;
const PLAIN_ENCODINGS = /^content-transfer-encoding[ \t]*:[ \t]*(7bit|8bit|binary)[ \t]*$/i;

/**
 * Whose part of a form it is. Only one way to write it is taken, so that nobody upstream can read another name in it: a
 * request is priced by a field of the form.
 */
export function partName(head: string): PartName | { problem: string } {
  const lines = head.split("\r\n");
  if (/[\r\n]/.test(lines.join("")) || lines.some(line => /^[ \t]/.test(line)))
    return { problem: "a part of the form has a head that is not understood" };
  const dispositions = lines.filter(line => /^content-disposition/i.test(line));
  const [disposition = ""] = dispositions;
  const parameters = dispositions.length === 1 ? parametersOf(disposition) : null;
  const name = parameters?.get("name");
  if (parameters === null || name === undefined || parameters.has("name*"))
    return { problem: "a part of the form has no name, or one that is not understood" };
  const isFile = parameters.has("filename") || parameters.has("filename*");
  const isEncoded = lines.some(
    line => /^content-transfer-encoding/i.test(line) && !PLAIN_ENCODINGS.test(line),
  );
  return { name, isFile, isEncoded };
}

/** Null where it is no list of parameters, or has one twice. */
function parametersOf(disposition: string): Map<string, string> | null {
  const start = DISPOSITION.exec(disposition)?.[0].length;
  if (start === undefined) return null;
  const found = new Map<string, string>();
  PARAMETER.lastIndex = start;
  while (PARAMETER.lastIndex < disposition.length) {
    const match = PARAMETER.exec(disposition);
    if (match === null) return null;
    const name = (match[1] ?? "").toLowerCase();
    if (found.has(name)) return null;
    found.set(name, match[2]?.replace(/\\(.)/g, "$1") ?? match[3] ?? "");
  }
  return found;
}
