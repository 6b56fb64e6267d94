import { ConsoleProblem } from "./problem.ts";

/**
 * Whether a call that changes something comes from our own pages. A browser says where a call comes from, and no page
 * can make it say otherwise; what says nothing is no browser of ours.
 */
export function demandOwnOrigin(request: Request, root: string): void {
  const origin = request.headers.get("origin");
  const own = new URL(request.url);
  if (origin === null || origin === "null") {
    const site = request.headers.get("sec-fetch-site");
    if (site === "same-origin" || (site === "none" && origin === null)) return;
    throw crossSite();
  }
  if (origin === new URL(root).origin) return;
  if (isLoopback(own.hostname) && origin === own.origin) return;
  throw origin === `http://${own.host}` && !isLoopback(own.hostname) ? notSafeHere(origin) : crossSite();
}

/** Browsers keep a secure cookie only where nobody can listen: over TLS, or on this machine. */
export function demandSafePlace(request: Request, root: string): void {
  const origin = request.headers.get("origin") ?? new URL(root).origin;
  const { protocol, hostname } = URL.canParse(origin) ? new URL(origin) : new URL(root);
  if (protocol !== "https:" && !isLoopback(hostname)) throw notSafeHere(origin);
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function crossSite(): ConsoleProblem {
  return new ConsoleProblem(
    "cross_site",
    "This call does not come from the console's own pages, so it is not made. Open the console at its own address; if it is behind a proxy, WICKETGATE_PUBLIC_URL, or public_url of its settings, must be the address in the browser.",
  );
}

function notSafeHere(origin: string): ConsoleProblem {
  return new ConsoleProblem(
    "not_allowed",
    `The console cannot be used at ${origin.slice(0, 200)}: it needs https, or localhost. Put a proxy with TLS before it and set WICKETGATE_PUBLIC_URL to its address, or open it on the machine itself.`,
  );
}
