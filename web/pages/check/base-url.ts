import type { Say } from "../../words/say.ts";
import type { baseUrlWords } from "./base-url-words.ts";

export type Fault =
  | { kind: "quoted" | "spaced" | "noScheme" | "noAddress" | "userName" | "otherPort" | "tail" }
  | { kind: "twice" | "noVersion" | "version" | "capitals" }
  | { kind: "otherHost" | "added" | "otherPath"; found: string }
  | { kind: "otherScheme"; found: string; right: string };

/** What clients add by themselves, so that whoever pastes it along has it twice. */
const ADDED =
  /\/(?:(?:v1\/)?(?:chat\/completions|completions|responses|embeddings|models|messages(?:\/count_tokens)?|images\/generations|audio\/(?:speech|transcriptions)))$/i;
const SHOWN_MAX = 60;

/** What is wrong with an address beside the right one; null where nothing is. A slash at the end harms nobody. */
export function baseUrlFault(given: string, right: string): Fault | null {
  const text = given.trim();
  if (/^["'`“”‘’<]|["'`“”‘’>]$/.test(text)) return { kind: "quoted" };
  if (/\s/.test(text)) return { kind: "spaced" };
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: "noScheme" };
  if (!URL.canParse(text)) return { kind: "noAddress" };
  const [url, ours] = [new URL(text), new URL(right)];
  return placeFault(url, ours) ?? pathFault(url, ours);
}

function placeFault(url: URL, ours: URL): Fault | null {
  if (url.protocol !== "http:" && url.protocol !== "https:") return { kind: "noScheme" };
  if (url.username !== "" || url.password !== "") return { kind: "userName" };
  if (hostOf(url) !== hostOf(ours)) return { kind: "otherHost", found: url.host.slice(0, SHOWN_MAX) };
  if (url.protocol !== ours.protocol) {
    return { kind: "otherScheme", found: `${url.protocol}//`, right: `${ours.protocol}//` };
  }
  if (url.port !== ours.port) return { kind: "otherPort" };
  return url.search === "" && url.hash === "" ? null : { kind: "tail" };
}

/** The machine itself goes by several names. */
function hostOf({ hostname }: URL): string {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? "localhost" : hostname.replace(/\.$/, "");
}

function pathFault(url: URL, ours: URL): Fault | null {
  const [path, right] = [withoutEnd(url.pathname), withoutEnd(ours.pathname)];
  if (path === right) return null;
  const small = path.toLowerCase();
  if (small.endsWith("/v1/v1")) return { kind: "twice" };
  if (`${small}/v1` === right) return { kind: "noVersion" };
  if (small === `${right}/v1`) return { kind: "version" };
  const added = ADDED.exec(path);
  if (added !== null) return { kind: "added", found: added[0] };
  if (small === right) return { kind: "capitals" };
  return { kind: "otherPath", found: path.slice(0, SHOWN_MAX) || "/" };
}

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, "");
}

export function faultText(fault: Fault, say: Say<(typeof baseUrlWords)["en"]>): string {
  switch (fault.kind) {
    case "otherHost":
    case "added":
    case "otherPath":
      return say(fault.kind, { found: fault.found });
    case "otherScheme":
      return say("otherScheme", { found: fault.found, right: fault.right });
    default:
      return say(fault.kind);
  }
}
