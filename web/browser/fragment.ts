/**
 * What stands behind the # of a link with a token. It is read as the app starts and leaves the address bar and the
 * history before anything else sees it.
 */

const TOKEN_PATHS = /\/(setup|invitation|reset|sign-in)$/;

type Arrived = { path: string; fragment: string };

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function take(): Arrived | null {
  if (globalThis.location === undefined || !TOKEN_PATHS.test(location.pathname)) return null;
  const fragment = decodeSafely(location.hash.slice(1));
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  // Another link of the same kind pasted into this tab changes only the fragment.
  window.addEventListener("hashchange", () => {
    if (location.hash !== "" && TOKEN_PATHS.test(location.pathname)) location.reload();
  });
  return { path: location.pathname, fragment };
}

const arrived = take();

/** The fragment this page was opened with; empty on every other page. */
export function arrivedFragment(): string {
  return arrived !== null && arrived.path === location.pathname ? arrived.fragment : "";
}
