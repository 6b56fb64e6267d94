import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { consolePages } from "../src/console/api/static.ts";
import { freshDir, type Gateway, removeDir, startGateway } from "./harness.ts";

const FOR_EVER = "public, max-age=31536000, immutable";
const SCRIPT = "console.log('the gate');".repeat(50);
const PAGE = "<!doctype html><title>Wicketgate</title>";

let dir: string;
let pages: (request: Request) => Promise<Response>;

beforeAll(() => {
  dir = freshDir();
  const built = join(dir, "console");
  mkdirSync(join(built, "assets"), { recursive: true });
  writeFileSync(join(dir, "secret"), "not for anybody");
  writeFileSync(join(built, "index.html"), PAGE);
  writeFileSync(join(built, "favicon.svg"), "<svg/>");
  writeFileSync(join(built, "assets", "app-1234.js"), SCRIPT);
  writeFileSync(join(built, "assets", "app-1234.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(built, "assets", "app-1234.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(built, "assets", "bare-1.css"), "a{}");
  symlinkSync(join(dir, "secret"), join(built, "assets", "leak.js"));
  pages = consolePages(built);
});
afterAll(() => removeDir(dir));

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  pages(new Request(`http://127.0.0.1${path}`, { headers, method }));

describe("the built pages", () => {
  test("every address of a page gives the page, which is asked for anew each time", async () => {
    for (const path of ["/console/", "/console/keys", "/console/usage/req_1", "/console/index.html"]) {
      const answer = await get(path);
      expect({ path, status: answer.status, text: await answer.text() }).toEqual({
        path,
        status: 200,
        text: PAGE,
      });
      expect(answer.headers.get("content-type")).toBe("text/html;charset=utf-8");
      expect(answer.headers.get("cache-control")).toBe("no-cache");
    }
  });

  test("what it is made of is kept for ever, and sent packed as the browser takes it", async () => {
    const cases: [accepted: string, encoding: string | null][] = [
      ["gzip, deflate, br, zstd", "br"],
      ["gzip", "gzip"],
      ["br;q=0, gzip;q=0.5", "gzip"],
      ["identity", null],
      ["", null],
    ];
    for (const [accepted, encoding] of cases) {
      const answer = await get("/console/assets/app-1234.js", { "accept-encoding": accepted });
      expect({ accepted, encoding: answer.headers.get("content-encoding") }).toEqual({ accepted, encoding });
      expect(answer.headers.get("cache-control")).toBe(FOR_EVER);
      expect(answer.headers.get("vary")).toBe("accept-encoding");
      expect(answer.headers.get("content-type")).toContain("text/javascript");
    }
    const bare = await get("/console/assets/bare-1.css", { "accept-encoding": "br" });
    expect(bare.headers.get("content-encoding")).toBeNull();
    expect(bare.headers.get("content-type")).toContain("text/css");
    const icon = await get("/console/favicon.svg");
    expect([icon.headers.get("content-type"), icon.headers.get("cache-control")]).toEqual([
      "image/svg+xml",
      "no-cache",
    ]);
  });

  test("what a new build has taken away is not there, and what it brought is", async () => {
    const built = join(freshDir(), "console");
    mkdirSync(join(built, "assets"), { recursive: true });
    const old = join(built, "assets", "app-1.js");
    writeFileSync(join(built, "index.html"), PAGE);
    writeFileSync(old, SCRIPT);
    const running = consolePages(built);
    const status = async (path: string) => (await running(new Request(`http://127.0.0.1${path}`))).status;
    expect(await status("/console/assets/app-1.js")).toBe(200);
    rmSync(old);
    writeFileSync(join(built, "assets", "app-2.js"), SCRIPT);
    expect(await status("/console/assets/app-1.js")).toBe(404);
    expect(await status("/console/assets/app-2.js")).toBe(200);
    rmSync(join(built, "index.html"));
    expect(await status("/console/keys")).toBe(503);
    removeDir(join(built, ".."));
  });

  test("nothing beside them can be read", async () => {
    const paths = [
      "/console/assets/../../secret",
      "/console/assets/%2e%2e/%2e%2e/secret",
      "/console/assets/..%2f..%2fsecret",
      "/console/assets/..%5c..%5csecret",
      "/console/..%2fsecret.txt",
      "/console/assets/leak.js",
      "/console/assets//app-1234.js",
      "/console/assets/",
      "/console/assets",
      "/console/assets/app-1234.js%00.html",
      "/console//etc/passwd",
      "/console/assets/none-1.js",
    ];
    for (const path of paths) {
      const answer = await get(path);
      const text = await answer.text();
      expect({ path, leaks: text.includes("not for anybody") || text.includes("root:") }).toEqual({
        ...{ path, leaks: false },
      });
      if (path.includes("assets/") && answer.status !== 404)
        expect({ path, text }).toEqual({ path, text: PAGE });
    }
    expect((await get("/console/assets/none-1.js")).status).toBe(404);
  });

  test("are only read; other methods are refused, and HEAD has no body", async () => {
    expect((await get("/console/", {}, "POST")).status).toBe(405);
    const head = await get("/console/assets/app-1234.js", {}, "HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("are found when they are built while it runs", async () => {
    const later = join(freshDir(), "console");
    const serving = consolePages(later);
    const before = await serving(new Request("http://127.0.0.1/console/"));
    expect(before.status).toBe(503);
    expect(await before.text()).toContain("npm run build");
    mkdirSync(later, { recursive: true });
    writeFileSync(join(later, "index.html"), PAGE);
    expect((await serving(new Request("http://127.0.0.1/console/"))).status).toBe(200);
    removeDir(join(later, ".."));
  });
});

describe("on the real server", () => {
  let gateway: Gateway;
  let data: string;
  beforeAll(async () => {
    data = freshDir();
    gateway = await startGateway(data);
  });
  afterAll(async () => {
    await gateway.stop();
    removeDir(data);
  });

  test("a browser at the root is sent to the console, and everybody else gets the text", async () => {
    const browser = await fetch(gateway.url, { headers: { accept: "text/html,*/*" }, redirect: "manual" });
    expect([browser.status, browser.headers.get("location")]).toEqual([302, "console/"]);
    const client = await fetch(gateway.url, { redirect: "manual" });
    expect([client.status, (await client.text()).includes(`${gateway.url}/v1`)]).toEqual([200, true]);
    const bare = await fetch(`${gateway.url}/console`, { redirect: "manual" });
    expect([bare.status, bare.headers.get("location")]).toEqual([308, "console/"]);
  });

  test("the gateway's own paths stay as they are, whatever is asked of the console", async () => {
    expect((await fetch(`${gateway.url}/consoles`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/v1/console/api/house`)).status).toBe(404);
  });
});
