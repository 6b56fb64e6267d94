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
