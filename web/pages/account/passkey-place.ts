/** Whether passkeys can be made where the console is open: they need a browser that knows them, and a host name. */
export function passkeyPlace(at: { hostname: string; isAble: boolean }): "good" | "unable" | "address" {
  if (isIpAddress(at.hostname)) return "address";
  return at.isAble ? "good" : "unable";
}

function isIpAddress(hostname: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname) || hostname.startsWith("[");
}

/** This machine has a name as well; null where the name is not known. */
export function nameAddress(href: string): string | null {
  const url = new URL(href);
  if (!/^127\.|^\[::1\]$/.test(url.hostname)) return null;
  url.hostname = "localhost";
  return url.href;
}
