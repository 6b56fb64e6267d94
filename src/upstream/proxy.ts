import { bareName, holds, placeOf, rangeOf } from "./address-rules.ts";

/** The proxy that https upstreams are reached through, where the operator set one. */
export type Proxy = {
  host: string;
  port: number;
  /** Its own credential, as the header has it. */
  authorization: string | null;
};

const PORT = 80;

export function proxyFor(
  url: URL,
  { httpsProxy, noProxy }: { httpsProxy: string | null; noProxy: readonly string[] },
): Proxy | null {
  if (httpsProxy === null || url.protocol !== "https:") return null;
  const host = bareHost(url);
  // This machine, as seen from the proxy, is another one.
  if (host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host)) return null;
  const port = url.port || "443";
  if (noProxy.some(entry => exempts(entry, { host: bareName(host), port }))) return null;
  const proxy = new URL(httpsProxy);
  const { username, password } = proxy;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: bareHost(proxy),
    port: Number(proxy.port || PORT),
    authorization: pair === ":" ? null : `Basic ${Buffer.from(pair).toString("base64")}`,
  };
}

/** Without the brackets that a URL puts around IPv6. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

/** `*`, a domain (which stands for everything under it too), an address or a CIDR; a port narrows it. */
function exempts(entry: string, { host, port }: { host: string; port: string }): boolean {
  if (entry === "*") return true;
  const only = /^(?:\[.+\]|[^:]+):(\d+)$/.exec(entry)?.[1];
  if (only !== undefined && only !== port) return false;
  const name = entry.slice(0, only === undefined ? undefined : -only.length - 1).replace(/^\[(.*)\]$/, "$1");
  const range = rangeOf(name);
  const place = placeOf(host);
  if (range !== null) return place !== null && holds(range, place);
  const domain = bareName(name).replace(/^\*?\./, "");
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}
