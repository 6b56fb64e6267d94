import { readdirSync } from "node:fs";
import { join } from "node:path";

const PAGES_PATH = "/console/";
const ASSETS = "assets/";
const FOR_EVER = "public, max-age=31536000, immutable";
const ENCODINGS = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Wicketgate</title>
<h1>The console is not built yet</h1>
<p>Run <code>npm run build</code> where Wicketgate is installed, and load this page again. The gateway itself works without it.</p>
</html>
`;

/** The pages as they were built: files under assets/ by their names, and the one page for every other address. */
export function consolePages(folder: string): (request: Request) => Promise<Response> {
  let files = filesIn(folder);
  return async request => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
    }
    // Only what a listing of the folder gave is opened, so no path can lead elsewhere.
    const path = new URL(request.url).pathname.slice(PAGES_PATH.length);
    if (!files.has("index.html") || (isFile(path) && !files.has(path))) files = filesIn(folder);
    const asked = files.has(path) ? path : isFile(path) ? null : "index.html";
    if (asked === null) return noSuchFile();
    // A build under a running server takes away what was listed.
    if (!(await Bun.file(join(folder, asked)).exists())) {
      files = filesIn(folder);
      if (!files.has(asked)) return asked === "index.html" ? notBuilt() : noSuchFile();
    }
    return fileAnswer(request, { folder, files, path: asked });
  };
}

const TEXT = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
const PAGE = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", "retry-after": "10" };

function noSuchFile(): Response {
  return new Response("There is no such file.\n", { status: 404, headers: TEXT });
}

function notBuilt(): Response {
  return new Response(NOT_BUILT, { status: 503, headers: PAGE });
}

/** An address of a page has no ending; a name that has one is a file or nothing. */
function isFile(path: string): boolean {
  return path.startsWith(ASSETS) || /\.[a-z0-9]+$/i.test(path);
}

function filesIn(folder: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const inside = (parent: string) => parent.slice(folder.length).replaceAll("\\", "/").replace(/^\/+/, "");
    return new Set(
      entries
        .filter(entry => entry.isFile())
        .map(entry => [inside(entry.parentPath), entry.name].filter(part => part !== "").join("/")),
    );
  } catch {
    return new Set();
  }
}

type Asked = { folder: string; files: ReadonlySet<string>; path: string };

function fileAnswer(request: Request, { folder, files, path }: Asked): Response {
  const accepted = (request.headers.get("accept-encoding") ?? "").toLowerCase();
  const encoding = ENCODINGS.find(({ name, ending }) => accepts(accepted, name) && files.has(path + ending));
  const file = Bun.file(join(folder, path + (encoding?.ending ?? "")));
  const headers: Record<string, string> = {
    "content-type": Bun.file(path).type,
    "cache-control": path.startsWith(ASSETS) ? FOR_EVER : "no-cache",
    vary: "accept-encoding",
    ...(encoding === undefined ? {} : { "content-encoding": encoding.name }),
  };
  return new Response(request.method === "HEAD" ? null : file, { headers });
}

function accepts(accepted: string, name: string): boolean {
  return accepted.split(",").some(part => {
    const [coding = "", ...weights] = part.split(";").map(piece => piece.trim());
    return coding === name && !weights.some(weight => /^q=0(\.0*)?$/.test(weight));
  });
}
