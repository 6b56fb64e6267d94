import { isLoopback } from "./guard.ts";

export type Style = "openai" | "messages";

/** What clients add to a base URL by themselves; whoever pastes it along gets it twice. */
const ADDED_BY_CLIENTS =
  /\/(?:(?:v1\/)?(?:chat\/completions|completions|responses|embeddings|models(?:\/[^/]+)?|images\/generations|audio\/(?:speech|transcriptions)|messages(?:\/count_tokens)?|key)|v1beta(?:\/.*)?)$/i;

/** What has to be entered for this kind of client. */
export function rightBaseUrl(root: string, style: Style): string {
  return style === "openai" ? `${root}/v1` : root;
}

/** Null where it is right; else what is wrong with it, as a sentence. A slash at the end harms nobody. */
export function baseUrlProblem(
  given: string,
  { root, style }: { root: string; style: Style },
): string | null {
  const text = given.trim();
  if (text === "") return "The base URL is empty.";
  if (/^["'`“”‘’<].*|["'`“”‘’>]$/s.test(text)) return "The base URL has quotes or brackets around it.";
  if (/\s/.test(text)) return "The base URL has a space or a line break in it.";
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return "The base URL does not begin with http:// or https://.";
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return "The base URL is not an address.";
  return placeProblem(url, new URL(root)) ?? pathProblem(url, { root, style });
}

function placeProblem(url: URL, ours: URL): string | null {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `The base URL begins with ${url.protocol}//, not with http:// or https://.`;
  }
  if (url.username !== "" || url.password !== "") {
    return "The base URL has a user name in it; the key belongs into the key's own field.";
  }
  if (hostOf(url) !== hostOf(ours)) {
    return `The base URL is at ${url.host}, which is another host: requests and the key would go there.`;
  }
  if (url.protocol !== ours.protocol) {
    const [is, should] = [url.protocol, ours.protocol].map(protocol => protocol.replace(":", ""));
    return `The base URL begins with ${is}, and this installation is reached by ${should}.`;
  }
  if (url.port !== ours.port) {
    return `The base URL has ${portText(url)}, and this installation is reached at ${portText(ours)}.`;
  }
  if (url.search !== "" || url.hash !== "")
    return "The base URL has a ? or # in it, and nothing may follow it.";
  return null;
}

/** The machine itself goes by several names. */
function hostOf({ hostname }: URL): string {
  return isLoopback(hostname) ? "localhost" : hostname.replace(/\.$/, "");
}

function portText({ port }: URL): string {
  return port === "" ? "the usual port" : `port ${port}`;
}

function pathProblem(url: URL, { root, style }: { root: string; style: Style }): string | null {
  const path = withoutEndSlashes(url.pathname);
  const base = withoutEndSlashes(new URL(root).pathname);
  const right = style === "openai" ? `${base}/v1` : base;
  if (path === right) return null;
  const small = path.toLowerCase();
  if (small.endsWith("/v1/v1")) return "The base URL has /v1 twice.";
  if (style === "openai" && path === base)
    return "The base URL has no /v1 at its end, and this kind of client needs it.";
  if (style === "messages" && small === `${base}/v1`) {
    return "The base URL ends in /v1, which this kind of client adds by itself.";
  }
  if (ADDED_BY_CLIENTS.test(small)) {
    return "The base URL ends in a path that clients add by themselves, so it would be there twice.";
  }
  if (small === right && path !== right)
    return "The base URL has capital letters in its path, which must be small.";
  return `The base URL has the path ${path.slice(0, 100) || "/"}, and nothing is there.`;
}

function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}
