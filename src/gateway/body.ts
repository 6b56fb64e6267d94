import { type Refusal, refusal } from "../domain/errors.ts";

export type BodyResult = { bytes: Buffer } | { refusal: Refusal };

/** The whole body, or why it is not taken. A declared length is believed before a byte is read. */
export async function readBody(request: Request, bytesMax: number): Promise<BodyResult> {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    return {
      refusal: refusal("unsupported_media_type", { found: `content-encoding ${encoding.slice(0, 40)}` }),
    };
  }
  const type = request.headers.get("content-type");
  if (type !== null && type !== "application/json" && !isJson(type)) {
    return { refusal: refusal("unsupported_media_type", { found: `content-type ${type.slice(0, 80)}` }) };
  }
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > bytesMax) return tooLarge(bytesMax);
  try {
    if (declared !== null) {
      return { bytes: Buffer.from(await request.arrayBuffer()) };
    }
    return (await readChunked(request, bytesMax)) ?? tooLarge(bytesMax);
  } catch {
    return { refusal: refusal("request_invalid", { problem: "the body did not arrive whole" }) };
  }
}

function tooLarge(bytesMax: number): BodyResult {
  return { refusal: refusal("body_too_large", { limit: Math.floor(bytesMax / 1024 / 1024) }) };
}

/** Null where it grows beyond the limit; the rest is not read. */
async function readChunked(request: Request, bytesMax: number): Promise<{ bytes: Buffer } | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > bytesMax) return null;
    parts.push(part);
  }
  return { bytes: Buffer.concat(parts) };
}

/** Scripts that forget the header send text/plain or curl's form type; the body decides, not the label. */
function isJson(type: string): boolean {
  const [bare = ""] = type.toLowerCase().split(";");
  const kind = bare.trim();
  return kind === "application/json" || kind.endsWith("+json") || kind === "text/plain" || kind === "";
}
