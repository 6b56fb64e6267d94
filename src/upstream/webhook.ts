import { createHmac } from "node:crypto";
import { UpstreamFailure } from "./answer.ts";
import type { Outbound } from "./http1.ts";
import { retryAfter } from "./retry-after.ts";

/** What is sent to a webhook, in the form of the Standard Webhooks specification. */
export type WebhookCall = {
  url: URL;
  /** The same at every try, so that the receiver knows it again. */
  id: string;
  body: string;
  /** Each is `whsec_` and a key in base64; the receiver may know any of them. */
  secrets: readonly string[];
  nowMs: number;
};

/** What the receiver answered, or why there is no answer. What it said is a stranger's text. */
export type WebhookAnswer =
  | {
      status: number;
      said: string;
      location: string | null;
      /** For how long it asks to be left alone. */
      restMs: number | null;
    }
  | { failure: UpstreamFailure["kind"]; detail: string };

export const SECRET_PREFIX = "whsec_";
const MS_MAX = 10_000;
const LIMITS = {
  connectMsMax: MS_MAX,
  firstByteMsMax: MS_MAX,
  idleMsMax: MS_MAX,
  headerBytesMax: 32_768,
};
const SAID_BYTES_MAX = 4_096;

export function newWebhookSecret(randomBytes: (count: number) => Uint8Array): string {
  return `${SECRET_PREFIX}${Buffer.from(randomBytes(32)).toString("base64")}`;
}

export function webhookSignature(
  secret: string,
  { id, seconds, body }: { id: string; seconds: number; body: string },
): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return `v1,${mac}`;
}

/** Follows no redirect, reads little of the answer, and waits for nobody longer than ten seconds. */
export async function postWebhook(
  outbound: Pick<Outbound, "send">,
  { url, id, body, secrets, nowMs }: WebhookCall,
): Promise<WebhookAnswer> {
  const seconds = Math.floor(nowMs / 1000);
  const headers = {
    "content-type": "application/json",
    accept: "*/*",
    "user-agent": "Wicketgate",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map(secret => webhookSignature(secret, { id, seconds, body })).join(" "),
  };
  const exchange = outbound.send({ method: "POST", url, headers, body: Buffer.from(body) }, LIMITS);
  const { promise, resolve, reject } = Promise.withResolvers<WebhookAnswer>();
  const late = new UpstreamFailure("first-byte-timeout", `no answer within ${MS_MAX / 1000} seconds`);
  let isLate = () => reject(late);
  const timer = setTimeout(() => isLate(), MS_MAX);
  const pieces: Uint8Array[] = [];
  let size = 0;
  exchange.answer.then(answer => {
    const { status } = answer;
    const done = () => {
      const said = Buffer.concat(pieces).subarray(0, SAID_BYTES_MAX).toString("utf8");
      const restMs = retryAfter(answer.headers, nowMs);
      resolve({ status, said, location: answer.headers.get("location") ?? null, restMs });
    };
    // The status says it all; whoever sends the rest slowly, cuts it off or sends without end has answered.
    isLate = done;
    answer.read({
      onBytes: bytes => {
        size += bytes.length;
        pieces.push(bytes);
        if (size >= SAID_BYTES_MAX) done();
      },
      onEnd: done,
      onFailure: done,
    });
  }, reject);
  try {
    return await promise;
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    return { failure: error.kind, detail: error.detail };
  } finally {
    clearTimeout(timer);
    exchange.abort();
  }
}
