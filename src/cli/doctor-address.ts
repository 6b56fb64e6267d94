/** What stands after the base URL in the paths that clients call; a person who pastes a whole path has too much. */
const ENDPOINTS = [
  ..."chat/completions completions responses embeddings models messages messages/count_tokens key".split(" "),
  ..."images/generations audio/speech audio/transcriptions".split(" "),
];

export type Address =
  /** `base` has no slash at its end; `root` is what stands before /v1. */
  { kind: "address"; base: string; root: string } | { kind: "wrong"; message: string; remedy: string };

/** What can be told of a base URL by looking at it alone. */
export function readAddress(given: string): Address {
  const text = given.trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    const withScheme = `http://${text}`;
    const bare = url === null || !text.includes("://") ? URL.canParse(withScheme) : false;
    return wrong(
      "The base URL is not a whole http or https address.",
      bare
        ? `Enter it with http:// or https:// before it, and /v1 after it.`
        : "Enter it like http://127.0.0.1:8787/v1.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    return wrong(
      "The base URL holds a user name or password.",
      "Enter it without them; the key is all that is needed.",
    );
  }
  if (url.search !== "" || url.hash !== "") {
    return wrong("The base URL goes on after its path.", "Enter it without what begins with ? or #.");
  }
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  const root = rootOf(base);
  const path = base.slice(root.length);
  if (path !== "" && path !== "/v1") {
    return wrong(
      `The base URL ends in ${path}, and clients add the rest of a path by themselves.`,
      `Enter ${root}/v1 in an OpenAI-style client, or ${root} in a messages-style client.`,
    );
  }
  return { kind: "address", base, root };
}

/** Takes off what a client would add, however often it stands there. */
function rootOf(base: string): string {
  let root = base;
  for (let before = ""; before !== root; ) {
    before = root;
    for (const end of ["v1", "v1beta", ...ENDPOINTS]) {
      // Behind a root of its own, /models or /key may be a part of somebody's address; after /v1 it is not.
      const isOurs =
        end.startsWith("v1") || /\/v1(?:beta)?\//.test(root) || end.includes("/") || end === "responses";
      if (isOurs && root.endsWith(`/${end}`)) root = root.slice(0, -end.length - 1);
    }
  }
  return root;
}

function wrong(message: string, remedy: string): Address {
  return { kind: "wrong", message, remedy };
}
