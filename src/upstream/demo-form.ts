import { isObject, type JsonObject } from "./demo-json.ts";
import type { DemoFile } from "./demo-task.ts";

/** Reads a form of parts (RFC 7578); of several files the last one counts. Null where it is no such form. */
export function readForm(form: {
  body: Uint8Array;
  contentType?: string | null;
}): { body: JsonObject; file: DemoFile | null } | null {
  const bytes = Buffer.from(form.body.buffer, form.body.byteOffset, form.body.byteLength);
  const between = boundaryOf(bytes, form.contentType ?? "");
  if (between === null) return null;
  const fields: [string, unknown][] = [];
  let file: DemoFile | null = null;
  for (const part of partsBetween(bytes, between)) {
    if (part.fileName === null) fields.push([part.name, fieldValue(part)]);
    else file = { name: part.fileName, bytes: part.bytes };
  }
  return { body: Object.fromEntries(fields), file };
}

/** The header names it, and the body begins with it. */
function boundaryOf(bytes: Buffer, contentType: string): string | null {
  const named = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const name = named?.[1] ?? named?.[2];
  if (name !== undefined) return `--${name}`;
  const firstLine = bytes.subarray(0, Math.max(0, bytes.indexOf("\r\n"))).toString("latin1");
  return /^--[\x21-\x7e]{1,200}$/.test(firstLine) ? firstLine : null;
}

type FormPart = { name: string; fileName: string | null; bytes: Buffer };

function partsBetween(bytes: Buffer, between: string): FormPart[] {
  const parts: FormPart[] = [];
  let from = bytes.indexOf(between);
  while (from >= 0) {
    from += between.length + "\r\n".length;
    const next = bytes.indexOf(`\r\n${between}`, from);
    const headEnd = bytes.indexOf("\r\n\r\n", from);
    if (next < 0 || headEnd < 0) break;
    const head = bytes.subarray(from, headEnd).toString("utf8");
    const name = /\bname="([^"]*)"/i.exec(head.replace(/\bfilename="[^"]*"/i, ""))?.[1];
    const fileName = /\bfilename="([^"]*)"/i.exec(head)?.[1] ?? null;
    const start = headEnd + "\r\n\r\n".length;
    if (name !== undefined && start <= next)
      parts.push({ name, fileName, bytes: bytes.subarray(start, next) });
    from = next + "\r\n".length;
  }
  return parts;
}

/** A form has texts only; the demo's own field is JSON inside one. */
function fieldValue({ name, bytes }: FormPart): unknown {
  const text = bytes.toString("utf8");
  if (name !== "demo") return text;
  try {
    const settings: unknown = JSON.parse(text);
    return isObject(settings) ? settings : text;
  } catch {
    return text;
  }
}
