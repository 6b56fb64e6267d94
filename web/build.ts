import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type BuildArtifact, type BunPlugin, CryptoHasher, Glob } from "bun";

/**
 * `npm run build`: the console's pages, from `web/` to `dist/console/`. It does nothing where nothing changed, and says
 * so and ends well where the packages it needs are not installed.
 */

const ROOT = join(import.meta.dir, "..");
const OUT = join(ROOT, "dist", "console");
const BASE = "/console/";
const STAMP = "build.json";
const MOVES_MAX = 5;

function fingerprint(): string {
  const hash = new CryptoHasher("sha256");
  const paths = [...new Glob("web/**/*").scanSync({ cwd: ROOT })].filter(path => !path.includes(".test."));
  for (const path of ["package-lock.json", ...paths.sort()]) {
    hash.update(path);
    hash.update(readFileSync(join(ROOT, path)));
  }
  return hash.digest("hex");
}

function builtBefore(): string | null {
  try {
    return JSON.parse(readFileSync(join(OUT, STAMP), "utf8")).fingerprint;
  } catch {
    return null;
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const NEEDED = ["react", "bun-plugin-tailwind", "tailwindcss", "@base-ui/react", "@tanstack/react-router"];

function missing(): string[] {
  return NEEDED.filter(name => !existsSync(join(ROOT, "node_modules", name)));
}

const define = { "process.env.NODE_ENV": '"production"' };

type Made = { outputs: BuildArtifact[]; pages: Record<string, string[]> };

async function bundle(plugin: BunPlugin, into: string): Promise<Made> {
  const shared = {
    outdir: join(into, "assets"),
    minify: true,
    define,
    throw: true,
    target: "browser",
  } as const;
  const app = await Bun.build({
    ...shared,
    entrypoints: [join(ROOT, "web", "main.tsx")],
    plugins: [plugin],
    splitting: true,
    metafile: true,
    publicPath: `${BASE}assets/`,
    naming: { entry: "[name]-[hash].[ext]", chunk: "part-[hash].[ext]", asset: "[name]-[hash].[ext]" },
  });
  const before = await Bun.build({
    ...shared,
    entrypoints: [join(ROOT, "web", "before-paint.ts")],
    format: "iife",
    naming: "[name]-[hash].[ext]",
  });
  return { outputs: [...app.outputs, ...before.outputs], pages: pagesOf(app.metafile) };
}

type Metafile = NonNullable<Awaited<ReturnType<typeof Bun.build>>["metafile"]>;

/** For each page the scripts that have to be there before it can be drawn, by the build's own account. */
function pagesOf(metafile: Metafile | undefined): Record<string, string[]> {
  const outputs = metafile?.outputs ?? {};
  const needed = (path: string, found = new Set<string>()): Set<string> => {
    if (found.has(path)) return found;
    found.add(path);
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") needed(next, found);
    }
    return found;
  };
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) => {
      const name = /^web\/pages\/([\w-]+)\/page\.tsx$/.exec(entryPoint ?? "")?.[1];
      return name === undefined ? [] : [[name, [...needed(path)].map(file => file.replace("./", "assets/"))]];
    }),
  );
}

function fileName(outputs: readonly BuildArtifact[], pattern: RegExp): string {
  const found = outputs.map(({ path }) => path.split(/[/\\]/).at(-1) ?? "").find(name => pattern.test(name));
  if (found === undefined) throw new Error(`The build made no file like ${pattern}.`);
  return found;
}

/** What the entry imports at once; the browser fetches it while it still reads the entry. */
function importedAtOnce(into: string, entry: string): string[] {
  const text = readFileSync(join(into, "assets", entry), "utf8");
  const names = [...text.matchAll(/(?:from|import)\s*"[^"]*?(part-[\w]+\.js)"/g)].map(
    match => match[1] ?? "",
  );
  return [...new Set(names)];
}

/** Named by its content, as the bundler names the others. */
function copyIcon(into: string): string {
  const bytes = readFileSync(join(ROOT, "web", "icon.svg"));
  const name = `icon-${new CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 8)}.svg`;
  writeFileSync(join(into, "assets", name), bytes);
  return name;
}

function page(into: string, outputs: readonly BuildArtifact[]): string {
  const entry = fileName(outputs, /^main-.*\.js$/);
  const asset = (name: string) => `${BASE}assets/${name}`;
  const preloads = importedAtOnce(into, entry).map(
    name => `    <link rel="modulepreload" href="${asset(name)}">\n`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>Wicketgate</title>
    <link rel="icon" type="image/svg+xml" href="${asset(copyIcon(into))}">
    <script src="${asset(fileName(outputs, /^before-paint-.*\.js$/))}"></script>
    <link rel="stylesheet" href="${asset(fileName(outputs, /^main-.*\.css$/))}">
${preloads.join("")}    <script type="module" src="${asset(entry)}"></script>
  </head>
  <body>
    <div id="app"></div>
    <noscript>The console needs JavaScript. The gateway itself does not: see docs/api.md for its addresses.</noscript>
  </body>
</html>
`;
}

function compressAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: quality }));
  }
}

/** Built beside and moved into place, so that a server that runs never sees half of it. */
async function build(print: string): Promise<void> {
  const into = `${OUT}.new-${process.pid}`;
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const { default: tailwind } = await import("bun-plugin-tailwind");
  const { outputs, pages } = await bundle(tailwind, into);
  await Bun.write(join(into, "index.html"), page(into, outputs));
  compressAll(into);
  writeFileSync(join(into, STAMP), `${JSON.stringify({ fingerprint: print, pages }, null, 2)}\n`);
  moveIntoPlace(into);
}

/** Two builds at once may both be here: each has its own names, and the later one stays. */
function moveIntoPlace(into: string): void {
  const old = `${OUT}.old-${process.pid}`;
  for (let tries = 0; ; tries += 1) {
    try {
      if (existsSync(OUT)) renameSync(OUT, old);
      renameSync(into, OUT);
      break;
    } catch (error) {
      if (tries >= MOVES_MAX) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

const absent = missing();
if (absent.length > 0) {
  say(
    `The console's pages were not built: ${absent.join(", ")} not installed (npm install without --omit=dev).`,
  );
} else {
  const print = fingerprint();
  if (print === builtBefore()) say("The console's pages are built already.");
  else {
    const started = performance.now();
    await build(print);
    say(`The console's pages were built in ${Math.round(performance.now() - started)} ms: dist/console/`);
  }
}
