import { isIP } from "node:net";

export type AddressCheck = { address: string } | { problem: string };

const ENDPOINT =
  /(?:\/chat\/completions|\/completions|\/v1\/messages|\/messages|\/responses|\/embeddings|\/models)$/;

/** The base address of an upstream, without a slash at its end. */
export function checkUpstreamAddress(text: string): AddressCheck {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || /\s/.test(text)) {
    return { problem: "must be a whole http or https address such as https://api.example.org/v1" };
  }
  if (url.username !== "" || url.password !== "") {
    return { problem: "must not hold a user name or password: a credential goes into api_key" };
  }
  if (isDisguised(url, text)) {
    return { problem: `must have its host written plainly: ${url.origin}` };
  }
  if (text.includes("?") || text.includes("#")) {
    return { problem: "must end with its path: leave out what begins with ? or #" };
  }
  const address = text.replace(/\/+$/, "");
  const endpoint = ENDPOINT.exec(address)?.[0];
  if (endpoint === undefined) return { address };
  const base = address.slice(0, -endpoint.length);
  return {
    problem: `must be the base address, to which the gateway adds ${endpoint} by itself: write ${base}`,
  };
}

/** An address of this network is allowed because the operator wrote it; so it has to be there for all to read. */
function isDisguised(url: URL, text: string): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 0 && host !== "localhost") return false;
  const isPlain = text.toLowerCase().startsWith(url.origin);
  return !isPlain || !/^(?:[:/]|$)/.test(text.slice(url.origin.length));
}
