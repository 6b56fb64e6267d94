import type { UpstreamKind } from "../domain/catalogue.ts";
import type { Trouble } from "../upstream/hear.ts";
import { PRESETS } from "../upstream/presets/presets.ts";

/** What was asked, for the sentence that says why it came to nothing. */
export type Asked = {
  what: "list" | "call";
  url: string;
  kind: UpstreamKind;
  hasCredential: boolean;
  /** Who is told, since both have other means; the command line without it. */
  voice?: Voice;
};

export type Voice = "command line" | "console";

const MEANS: Readonly<Record<Voice, { tooLarge: string; empty: string; key: string }>> = {
  "command line": {
    tooLarge: "name the models you want with --models, and add --no-check",
    empty: "load one there or let the key use some, or name them with --models and add --no-check",
    key: "give one with --api-key-env VAR or --api-key-stdin",
  },
  console: {
    tooLarge: "enter the names of the models you want, and save without the check",
    empty: "load one there or let the key use some, or enter their names and save without the check",
    key: "enter one",
  },
};

/** One sentence for the operator, which says what to change. */
export function explainTrouble(trouble: Trouble, asked: Asked): string {
  const { url, kind } = asked;
  const means = MEANS[asked.voice ?? "command line"];
  switch (trouble.kind) {
    case "failure":
      return explainFailure(trouble, new URL(url));
    case "status":
      return explainStatus(trouble, asked);
    case "page":
      return `${url} answers with a web page and not as an API: correct the base address${usual(kind)}.`;
    case "no-answer":
      return asked.what === "list"
        ? `${url} answers, but not with a list of models: correct the base address${usual(kind)}.`
        : `${url} answers, but not in the dialect that it is said to speak: correct what it speaks, or its base address.`;
    case "too-large":
      return asked.what === "list"
        ? `${url} lists more than can be taken: ${means.tooLarge}.`
        : `${url} answers without end.`;
    case "empty":
      return `${url} lists no models: ${means.empty}.`;
    default:
      return trouble satisfies never;
  }
}

/** Where the address of a kind is known, that is most likely the one that was meant. */
function usual(kind: UpstreamKind): string {
  const { baseUrl, addressExample } = PRESETS[kind];
  if (baseUrl !== null) return ` (of ${kind} it is ${baseUrl})`;
  return addressExample === undefined ? "" : ` (it looks like ${addressExample})`;
}

type StatusTrouble = Extract<Trouble, { kind: "status" }>;

function explainStatus({ status, said, location }: StatusTrouble, asked: Asked): string {
  const { url, kind, hasCredential, what } = asked;
  const quoted = said === "" ? "" : `, and says: ${said.replace(/\s+/g, " ").replace(/[.\s]+$/, "")}`;
  if (status === 401 || status === 403) {
    return hasCredential
      ? `${url} does not accept the key (${status}${quoted}): give one that is valid for ${kind} and may be used for this.`
      : `${url} asks for a key (${status}${quoted}): ${MEANS[asked.voice ?? "command line"].key}.`;
  }
  if (status >= 300 && status < 400) {
    const target = location === null ? "elsewhere" : `to ${location}`;
    return `${url} redirects ${target} (${status}), and redirects are not followed: correct the base address${usual(kind)}.`;
  }
  if (status === 404 || status === 405) {
    return what === "list"
      ? `There is no list of models at ${url} (${status}): correct the base address${usual(kind)}.`
      : `${url} does not know this (${status}${quoted}): correct the name of the model, or the base address${usual(kind)}.`;
  }
  if (status === 402) return `${url} wants to be paid first (${status}${quoted}): top up the account there.`;
  if (status === 429) return `${url} is asked too much (${status}${quoted}): try again later.`;
  if (status >= 500) return `${url} fails (${status}${quoted}): try again later.`;
  return `${url} refuses this (${status}${quoted}).`;
}

type FailureTrouble = Extract<Trouble, { kind: "failure" }>;

const SELF_SIGNED = /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|self.signed/i;

function explainFailure({ failure, detail }: FailureTrouble, { host, protocol }: URL): string {
  if (/ECONNREFUSED/.test(detail)) {
    return `Nothing listens at ${host}: start the server there, or correct the base address.`;
  }
  if (SELF_SIGNED.test(detail)) {
    return `The certificate of ${host} is self-signed or of an authority that this machine does not know: name a file with that authority in NODE_EXTRA_CA_CERTS, here and where the gateway is started.`;
  }
  if (/EXPIRED/.test(detail)) return `The certificate of ${host} has expired: it must be renewed there.`;
  if (/ALTNAME/.test(detail)) {
    return `The certificate of ${host} is for another name: use the name that it was made for.`;
  }
  if (protocol === "https:" && /TLS|SSL|handshake|EPROTO/i.test(detail)) {
    return `${host} makes no secure connection (${detail}): correct the base address, or write http:// if it has none.`;
  }
  if (failure === "connect-timeout") {
    return `${host} cannot be reached in time (${detail}): correct the base address, or open the way to it.`;
  }
  if (failure === "protocol") return `${host} does not speak HTTP/1.1 (${detail}): correct the base address.`;
  if (failure === "connect") return `${host} cannot be reached: ${detail.replace(/\.$/, "")}.`;
  return `${host} does not answer as it should (${detail}): try again, or correct the base address.`;
}
