import { ConsoleProblem } from "./problem.ts";

export const BODY_BYTES_MAX = 64 * 1024;

/** A call's JSON, within bounds. */
export async function readJson(request: Request, bytesMax = BODY_BYTES_MAX): Promise<unknown> {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw new ConsoleProblem(
      "unsupported_media_type",
      "Send the body as JSON, with content-type: application/json.",
    );
  }
  const text = await readText(request, bytesMax);
  try {
    return JSON.parse(text);
  } catch {
    throw new ConsoleProblem("invalid", "The body is not JSON.");
  }
}

/** Stops reading as soon as it is too much. */
export async function readText(request: Request, bytesMax = BODY_BYTES_MAX): Promise<string> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function tooLarge(bytesMax: number): ConsoleProblem {
  return new ConsoleProblem("too_large", `The body is larger than ${bytesMax / 1024} KiB.`);
}
