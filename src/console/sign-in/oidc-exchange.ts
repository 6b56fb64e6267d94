import type { CustomFetch, CustomFetchOptions } from "openid-client";
import type { Answer, OutboundLimits } from "../../upstream/answer.ts";
import { UpstreamFailure } from "../../upstream/answer.ts";
import type { Outbound } from "../../upstream/http1.ts";

const LIMITS: OutboundLimits = {
  connectMsMax: 5_000,
  firstByteMsMax: 10_000,
  idleMsMax: 10_000,
  headerBytesMax: 65_536,
};
const ANSWER_BYTES_MAX = 1_048_576;
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** How the sign-in service is spoken to: by the house's one HTTP client, under its rules for addresses. */
export function exchangeOver(outbound: Outbound): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    if (method !== "GET" && method !== "POST") throw new UpstreamFailure("protocol", `a call by ${method}`);
    const request = { method, url: new URL(url), headers, body: bodyBytes(body) } as const;
    const exchange = outbound.send(request, LIMITS);
    signal?.addEventListener("abort", exchange.abort, { once: true });
    try {
      const answer = await exchange.answer;
      const bytes = await collected(answer);
      return new Response(WITHOUT_BODY.has(answer.status) ? null : bytes, {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
      });
    } finally {
      signal?.removeEventListener("abort", exchange.abort);
    }
  };
}

function bodyBytes(body: CustomFetchOptions["body"]): Uint8Array | null {
  if (body === null || body === undefined) return null;
  if (typeof body === "string" || body instanceof URLSearchParams) return Buffer.from(String(body));
  if (body instanceof Uint8Array) return body;
  throw new UpstreamFailure("protocol", "a body of another kind");
}

function collected(answer: Answer): Promise<Uint8Array<ArrayBuffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const pieces: Uint8Array[] = [];
  let length = 0;
  answer.read({
    onBytes: piece => {
      length += piece.length;
      if (length <= ANSWER_BYTES_MAX) pieces.push(piece);
      else {
        answer.abort();
        reject(new UpstreamFailure("limit", "an answer of more than 1 MiB"));
      }
    },
    onEnd: () => resolve(new Uint8Array(Buffer.concat(pieces))),
    onFailure: reject,
  });
  return promise;
}
