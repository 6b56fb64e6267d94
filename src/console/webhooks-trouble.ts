import type { WebhookAnswer } from "../upstream/webhook.ts";

const SAID_CHARACTERS_MAX = 200;
const SELF_SIGNED = /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|self.signed/i;

/** Null where it has arrived; otherwise one sentence for the operator, which says what to change. */
export function webhookProblem(answer: WebhookAnswer, url: URL): string | null {
  if ("failure" in answer) return explainFailure(answer, url);
  const { status, said, location } = answer;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    const target = location === null ? "elsewhere" : `to ${shown(location)}`;
    return `The receiver redirects ${target} (${status}), and redirects are not followed: enter the address that it leads to.`;
  }
  const quoted = quote(said);
  if (status === 401 || status === 403) {
    return `The receiver does not let this in (${status}${quoted}): correct the address, or the secret that it checks signatures with.`;
  }
  if (status === 404 || status === 405) {
    return `The receiver takes nothing at this address (${status}${quoted}): correct the address.`;
  }
  if (status === 410)
    return `The receiver wants nothing any more (410${quoted}), so the webhook is switched off.`;
  if (status === 429) return `The receiver is asked too much (429${quoted}); it is tried again later.`;
  if (status >= 500) return `The receiver fails (${status}${quoted}): look at its log.`;
  return `The receiver refuses this (${status}${quoted}).`;
}

type Failure = Extract<WebhookAnswer, { failure: string }>;

function explainFailure({ failure, detail }: Failure, { host, protocol }: URL): string {
  if (/ECONNREFUSED/.test(detail)) {
    return `Nothing listens at ${host}: start the receiver there, or correct the address.`;
  }
  if (SELF_SIGNED.test(detail)) {
    return `The certificate of ${host} is self-signed or of an authority that this machine does not know: name a file with that authority in NODE_EXTRA_CA_CERTS where the gateway is started.`;
  }
  if (/EXPIRED/.test(detail)) return `The certificate of ${host} has expired: it must be renewed there.`;
  if (/ALTNAME/.test(detail)) {
    return `The certificate of ${host} is for another name: use the name that it was made for.`;
  }
  if (protocol === "https:" && /TLS|SSL|handshake|EPROTO/i.test(detail)) {
    return `${host} makes no secure connection (${detail}): correct the address.`;
  }
  if (failure === "connect-timeout")
    return `${host} cannot be reached in time: correct the address, or open the way to it.`;
  if (failure === "first-byte-timeout" || failure === "idle-timeout") {
    return `${host} does not answer within ten seconds: let it answer first and work afterwards.`;
  }
  if (failure === "protocol") return `${host} does not speak HTTP/1.1 (${detail}): correct the address.`;
  if (failure === "connect") return `${host} cannot be reached: ${detail.replace(/\.$/, "")}.`;
  return `${host} does not answer as it should (${detail}).`;
}

/** The page of a web server says nothing that its status does not. */
function quote(said: string): string {
  const bare = shown(said);
  return bare === "" || /^<(!doctype|html|\?xml)/i.test(bare)
    ? ""
    : `, and says: ${bare.replace(/[.\s]+$/, "")}`;
}

function shown(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return plain.length > SAID_CHARACTERS_MAX ? `${plain.slice(0, SAID_CHARACTERS_MAX)}…` : plain;
}
