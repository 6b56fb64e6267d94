import type { Operation } from "../domain/usage.ts";
import type { ReadResult } from "../protocols/protocol.ts";
import { readBody } from "./body.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { GateLimits } from "./gate.ts";
import { receiveForm, type Upload } from "./upload.ts";

/** What was asked, and the body that is still on its way where it is passed on as it comes. */
export type Received = ReadResult & { upload?: Upload };

export function receive(
  http: Request,
  operation: Operation,
  { bodyBytesMax }: Pick<GateLimits, "bodyBytesMax">,
): Promise<Received> {
  const { readRequest } = ENDPOINTS[operation];
  return operation === "transcriptions"
    ? receiveUpload(http, bodyBytesMax, readRequest)
    : readBody(http, bodyBytesMax, readRequest);
}

async function receiveUpload(
  http: Request,
  bytesMax: number,
  readRequest: (texts: Buffer) => ReadResult,
): Promise<Received> {
  const form = await receiveForm(http, bytesMax);
  if ("refusal" in form) return { ...form, model: "" };
  return { ...readRequest(form.texts), upload: form.upload };
}
