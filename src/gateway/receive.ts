import type { Operation } from "../domain/usage.ts";
import type { ReadResult } from "../protocols/protocol.ts";
import { readBody } from "./body.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { GateLimits } from "./gate.ts";
import { receiveForm, type Upload } from "./upload.ts";

/** What was asked, and the body that is still on its way where it is passed on as it comes. */
export type Received = { read: ReadResult; upload: Upload | null };

export async function receive(
  http: Request,
  operation: Operation,
  { bodyBytesMax }: Pick<GateLimits, "bodyBytesMax">,
): Promise<Received> {
  const { readRequest } = ENDPOINTS[operation];
  if (operation === "transcriptions") {
    const form = await receiveForm(http, bodyBytesMax);
    if ("refusal" in form) return { read: { ...form, model: "" }, upload: null };
    return { read: readRequest(form.texts), upload: form.upload };
  }
  const body = await readBody(http, bodyBytesMax);
  const read = "refusal" in body ? { refusal: body.refusal, model: "" } : readRequest(body.bytes);
  return { read, upload: null };
}
