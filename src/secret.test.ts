import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSecrets, type Secrets } from "./secret.ts";

const root = mkdtempSync(join(tmpdir(), "wicketgate-secret-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let made = 0;
/** A data directory that is not there yet. */
const freshDir = () => join(root, `data-${made++}`, "inner");
const from = (dataDir: string) => ({ secret: null, secretFile: null, dataDir });
const hex = ({ seal, ...secrets }: Secrets) =>
  [...Object.values(secrets), seal.newest].map(bytes => Buffer.from(bytes).toString("hex"));

describe("at the first start", () => {
  test("a secret is made, for the owner's eyes alone, and nothing else is left behind", () => {
    const dir = freshDir();
    loadSecrets(from(dir));
    expect(readdirSync(dir)).toEqual(["secret"]);
    expect(statSync(join(dir, "secret")).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(dir, "secret"), "utf8")).toMatch(/^[\w-]{43}\n$/);
  });

  test("two installations have different ones", () => {
    const all = [...hex(loadSecrets(from(freshDir()))), ...hex(loadSecrets(from(freshDir())))];
    expect(new Set(all).size).toBe(all.length);
  });

  test("processes that start at the same moment get the same one", async () => {
    const dir = freshDir();
    const script = `
      const { loadSecrets } = await import(${JSON.stringify(join(import.meta.dir, "secret.ts"))});
      const { lookup } = loadSecrets({ secret: null, secretFile: null, dataDir: ${JSON.stringify(dir)} });
      process.stdout.write(Buffer.from(lookup).toString("hex"));`;
    const started = Array.from({ length: 3 }, () => Bun.spawn([process.execPath, "-e", script]));
    const printed = await Promise.all(started.map(one => new Response(one.stdout).text()));
    const { lookup } = loadSecrets(from(dir));
    expect(printed).toEqual(Array(3).fill(Buffer.from(lookup).toString("hex")));
    expect(readdirSync(dir)).toEqual(["secret"]);
  });
});

describe("at every other start", () => {
  test("the keys are the same, and the file is not written again", () => {
    const dir = freshDir();
    const first = hex(loadSecrets(from(dir)));
    const { ino, mtimeMs } = statSync(join(dir, "secret"));
    expect(hex(loadSecrets(from(dir)))).toEqual(first);
    expect(statSync(join(dir, "secret"))).toMatchObject({ ino, mtimeMs });
  });

  test("the same secret gives the same keys wherever it comes from, white space around it or not", () => {
    const secret = "a secret of more than thirty-two characters";
    const secretFile = join(root, "given");
    writeFileSync(secretFile, `\n  ${secret}\r\n`);
    const dir = freshDir();
    const given = hex(loadSecrets({ ...from(dir), secret }));
    expect(hex(loadSecrets({ ...from(dir), secretFile }))).toEqual(given);
    // What is set in the environment counts before any file, and no file is made.
    expect(hex(loadSecrets({ ...from(dir), secret: "x".repeat(40), secretFile }))).not.toEqual(given);
    expect(() => statSync(dir)).toThrow();
  });
});

test("each purpose has a key of its own", () => {
  const secrets = loadSecrets({ ...from(root), secret: "s".repeat(32) });
  expect(new Set(hex(secrets).map(key => key.slice(0, 64))).size).toBe(Object.keys(secrets).length);
  for (const key of [secrets.lookup, secrets.seal.newest, secrets.mark, secrets.codes, secrets.wrap])
    expect(key).toHaveLength(32);
  expect(secrets.demoKey).toHaveLength(128);
  expect(hex(secrets).join()).not.toContain(Buffer.from("s".repeat(8)).toString("hex"));
});

test("the keys of a known secret never change: what is stored depends on them", () => {
  const { lookup, seal, codes } = loadSecrets({ ...from(root), secret: "0123456789abcdef0123456789abcdef" });
  const derived = (purpose: string) => {
    const extract = new Bun.CryptoHasher("sha256", "wicketgate").update("0123456789abcdef0123456789abcdef");
    const expand = new Bun.CryptoHasher("sha256", extract.digest()).update(`${purpose}\x01`);
    return expand.digest("hex");
  };
  expect(Buffer.from(lookup).toString("hex")).toBe(derived("key lookup"));
  expect(Buffer.from(seal.newest).toString("hex")).toBe(derived("seal"));
  expect(Buffer.from(codes).toString("hex")).toBe(derived("redemption code"));
});

test("a file with too little in it is refused by name, and its content is not told", () => {
  for (const content of ["", "\n", "short", "x".repeat(31)]) {
    const secretFile = join(root, "too-short");
    writeFileSync(secretFile, content);
    const load = () => loadSecrets({ ...from(root), secretFile });
    expect(load).toThrow(`the secret file ${secretFile} holds fewer than 32 characters`);
    expect(readFileSync(secretFile, "utf8")).toBe(content);
  }
});
