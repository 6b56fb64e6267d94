import { type Refusal, refusal } from "../domain/errors.ts";

/** No body, so nothing is known of what was asked. */
export type NoBody = { refusal: Refusal; model: "" };

/** What is read from the whole body, or why it is not taken. A declared length is believed before a byte is read. */
export async function readBody<Read>(
  request: Request,
  bytesMax: number,
  read: (bytes: Buffer) => Read,
): Promise<Read | NoBody> {
  const { headers } = request;
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity")
    return noBody(refusal("unsupported_media_type", { found: `content-encoding ${encoding.slice(0, 40)}` }));
  const type = headers.get("content-type");
  if (type !== null && type !== "application/json" && !isJson(type))
    return noBody(refusal("unsupported_media_type", { found: `content-type ${type.slice(0, 80)}` }));
  const declared = headers.get("content-length");
  if (declared !== null && Number(declared) > bytesMax) return tooLarge(bytesMax);
  let bytes: Buffer | null;
  try {
    bytes =
      declared === null ? await readChunked(request, bytesMax) : Buffer.from(await request.arrayBuffer());
  } catch {
    return noBody(refusal("request_invalid", { problem: "the body did not arrive whole" }));
  }
  return bytes === null ? tooLarge(bytesMax) : read(bytes);
}

function noBody(refused: Refusal): NoBody {
  return { refusal: refused, model: "" };
}

function tooLarge(bytesMax: number): NoBody {
  return noBody(refusal("body_too_large", { limit: Math.floor(bytesMax / 1024 / 1024) }));
}

/** Null where it grows beyond the limit; the rest is not read. */
async function readChunked(request: Request, bytesMax: number): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > bytesMax) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Scripts that forget the header send text/plain or curl's form type; the body decides, not the label. */
function isJson(type: string): boolean {
  const [bare = ""] = type.toLowerCase().split(";");
  const kind = bare.trim();
  return kind === "application/json" || kind.endsWith("+json") || kind === "text/plain" || kind === "";
}
