import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CliRig, cliRig } from "./cli-rig.ts";

let rig: CliRig;
beforeEach(() => {
  rig = cliRig();
});
afterEach(() => rig.dispose());

const PROVIDER_KEY = "sk-live-0123456789abcdef";
const env = { OPENAI_API_KEY: PROVIDER_KEY };

/** The whole format of the contract. */
const WHOLE = `
upstreams:
  - name: openai
    kind: openai
    base_url: https://api.openai.com/v1
    speaks: [chat, responses]
    api_key: \${OPENAI_API_KEY}
    priority: 0
    weight: 1
    models: { gpt-5: gpt-5-2025-08-07 }
models:
  - name: gpt-5
    context_tokens: 400000
    max_output_tokens: 128000
    price:
      { input: 1.25, output: 10, cache_read: 0.125, tiers: [{ above: 200000, input: 2.5, output: 15, cache_read: 0.25 }] }
  - name: image-1
    price: { request: 0.04 }
groups:
  - name: default
    enabled: true
    multiplier: 1.0
    models: [gpt-5, "claude-*"]
    billing: balance
    limits: { requests_per_minute: 120, spend_per_day: 3 }
plans:
  - name: monthly-50
    groups: [default]
    quota: 50.00
    window: month
accounts:
  - email: ann@example.org
    role: holder
    balance: 10.00
    limits: { tokens_per_minute: 500000, spend_per_month: 100 }
    subscriptions: [{ plan: monthly-50, until: 2027-01-01 }]
keys:
  - account: ann@example.org
    name: laptop
    group: default
    quota: 5.00
    requests_per_minute: 60
    tokens_per_minute: 200000
    concurrency: 4
    spend_per_week: 2.50
    expires_at: 2027-01-01T00:00:00Z
`;

async function apply(text: string, ...more: string[]) {
  await rig.file("gate.yaml", text);
  return rig.run(["apply", "gate.yaml", ...more], { env });
}

describe("apply", () => {
  test("makes what the file says, prints new keys once, and changes nothing the second time", async () => {
    const first = await apply(WHOLE);
    expect(first).toMatchObject({ code: 0, err: "" });
    for (const line of [
      "+ upstream openai",
      "+ model image-1",
      "+ group default",
      "+ plan monthly-50",
      "+ account ann@example.org",
    ]) {
      expect(first.out.split("\n")).toContain(line);
    }
    const key = /^key laptop {2}(wgk_\w{49})$/m.exec(first.out)?.[1] ?? "";
    expect(key).not.toBe("");
    const second = await apply(WHOLE);
    expect(second).toEqual({ code: 0, out: "nothing to change\n", err: "" });
    expect(JSON.parse((await apply(WHOLE, "--json")).out)).toEqual({ changes: [], keys: [] });
    const [account] = JSON.parse((await rig.run(["account", "list", "--json"])).out);
    expect(account.balance).toBe("10.00");
    expect((await rig.run(["verify"])).code).toBe(0);
    for (const { out } of [first, second]) expect(out).not.toContain(PROVIDER_KEY);
  });

  test("says what differs, and never a secret", async () => {
    await apply(WHOLE);
    const changed = WHOLE.replace("output: 10", "output: 12.5")
      .replace("quota: 5.00", "quota: 6")
      .replace("weight: 1", "weight: 2");
    await rig.file("gate.yaml", changed);
    const other = { OPENAI_API_KEY: "sk-live-another-one" };
    const { code, out } = await rig.run(["apply", "gate.yaml"], { env: other });
    expect(code).toBe(0);
    expect(out).toMatch(/^~ model gpt-5 {2}price: .*output 10,.* → .*output 12\.5,/m);
    expect(out).toMatch(/^~ key laptop {2}quota: 5\.00 → 6\.00$/m);
    expect(out).toMatch(/^~ upstream openai {2}weight: 1 → 2; api_key: \(as it was\) → \(a new one\)$/m);
    expect(out).not.toContain("sk-live");
    expect(out).not.toMatch(/wgk_\w{20}/);
  });

  test("a dry run changes nothing, not even where nothing is yet", async () => {
    const fresh = await apply(WHOLE, "--dry-run");
    expect(fresh.code).toBe(0);
    expect(fresh.out).toContain("+ key laptop");
    expect(fresh.out).toContain("nothing is changed");
    expect(fresh.out).not.toMatch(/wgk_/);
    expect(existsSync(join(rig.dir, "data"))).toBe(false);
    await apply(WHOLE);
    const changed = WHOLE.replace("multiplier: 1.0", "multiplier: 1.5");
    const dry = JSON.parse((await apply(changed, "--dry-run", "--json")).out);
    expect(dry.changes).toMatchObject([
      {
        noun: "group",
        name: "default",
        action: "update",
        fields: [{ field: "multiplier", before: "1", after: "1.5" }],
      },
    ]);
    expect((await apply(WHOLE)).out).toBe("nothing to change\n");
  });

  test("--json gives the new keys", async () => {
    const { changes, keys } = JSON.parse((await apply(WHOLE, "--json")).out);
    expect(changes.length).toBeGreaterThan(5);
    expect(keys).toEqual([
      {
        account: "ann@example.org",
        name: "laptop",
        id: expect.stringMatching(/^key_/),
        key: expect.stringMatching(/^wgk_/),
      },
    ]);
  });

  test("reads standard input", async () => {
    const { code, out } = await rig.run(["apply", "-"], { stdin: "groups:\n  - { name: g, models: [] }\n" });
    expect({ code, out }).toEqual({ code: 0, out: "+ group g\n" });
    const bad = await rig.run(["apply", "-"], { stdin: "groups: 5\n" });
    expect(bad.err).toStartWith("stdin:1:9: “groups” must be a list\n");
  });

  test("names every problem with its line and column, and changes nothing", async () => {
    const damaged = WHOLE.replace("kind: openai", "kind: opena")
      .replace("context_tokens: 400000", "context_tokens: -1")
      .replace("billing: balance", "billing: balance\n    colour: red")
      .replace("balance: 10.00", "balance: 10.00.1")
      .replace("concurrency: 4", "concurrency: 0");
    const { code, out, err } = await apply(damaged);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const places = err.split("\n").filter(line => line.startsWith("gate.yaml:"));
    expect(places.map(line => line.split(":").slice(1, 3).join(":"))).toEqual([
      "4:11",
      "13:21",
      "25:5",
      "35:14",
      "45:18",
    ]);
    expect(err).toContain("These 5 problems must be solved first; nothing is changed.");
    expect(existsSync(join(rig.dir, "data"))).toBe(false);
    const json = JSON.parse((await apply(damaged, "--json")).out);
    expect(json.problems[0]).toEqual({
      line: 4,
      column: 11,
      message: expect.stringContaining("must be one of openai"),
    });
  });

  test("what only the database knows is placed in the file, too, and nothing is changed", async () => {
    await apply("groups:\n  - { name: g, models: [] }\n");
    const { code, err } = await apply(`groups:
  - { name: other, models: [] }
plans:
  - { name: p, groups: [g, nope], quota: 1, window: day }
accounts:
  - { email: a@b.c, subscriptions: [{ plan: none }] }
keys:
  - { account: x@b.c, name: k, group: missing }
`);
    expect(code).toBe(1);
    expect(err.split("\n").slice(0, 4)).toEqual([
      "gate.yaml:4:28: there is no group “nope”",
      "gate.yaml:6:45: there is no plan “none”",
      "gate.yaml:8:16: there is no account x@b.c",
      "gate.yaml:8:39: there is no group “missing”",
    ]);
    expect((await apply("groups:\n  - { name: other, models: [] }\n", "--dry-run")).out).toContain(
      "+ group other",
    );
  });

  test("a credential does not follow an upstream to another address", async () => {
    await apply(WHOLE);
    const moved =
      "upstreams:\n  - { name: openai, kind: openai, base_url: https://evil.example/v1, models: [gpt-5] }\n";
    const { code, err } = await apply(moved);
    expect(code).toBe(1);
    expect(err).toStartWith("gate.yaml:2:45: the address of “openai” changes");
    const demo = await apply("upstreams:\n  - { name: openai, kind: demo, models: [gpt-5] }\n");
    expect(demo.out).toContain("api_key: (as it was) → none");
  });

  test("files that cannot be read", async () => {
    expect((await rig.run(["apply", "nowhere.yaml"])).err).toBe(
      "The file nowhere.yaml cannot be read: there is no such file.\n",
    );
    expect(await rig.run(["apply", "."])).toMatchObject({
      code: 1,
      err: "The file . cannot be read: it is a directory.\n",
    });
    expect((await apply(`# ${"x".repeat(5 * 1024 * 1024)}`)).err).toContain(
      "gate.yaml:1:1: the file is larger than 4 MiB",
    );
  });

  test("two processes at once: each thing is made once, each key printed once", async () => {
    await rig.run(["migrate"]);
    const file = await rig.file("gate.yaml", WHOLE);
    const main = new URL("../src/main.ts", import.meta.url).pathname;
    const runs = [1, 2, 3].map(async () => {
      const child = Bun.spawn([process.execPath, main, "apply", file], {
        cwd: rig.dir,
        env: { ...process.env, ...env, WICKETGATE_DATA_DIR: join(rig.dir, "data") },
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { code: await child.exited, out, err };
    });
    const ended = await Promise.all(runs);
    expect(ended.map(({ code, err }) => ({ code, err }))).toEqual(Array(3).fill({ code: 0, err: "" }));
    expect(ended.filter(({ out }) => out.includes("key laptop  wgk_"))).toHaveLength(1);
    expect(ended.filter(({ out }) => out === "nothing to change\n")).toHaveLength(2);
    expect(JSON.parse((await rig.run(["key", "list", "--json"])).out)).toHaveLength(1);
    expect((await rig.run(["verify"])).code).toBe(0);
  });
});

describe("apply of limits", () => {
  const keys = async () => JSON.parse((await rig.run(["key", "list", "--json"])).out);
  const rows = (sql: string) => {
    const db = new Database(join(rig.dir, "data", "wicketgate.db"), { readonly: true });
    const found = db.query(sql).all();
    db.close();
    return found;
  };
  const LIMITS =
    "requests_per_minute, tokens_per_minute, concurrency, spend_per_day, spend_per_week, spend_per_month";
  const none = {
    requests_per_minute: null,
    tokens_per_minute: null,
    concurrency: null,
    spend_per_day: null,
    spend_per_week: null,
    spend_per_month: null,
  };

  test("stores them, on keys, groups and accounts", async () => {
    await apply(WHOLE);
    expect((await keys())[0]).toMatchObject({ quota: "5.00", spend_per_week: "2.50", spend_per_day: null });
    const group = { ...none, requests_per_minute: 120, spend_per_day: 3_000_000_000 };
    expect(rows(`select ${LIMITS} from groups`)).toEqual([group]);
    const account = { ...none, tokens_per_minute: 500_000, spend_per_month: 100_000_000_000 };
    expect(rows(`select ${LIMITS} from accounts`)).toEqual([account]);
  });

  test("shows and makes each change, and takes away what a key or group no longer names", async () => {
    await apply(WHOLE);
    const changed = WHOLE.replace("    spend_per_week: 2.50\n", "    spend_per_day: 1\n")
      .replace("    limits: { requests_per_minute: 120, spend_per_day: 3 }\n", "")
      .replace("spend_per_month: 100 }", "spend_per_month: 90, concurrency: 8 }");
    for (const argv of [["--dry-run"], []]) {
      const { out } = await apply(changed, ...argv);
      expect(out).toMatch(/^~ key laptop {2}spend_per_day: none → 1\.00; spend_per_week: 2\.50 → none$/m);
      expect(out).toMatch(
        /^~ group default {2}requests_per_minute: 120 → none; spend_per_day: 3\.00 → none$/m,
      );
      expect(out).toMatch(
        /^~ account ann@example.org {2}concurrency: none → 8; spend_per_month: 100\.00 → 90\.00$/m,
      );
    }
    expect(await apply(changed)).toEqual({ code: 0, out: "nothing to change\n", err: "" });
    expect((await keys())[0]).toMatchObject({ spend_per_day: "1.00", spend_per_week: null });
    expect(rows(`select ${LIMITS} from groups`)).toEqual([none]);
  });

  test("leaves an account's limits alone without the field, and clears them where it is empty", async () => {
    await apply(WHOLE);
    const bare = (more: string) => `accounts:\n  - { email: ann@example.org${more} }\n`;
    expect((await apply(bare(""))).out).toBe("nothing to change\n");
    expect((await apply(bare(", limits: {}"))).out).toBe(
      "~ account ann@example.org  tokens_per_minute: 500000 → none; spend_per_month: 100.00 → none\n",
    );
    expect(rows(`select ${LIMITS} from accounts`)).toEqual([none]);
  });

  test("a tier is a new version of the price, shown whole", async () => {
    await apply(WHOLE);
    const changed = WHOLE.replace("above: 200000, input: 2.5", "above: 150000, input: 2.75");
    expect((await apply(changed, "--dry-run")).out).toContain(
      [
        "request 0.00, above 200000 (input 2.5, cache_read 0.25, cache_write_5m 2.5, cache_write_1h 2.5, output 15) →",
        "input 1.25, cache_read 0.125, cache_write_5m 1.25, cache_write_1h 1.25, output 10, request 0.00,",
        "above 150000 (input 2.75, cache_read 0.25, cache_write_5m 2.75, cache_write_1h 2.75, output 15)",
      ].join(" "),
    );
    await apply(changed);
    expect((await apply(changed)).out).toBe("nothing to change\n");
    const versions = rows("select tiers from prices where output > 0 order by id");
    expect(versions).toEqual([
      { tiers: '[[200000,"2500000","250000","2500000","2500000","15000000"]]' },
      { tiers: '[[150000,"2750000","250000","2750000","2750000","15000000"]]' },
    ]);
  });
});

describe("apply of subscriptions", () => {
  const PLANS = `groups: [{ name: g, models: [] }]
plans:
  - { name: a, groups: [g], quota: 1, window: day }
  - { name: b, groups: [g], quota: 1, window: total }
`;
  const list = (subscriptions: string) =>
    apply(`${PLANS}accounts: [{ email: ann@example.org${subscriptions} }]\n`);

  test("the list is the whole truth where it is given", async () => {
    expect((await list(", subscriptions: [{ plan: a }, { plan: b, until: 2999-01-01 }]")).code).toBe(0);
    expect((await list("")).out).toBe("nothing to change\n");
    const only = ", subscriptions: [{ plan: b, until: 2999-01-01 }]";
    expect((await list(only)).out).toBe("~ account ann@example.org  subscription a: without end → ended\n");
    expect((await list(only)).out).toBe("nothing to change\n");
    expect((await list(", subscriptions: []")).out).toBe(
      "~ account ann@example.org  subscription b: until 2999-01-01T00:00:00.000Z → ended\n",
    );
    expect((await list(", subscriptions: []")).out).toBe("nothing to change\n");
    expect((await list(", subscriptions: [{ plan: a }]")).out).toMatch(
      /subscription a: until 20\S+Z → without end$/m,
    );
  });
});
