import { isIP } from "node:net";
import { addressRules, bareName, holds, placeOf, rangeOf } from "./address-rules.ts";
import { bareHost } from "./proxy.ts";

const CHARACTERS_MAX = 2_048;

/**
 * Why nothing is sent there; null where it may be. Whoever makes a webhook need not be who runs the machine, so an
 * address is not believed to be meant because it was written: what is private has to be allowed. What a name leads to is
 * judged when it is connected to.
 */
export function webhookAddressProblem(text: string, privateHosts: readonly string[]): string | null {
  if (text.length > CHARACTERS_MAX) return `An address has at most ${CHARACTERS_MAX} characters.`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || url.hostname === "") {
    return "Enter a whole address such as https://example.org/hooks/wicketgate.";
  }
  if (url.username !== "" || url.password !== "") {
    return "An address has no user name and password: what is sent is signed, so the receiver can check that.";
  }
  if (url.hash !== "") return "Leave out the part from “#” on: it is never sent.";
  const host = bareHost(url);
  const isAllowed = isListed(host, privateHosts);
  if (url.protocol === "http:" && !isAllowed) {
    return "The address must begin with https://, so that nobody on the way can read or change what is sent.";
  }
  return isAllowed ? null : placeProblem(host, privateHosts);
}

/** By the same rules as for upstreams, but for one that nobody vouches for. */
function placeProblem(host: string, privateHosts: readonly string[]): string | null {
  const rules = addressRules(privateHosts);
  const address = host === "localhost" ? "127.0.0.1" : host;
  const problem =
    isIP(address) === 0 ? rules.nameProblem(host) : rules.addressProblem({ host, address, isMeant: false });
  return problem === null ? null : `This address cannot be used: ${problem}.`;
}

function isListed(host: string, privateHosts: readonly string[]): boolean {
  const name = bareName(host);
  const place = placeOf(name === "localhost" ? "127.0.0.1" : host);
  return privateHosts.some(entry => {
    const range = rangeOf(entry);
    if (range !== null) return place !== null && holds(range, place);
    const listed = bareName(entry);
    return listed.startsWith(".") ? `.${name}`.endsWith(listed) : name === listed;
  });
}
