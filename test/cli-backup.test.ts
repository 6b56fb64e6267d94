import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { everyRow, inside } from "../src/store/copy-database.case.ts";
import type { Place } from "../src/store/copy-open.ts";
import { freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import { type CliRig, cliRig } from "./cli-rig.ts";
import {
  eventually,
  mustRun,
  plainEnvironment,
  ROOT,
  startGateway,
  usageRows,
  verifyClean,
  wicketgate,
} from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { chatCompletion, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

let rig: CliRig;
beforeEach(() => {
  rig = cliRig();
});
afterEach(() => rig.dispose());

const SECRET = "a-master-secret-that-must-not-be-found-anywhere";
const CREDENTIAL = "upstream-credential-9f8e7d6c5b4a";
const env = (dir = "data") => ({ WICKETGATE_DATA_DIR: join(rig.dir, dir), WICKETGATE_SECRET: SECRET });
/** On the data directory of that name, or on PostgreSQL where it is a URL. */
const run = (argv: string[], place = "data") =>
  place.startsWith("postgres:")
    ? rig.run(argv, { env: { ...env(), DATABASE_URL: place } })
    : rig.run(argv, { env: env(place) });
const path = (...parts: string[]) => join(rig.dir, ...parts);

/** An installation with something in most tables; gives the string of its key. */
async function furnish(place?: string): Promise<string> {
  await rig.file(
    "base.yaml",
    `upstreams:
  - { name: far, kind: openai-compatible, base_url: "https://api.example.org/v1", api_key: ${CREDENTIAL}, models: [m] }
models:
  - { name: m, price: { input: 1, output: 2 } }
groups:
  - { name: default, models: [m] }
accounts:
  - { email: ann@example.org, balance: 10.00 }
`,
  );
  expect(await run(["apply", "base.yaml"], place)).toMatchObject({ code: 0, err: "" });
  const key = ["key", "create", "--account", "ann@example.org", "--name", "laptop", "--group", "default"];
  const made = await run([...key, "--json"], place);
  expect(made).toMatchObject({ code: 0, err: "" });
  return (JSON.parse(made.out) as { key: string }).key;
}

async function lists(place?: string): Promise<string[]> {
  const asked = [["account", "list"], ["key", "list"], ["verify"]];
  const ran = await Promise.all(asked.map(argv => run([...argv, "--json"], place)));
  return ran.map(({ out }) => out);
}

const textOf = (file: string) => zstdDecompressSync(readFileSync(path(file)).subarray(24, -56)).toString();

describe("backup", () => {
  test("and restore give the same installation", async () => {
    await furnish();
    const backup = await run(["backup", "a.copy"]);
    expect(backup).toMatchObject({ code: 0, err: "" });
    expect(backup.out).toMatch(/^\d+ rows of \d+ tables, as of 20.*Z, are in a\.copy \(.* KiB\)\.\n/);
    expect(backup.out).toContain("The master secret is NOT in it. It is in the setting WICKETGATE_SECRET");
    const restore = await run(["restore", "a.copy"], "other");
    expect(restore).toMatchObject({ code: 0, err: "" });
    expect(restore.out).toContain("The master secret was not in the copy.");
    expect(restore.out).toMatch(/clean: \d+ invariants hold/);
    expect(await lists("other")).toEqual(await lists());
    expect((await run(["apply", "base.yaml"], "other")).out).toBe("nothing to change\n");
  });

  test("can be restored where migrate has made the database already", async () => {
    await furnish();
    expect((await run(["backup", "a.copy"])).code).toBe(0);
    expect((await run(["migrate"], "other")).code).toBe(0);
    expect(await run(["restore", "a.copy"], "other")).toMatchObject({ code: 0, err: "" });
    expect(await lists("other")).toEqual(await lists());
  });

  test("goes from PostgreSQL to PostgreSQL by the settings", async () => {
    const [from, to] = [await freshDatabase(), await freshDatabase()];
    await furnish(from);
    expect(await run(["backup", "a.copy"], from)).toMatchObject({ code: 0, err: "" });
    expect(await run(["restore", "a.copy"], to)).toMatchObject({ code: 0, err: "" });
    expect(await lists(to)).toEqual(await lists(from));
    expect(await run(["restore", "a.copy"], to)).toMatchObject({ code: 1, out: "" });
    expect(await run(["migrate", "--to", "back"], to)).toMatchObject({ code: 0, err: "" });
    expect(await lists("back")).toEqual(await lists(from));
  });

  test("opens with no other master secret once it is restored", async () => {
    await furnish();
    expect((await run(["backup", "a.copy"])).code).toBe(0);
    expect((await run(["restore", "a.copy"], "other")).code).toBe(0);
    const wrong = { ...env("other"), WICKETGATE_SECRET: SECRET.toUpperCase() };
    expect((await rig.run(["account", "list"], { env: wrong })).err).toContain("another master secret");
  });

  test("holds no secret: neither the master secret nor a key nor a credential", async () => {
    const key = await furnish();
    expect((await run(["backup", "a.copy"])).code).toBe(0);
    const text = textOf("a.copy");
    expect(text).toContain("ann@example.org");
    const stored = Buffer.from(SECRET).toString("base64").slice(0, -4);
    for (const secret of [SECRET, stored, key, CREDENTIAL]) expect(text).not.toContain(secret);
  });

  test("is for its owner alone, and replaces nothing unless it is told to", async () => {
    await furnish();
    expect((await run(["backup", "a.copy"])).code).toBe(0);
    expect(statSync(path("a.copy")).mode & 0o777).toBe(0o600);
    const before = readFileSync(path("a.copy"));
    expect(await run(["backup", "a.copy"])).toMatchObject({ code: 1, out: "" });
    expect(readFileSync(path("a.copy")).equals(before)).toBe(true);
    expect((await run(["account", "add", "bob@example.org"])).code).toBe(0);
    expect((await run(["backup", "a.copy", "--force"])).code).toBe(0);
    expect(textOf("a.copy")).toContain("bob@example.org");
    expect(readdirSync(rig.dir).sort()).toEqual(["a.copy", "base.yaml", "data"]);
  });

  test("says in JSON what it did", async () => {
    await furnish();
    const { out } = await run(["backup", "a.copy", "--json"]);
    const told = JSON.parse(out);
    expect(told).toMatchObject({
      file: "a.copy",
      bytes: statSync(path("a.copy")).size,
      secret_included: false,
    });
    expect(told.tables).toMatchObject({ accounts: 1, keys: 1, upstreams: 1, ledger: 1 });
    const restored = JSON.parse((await run(["restore", "a.copy", "--json"], "other")).out);
    expect(restored).toMatchObject({
      rows: told.rows,
      tables: told.tables,
      clean: true,
      made_at: told.made_at,
    });
  });

  test("names what stands in its way", async () => {
    expect((await run(["backup", "a.copy"])).err).toContain("There is no Wicketgate database in");
    expect(existsSync(path("data"))).toBe(false);
    await furnish();
    expect((await run(["backup", "nowhere/a.copy"])).err).toContain("There is no directory");
    expect((await run(["backup", "data", "--force"])).err).toContain("is not a file");
    expect(readdirSync(rig.dir).sort()).toEqual(["base.yaml", "data"]);
  });
});

describe("restore refuses, and makes nothing", () => {
  test("where the file is cut, altered, followed by something, or something else", async () => {
    await furnish();
    expect((await run(["backup", "a.copy"])).code).toBe(0);
    const whole = readFileSync(path("a.copy"));
    const altered = Buffer.from(whole);
    altered[200] = (altered[200] ?? 0) ^ 1;
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [whole.subarray(0, whole.length - 100), "This copy is cut off"],
      [altered, "This copy was altered or damaged"],
      [Buffer.concat([whole, Buffer.from("junk")]), "This copy is followed by 4 bytes"],
      [Buffer.from("SQLite format 3"), "This file is not a Wicketgate copy."],
      [Buffer.alloc(0), "This copy is cut off"],
    ];
    for (const [bytes, sentence] of cases) {
      writeFileSync(path("b.copy"), bytes);
      const { code, out, err } = await run(["restore", "b.copy"], "other");
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toStartWith(sentence);
      expect(err).toEndWith("Nothing was written.\n");
      expect(existsSync(path("other"))).toBe(false);
    }
    expect((await run(["restore", "none.copy"], "other")).err).toBe("There is no file none.copy.\n");
    expect((await run(["restore", "data"], "other")).err).toContain("not a Wicketgate copy");
  });

  test("where the target has something in it", async () => {
    await furnish();
    expect((await run(["backup", "a.copy"])).code).toBe(0);
    const before = await lists();
    const { code, err } = await run(["restore", "a.copy"]);
    expect(code).toBe(1);
    expect(err).toContain("The target is not empty: it has rows in accounts");
    expect(await lists()).toEqual(before);
  });

  test("where the books do not agree, unless it is told to keep them", async () => {
    await furnish();
    const db = new Database(path("data", "wicketgate.db"));
    db.run("update accounts set balance = balance + 1");
    db.close();
    expect((await run(["backup", "a.copy"])).code).toBe(0);
    const refused = await run(["restore", "a.copy"], "other");
    expect(refused.code).toBe(1);
    expect(refused.out).toContain("broken: an account's balance");
    expect(refused.err).toContain("Nothing was written.");
    expect(JSON.parse((await run(["account", "list", "--json"], "other")).out)).toEqual([]);
    const kept = await run(["restore", "a.copy", "--accept-findings"], "other");
    expect(kept).toMatchObject({ code: 1, err: "" });
    expect(JSON.parse((await run(["account", "list", "--json"], "other")).out)).toHaveLength(1);
  });
});

describe("migrate --to", () => {
  test("moves everything, leaves the source as it was, and says what to set", async () => {
    await furnish();
    const before = await lists();
    const { code, out, err } = await run(["migrate", "--to", "sqlite:other"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(["WICKETGATE_DATA_DIR", `${path("other")}, and start the server.`].join("="));
    expect(out).toContain("WICKETGATE_SECRET");
    expect(await lists("other")).toEqual(before);
    expect(await lists()).toEqual(before);
    expect(readdirSync(path("data")).filter(name => name.includes("part"))).toEqual([]);
    expect((await run(["migrate", "--to", "sqlite:other"])).err).toContain("The target is not empty");
    expect((await run(["migrate", "--to", "data"])).err).toContain("The target is not empty");
  });

  test("refuses while a server runs, unless it is told to go on", async () => {
    await furnish();
    const db = new Database(path("data", "wicketgate.db"));
    db.run("insert into instances values ('boot_1', 'host', 1, '', ?)", [Date.now() - 1_000]);
    db.close();
    const { code, err } = await run(["migrate", "--to", "sqlite:other"]);
    expect(code).toBe(1);
    expect(err).toContain("A server is running on this database");
    expect(err).toContain("what is spent after the copy would be missing");
    expect(existsSync(path("other"))).toBe(false);
    expect((await run(["migrate", "--to", "sqlite:other", "--while-running"])).code).toBe(0);
  });

  test("refuses while settlements wait for the database", async () => {
    await furnish();
    await rig.file("data/journal/boot_1.journal", "[]\n");
    expect((await run(["migrate", "--to", "other"])).err).toContain(
      "Settlements that are not in the database yet",
    );
    expect(existsSync(path("other"))).toBe(false);
  });

  test("moves to PostgreSQL and never says the password", async () => {
    await furnish();
    const url = (await freshDatabase()).replace("postgres@", "postgres:hidden-password@");
    const moved = await run(["migrate", "--to", url]);
    expect(moved).toMatchObject({ code: 0, err: "" });
    expect(moved.out).toContain("Set DATABASE_URL to the URL that you gave");
    const again = await run(["migrate", "--to", url]);
    expect(again).toMatchObject({ code: 1, out: "" });
    const nowhere = await run(["migrate", "--to", url.replace(/\/test_\w+$/, "/nowhere")]);
    expect(nowhere.err).toContain("The PostgreSQL database nowhere on 127.0.0.1");
    for (const { out, err } of [moved, again, nowhere]) expect(out + err).not.toContain("hidden-password");
    const here: Place = { kind: "sqlite", file: path("data", "wicketgate.db") };
    expect(await inside({ kind: "postgres", url }, everyRow)).toEqual(await inside(here, everyRow));
  });

  test("called wrongly", async () => {
    for (const argv of [["--to", "mysql://host/name"], ["--to", ""], ["--to", "x.db"], ["--while-running"]]) {
      expect(await run(["migrate", ...argv])).toMatchObject({ code: 2, out: "" });
    }
    expect((await run(["migrate", "--to", "sqlite:other"])).err).toContain("There is no");
    expect(readdirSync(rig.dir)).toEqual([]);
  });
});

describe("beside a running gateway", () => {
  let house: Rig;
  beforeEach(async () => {
    house = await startRig();
  });
  afterEach(() => house.stop());

  test("a copy is taken under load, and its books agree", async () => {
    const key = await house.key();
    house.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2))));
    const asking = { on: true, answered: 0 };
    const ask = async () => {
      while (asking.on) {
        expect((await chat(house.gateway.base, { key: key.key, body: chatBody("call") })).status).toBe(200);
        asking.answered += 1;
      }
    };
    const clients = Array.from({ length: 8 }, ask);
    const sizes: number[] = [];
    for (let at = 0; at < 4; at++) {
      const told = JSON.parse(await mustRun(house.dir, ["backup", path(`${at}.copy`), "--json"]));
      sizes.push(told.tables.usage);
      expect(await run(["restore", `${at}.copy`], `restored-${at}`)).toMatchObject({ code: 0, err: "" });
    }
    asking.on = false;
    await Promise.all(clients);
    expect(sizes.at(-1)).toBeGreaterThan(sizes[0] ?? 0);
    expect(sizes.at(-1)).toBeLessThanOrEqual(asking.answered + clients.length);
    const { code, stderr } = await wicketgate(house.dir, ["migrate", "--to", path("moved")]);
    expect(code).toBe(1);
    expect(stderr).toContain("Stop it first");
  });

  test("what was running then is interrupted at the copy's first start, and goes on where it runs", async () => {
    const key = await house.key();
    const waiting: UpstreamExchange[] = [];
    house.upstream.script(exchange => void waiting.push(exchange));
    const asked = chat(house.gateway.base, { key: key.key, body: chatBody("call") });
    expect(await eventually(() => waiting.length === 1)).toBe(true);
    await mustRun(house.dir, ["backup", path("a.copy")]);
    await waiting[0]?.reply(200, chatCompletion("Hi", usageOf(5, 2)));
    expect((await asked).status).toBe(200);

    const dir = path("restored");
    await mustRun(dir, ["restore", path("a.copy")]);
    copyFileSync(join(house.dir, "secret"), join(dir, "secret"));
    expect((await usageRows(dir, key.id)).map(row => row.state)).toEqual(["open"]);
    const restored = await startGateway(dir, { WICKETGATE_DEMO: "off" });
    const [row] = await usageRows(dir, key.id);
    expect(row).toMatchObject({ state: "interrupted", cost: "0.00" });
    house.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2))));
    // The same key opens the same door, with the upstream's credential from the copy.
    expect((await chat(restored.base, { key: key.key, body: chatBody("call") })).status).toBe(200);
    expect(await restored.stop()).toBe(0);
    await verifyClean(dir);
  });
});

describe("200,000 rows", () => {
  const USAGE = `insert into usage (id, account_id, key_id, group_id, boot_id, state, dialect, stream, model, tool, address,
      started_at_ms, hold, input_tokens_guessed, input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, cost)
    with recursive n (at) as (select 1 union all select at + 1 from n where at < 200000)
    select 'req_' || printf('%026d', at), 'acc_none', 'key_none', 'grp_none', 'boot_none', 'refused', 'chat', 0, 'm',
      hex(randomblob(60)), '127.0.0.1', at, 0, 10, 0, 0, 0, 0, 0, 0, 0 from n`;

  /** A command's most memory, in MiB. */
  async function memoryOf(argv: string[], dir: string): Promise<number> {
    const child = Bun.spawn([process.execPath, "src/main.ts", ...argv], {
      cwd: ROOT,
      env: plainEnvironment(env(dir)),
      stdout: "ignore",
      stderr: "pipe",
    });
    const [code, err] = [await child.exited, await new Response(child.stderr).text()];
    expect({ code, err: err.replace(/^(Copying|Reading back|Checking|Loading): .*\n/gm, "") }).toEqual({
      code: 0,
      err: "",
    });
    return (child.resourceUsage()?.maxRSS ?? 0) / 1024 / 1024;
  }

  test("take hardly more memory than a few", async () => {
    await furnish();
    const few = [
      await memoryOf(["backup", path("few.copy")], "data"),
      await memoryOf(["restore", path("few.copy")], "few"),
    ];
    const db = new Database(path("data", "wicketgate.db"));
    db.run("pragma synchronous = off");
    db.run(USAGE);
    db.close();
    const many = [
      await memoryOf(["backup", path("many.copy")], "data"),
      await memoryOf(["restore", path("many.copy")], "many"),
    ];
    expect(textOf("many.copy").length).toBeGreaterThan(50_000_000);
    for (const [at, most] of many.entries()) expect(most).toBeLessThan((few[at] ?? 0) + 60);
  }, 120_000);
});
