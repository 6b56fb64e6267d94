import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

const ROOT = join(import.meta.dir, "..");
const OUT = join(ROOT, "dist", "console");
const FIRST_LOAD_BYTES_MAX = 200 * 1024;

async function build(): Promise<{ code: number; output: string; ms: number }> {
  const started = performance.now();
  const child = Bun.spawn([process.execPath, join(ROOT, "web", "build.ts")], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  return { code: await child.exited, output, ms: performance.now() - started };
}

const gzipped = (path: string) => readFileSync(join(OUT, `${path}.gz`)).byteLength;

describe("the build", () => {
  let html = "";
  let pages: Record<string, string[]> = {};
  beforeAll(async () => {
    const { code, output } = await build();
    if (code !== 0) throw new Error(output);
    html = readFileSync(join(OUT, "index.html"), "utf8");
    pages = JSON.parse(readFileSync(join(OUT, "build.json"), "utf8")).pages;
  });

  test("does nothing where nothing changed", async () => {
    const before = readFileSync(join(OUT, "build.json"), "utf8");
    const { code, output } = await build();
    expect(code).toBe(0);
    expect(output).toContain("built already");
    expect(readFileSync(join(OUT, "build.json"), "utf8")).toBe(before);
  });

  test("has every page in a file of its own", () => {
    expect(Object.keys(pages).sort()).toEqual(
      readdirSync(join(ROOT, "web", "pages"))
        .filter(name => existsSync(join(ROOT, "web", "pages", name, "page.tsx")))
        .sort(),
    );
  });

  test("loads at most 200 KB, gzipped, for the first page, whichever it is", () => {
    const always = [...html.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(match => match[1] ?? "");
    expect(always.length).toBeGreaterThanOrEqual(4);
    const sizes = Object.entries(pages).map(([name, scripts]) => {
      const files = new Set(["index.html", ...always, ...scripts]);
      return { name, bytes: [...files].reduce((sum, file) => sum + gzipped(file), 0) };
    });
    expect(sizes.length).toBeGreaterThan(8);
    expect(sizes.filter(({ bytes }) => bytes > FIRST_LOAD_BYTES_MAX)).toEqual([]);
  });

  test("has no inline script or style, nothing from elsewhere, and no map of its source", () => {
    expect([...html.matchAll(/<script([^>]*)>([^<]*)/g)].every(([, , text]) => text === "")).toBe(true);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|https?:\/\//);
    for (const name of readdirSync(join(OUT, "assets"))) {
      expect(name).not.toEndWith(".map");
      if (!/\.(js|css)$/.test(name)) continue;
      const text = readFileSync(join(OUT, "assets", name), "utf8");
      expect(text).not.toContain("sourceMappingURL");
      expect(text).not.toMatch(/@import|url\(["']?https?:/);
      expect(text).not.toContain(ROOT);
    }
  });

  test("keeps both compressed forms beside each file, with the same content", () => {
    const names = readdirSync(join(OUT, "assets")).filter(name => /\.(js|css|svg)$/.test(name));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const bytes = readFileSync(join(OUT, "assets", name));
      expect(name).toMatch(/-[a-z0-9]{8}\.(js|css|svg)$/);
      expect(gunzipSync(readFileSync(join(OUT, "assets", `${name}.gz`))).equals(bytes)).toBe(true);
      expect(brotliDecompressSync(readFileSync(join(OUT, "assets", `${name}.br`))).equals(bytes)).toBe(true);
    }
  });
});
