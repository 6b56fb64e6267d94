import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { commandsOf } from "../src/cli/commands.ts";
import { isId } from "../src/domain/ids.ts";
import { diagnoseKeyString } from "../src/domain/key-string.ts";
import { type CliRig, cliRig } from "./cli-rig.ts";
import { ROOT } from "./harness.ts";

let rig: CliRig;
beforeEach(() => {
  rig = cliRig();
});
afterEach(() => rig.dispose());

const GROUP = "groups:\n  - { name: default, models: [gpt-5] }\n";

/** An installation with a group and an account that has ten dollars. */
async function furnish(): Promise<void> {
  await rig.file("base.yaml", `${GROUP}accounts:\n  - { email: ann@example.org, balance: 10.00 }\n`);
  expect(await rig.run(["apply", "base.yaml"])).toMatchObject({ code: 0, err: "" });
}

async function createKey(name = "laptop", ...more: string[]): Promise<{ id: string; key: string }> {
  const argv = [
    "key",
    "create",
    "--account",
    "ann@example.org",
    "--name",
    name,
    "--group",
    "default",
    "--json",
  ];
  const { code, out, err } = await rig.run([...argv, ...more]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

describe("help", () => {
  test("names every command, and each explains itself without touching anything", async () => {
    const { code, out } = await rig.run(["--help"]);
    expect(code).toBe(0);
    for (const { name, summary } of await commandsOf("--help")) {
      expect(out).toContain(name);
      expect(out).toContain(summary);
      const own = await rig.run([...name.split(" "), "--help"]);
      expect(own).toMatchObject({ code: 0, err: "" });
      expect(own.out).toContain(`Usage: wicketgate ${name}`);
      expect(own.out).toContain("Exit codes: 0");
    }
    expect((await rig.run(["key", "--help"])).out).toContain("key create");
    expect((await rig.run(["help", "key", "create"])).out).toContain("--quota USD");
    expect(existsSync(join(rig.dir, "data"))).toBe(false);
  });

  test("is not needed to run one of them: no other is loaded", async () => {
    const script = `
      const { runCli } = await import("./src/cli/run.ts");
      const io = { stdout() {}, stderr() {}, isTerminal: false, env: {} };
      await runCli(["usage", "--help"], io);
      console.log(Object.keys(require.cache).flatMap(path => path.split("/src/cli/")[1] ?? []).join(" "));`;
    const child = Bun.spawn([process.execPath, "-e", script], { cwd: ROOT, stderr: "inherit" });
    const loaded = (await new Response(child.stdout).text()).trim().split(" ");
    expect(loaded).toContain("usage.ts");
    for (const other of ["apply.ts", "key.ts", "serve.ts", "upstream.ts"])
      expect(loaded).not.toContain(other);
  });

  test("version", async () => {
    expect((await rig.run(["version"])).out).toMatch(/^wicketgate \d+\.\d+\.\d+\n$/);
    expect(JSON.parse((await rig.run(["--version", "--json"])).out)).toHaveProperty("version");
  });
});

describe("a command called wrongly says so and exits with 2", () => {
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [["aply"], /There is no command “aply”\.\nDid you mean wicketgate apply\?/],
    [["xyzzy"], /See all of them with: wicketgate --help/],
    [["key"], /“key” needs a second word: create, list, disable, enable, rotate, delete\./],
    [["key", "creat"], /Did you mean wicketgate key create\?/],
    [
      ["key", "create", "--quot", "5"],
      /There is no option --quot\.\nDid you mean --quota\?\nUsage: wicketgate key create/,
    ],
    [["key", "create", "--quota"], /--quota needs a value: USD\./],
    [["key", "create", "--quota", "--rpm"], /--quota needs a value: USD\.\nWrite --quota=VALUE/],
    [["key", "create"], /“key create” needs --account EMAIL, --name NAME, --group GROUP\./],
    [["key", "list", "--json=yes"], /--json is a switch and takes no value\./],
    [["key", "list", "extra"], /was given one argument too many, from “extra” on/],
    [["apply"], /“apply” needs FILE\./],
    [["account", "credit", "ann@example.org", "5"], /needs --reason TEXT\./],
    [["account", "credit", "ann@example.org", "-5", "--reason", "x"], /never negative/],
    [["account", "credit", "ann@example.org", "0", "--reason", "x"], /must be more than zero/],
    [["account", "credit", "ann@example.org", "1.0000000001", "--reason", "x"], /at most 9 decimals/],
    [["account", "credit", "ann@example.org", "1e3", "--reason", "x"], /must be a number of USD/],
    [["account", "credit", "ann@example.org", "5", "--reason", " "], /--reason must say why/],
    [["account", "add", "nobody"], /is not an e-mail address/],
    [["account", "add", "a@b.c", "--role", "king"], /--role must be holder or operator/],
    [["account", "add", "a@b.c", "--balance=-1"], /must not be negative/],
    [["key", "disable", "wgk_notanid"], /takes the id of a key/],
    [["usage", "--limit", "0"], /--limit must be a whole number from 1/],
    [["usage", "--before", "5"], /begins with req_/],
    [["--bogus"], /There is no option --bogus\./],
  ];
  for (const [argv, expected] of wrong) {
    test(argv.join(" "), async () => {
      const { code, out, err } = await rig.run(argv);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(expected);
      expect(existsSync(join(rig.dir, "data"))).toBe(false);
    });
  }

  test("every bad setting at once", async () => {
    const env = { PORT: "x", WICKETGATE_DEMO: "maybe", WICKETGATE_SECRET: "too-short" };
    for (const argv of [["serve"], ["account", "list"], ["doctor"], []]) {
      const { code, err } = await rig.run(argv, { env });
      expect(code).toBe(2);
      for (const name of Object.keys(env)) expect(err).toContain(`${name} must`);
      expect(err).not.toContain("too-short");
    }
  });

  test("without a database it says where it looked, and makes none", async () => {
    for (const argv of [["key", "list"], ["account", "list"], ["usage"], ["verify"]]) {
      const { code, err } = await rig.run(argv);
      expect(code).toBe(1);
      expect(err).toContain("There is no Wicketgate database in");
    }
    expect(existsSync(join(rig.dir, "data"))).toBe(false);
  });

  test("a file that is no database is a sentence", async () => {
    await rig.file(
      "data/wicketgate.db",
      "this is not a database, and it is long enough to be sure of it".repeat(20),
    );
    const { code, err } = await rig.run(["account", "list"]);
    expect(code).toBe(1);
    expect(err).toMatch(/^The data in .* cannot be opened: file is not a database\.\n$/);
  });
});

describe("account", () => {
  test("add, list, credit, debit, disable, enable", async () => {
    const made = await rig.run([
      "account",
      "add",
      "Ann@Example.org",
      "--balance",
      "0.1",
      "--role",
      "operator",
    ]);
    expect(made).toEqual({ code: 0, out: "The account ann@example.org is made, with 0.10 USD.\n", err: "" });
    expect(statSync(join(rig.dir, "data")).mode & 0o777).toBe(0o700);
    const reason = ["--reason", "paid"];
    expect((await rig.run(["account", "credit", "ann@example.org", "0.2", ...reason])).out).toContain(
      "0.30 USD now",
    );
    expect((await rig.run(["account", "debit", "ann@example.org", "0.300000001", ...reason])).code).toBe(1);
    expect((await rig.run(["account", "debit", "ann@example.org", "0.05", ...reason])).code).toBe(0);
    expect((await rig.run(["account", "disable", "ann@example.org"])).out).toContain("is disabled");
    const { out } = await rig.run(["account", "list", "--json"]);
    const [account] = JSON.parse(out);
    expect(isId("acc", account.id)).toBe(true);
    expect(account).toEqual({
      id: account.id,
      email: "ann@example.org",
      role: "operator",
      enabled: false,
      balance: "0.25",
      held: "0.00",
    });
    expect((await rig.run(["account", "enable", "ann@example.org"])).code).toBe(0);
    expect((await rig.run(["account", "list"])).out).toMatch(/ann@example.org {2}operator {2}enabled +0\.25/);
    expect((await rig.run(["verify"])).code).toBe(0);
  });

  test("what cannot be is a sentence and exit code 1", async () => {
    await furnish();
    expect(await rig.run(["account", "add", "ann@example.org"])).toEqual({
      code: 1,
      out: "",
      err: "There is an account ann@example.org already.\n",
    });
    expect((await rig.run(["account", "disable", "bob@example.org"])).err).toBe(
      "There is no account bob@example.org.\n",
    );
  });
});

describe("key", () => {
  test("create prints the string once; nothing else ever shows it", async () => {
    await furnish();
    const made = await createKey(
      "laptop",
      "--quota",
      "5",
      "--rpm",
      "60",
      "--tpm",
      "1000",
      "--concurrency",
      "4",
      "--expires",
      "30d",
    );
    expect(Object.keys(made)).toEqual(["id", "key"]);
    expect(isId("key", made.id)).toBe(true);
    expect(diagnoseKeyString(made.key).kind).toBe("generated");
    for (const argv of [["key", "list"], ["key", "list", "--json"], ["usage"], ["doctor"], ["config"]]) {
      const { out, err } = await rig.run(argv);
      expect(out + err).not.toContain(made.key);
    }
    const [listed] = JSON.parse(
      (await rig.run(["key", "list", "--json", "--account", "ann@example.org"])).out,
    );
    expect(listed).toMatchObject({
      id: made.id,
      name: "laptop",
      state: "active",
      quota: "5.00",
      spent: "0.00",
    });
    expect(listed).toMatchObject({ requests_per_minute: 60, tokens_per_minute: 1000, concurrency: 4 });
    expect(Date.parse(listed.expires_at) - Date.now()).toBeWithin(
      30 * 86_400_000 - 60_000,
      30 * 86_400_000 + 1,
    );
    expect(
      JSON.parse((await rig.run(["key", "list", "--json", "--account", "bob@example.org"])).out),
    ).toEqual([]);
  });

  test("disable, enable and delete take the id", async () => {
    await furnish();
    const { id, key } = await createKey();
    expect((await rig.run(["key", "disable", id])).out).toBe(`The key “laptop” (${id}) is disabled.\n`);
    expect(JSON.parse((await rig.run(["key", "enable", id, "--json"])).out)).toEqual({
      id,
      name: "laptop",
      state: "active",
    });
    expect((await rig.run(["key", "delete", id])).out).toContain("is deleted");
    expect((await rig.run(["key", "enable", id])).err).toContain("is deleted, which is final");
    const wrongly = await rig.run(["key", "delete", key]);
    expect(wrongly.code).toBe(2);
    expect(wrongly.out + wrongly.err).not.toContain(key);
  });

  test("what cannot be is a sentence", async () => {
    await furnish();
    await createKey();
    const create = (...more: string[]) =>
      rig.run([
        "key",
        "create",
        "--account",
        "ann@example.org",
        "--name",
        "b",
        "--group",
        "default",
        ...more,
      ]);
    const cases: readonly (readonly [string[], number, string])[] = [
      [["--name", "laptop"], 1, "ann@example.org has a key “laptop” already."],
      [["--group", "nope"], 1, "There is no group “nope”."],
      [["--account", "bob@example.org"], 1, "There is no account bob@example.org."],
      [["--name", ""], 1, "A key needs a name."],
      [["--key", "short"], 1, "This custom key cannot be used: it has 5 characters"],
      [["--expires", "2020-01-01"], 2, "--expires lies in the past"],
      [["--expires", "soon"], 2, "--expires must be a date or a time."],
      [["--expires", "2027-02-30"], 2, "--expires must be a date or a time."],
      [["--rpm", "0"], 2, "--rpm must be a whole number from 1"],
      [["--quota", "five"], 2, "--quota must be a number of USD."],
    ];
    for (const [argv, code, sentence] of cases) {
      const ran = await create(...argv);
      expect(ran).toMatchObject({ code, out: "" });
      expect(ran.err).toStartWith(sentence);
    }
  });

  test("a custom key is unique", async () => {
    await furnish();
    const custom = "Zk4-t8Qw_9rXv2Lm7Bn5Hd3Jc6";
    expect((await createKey("a", "--key", custom)).key).toBe(custom);
    const argv = [
      "key",
      "create",
      "--account",
      "ann@example.org",
      "--name",
      "b",
      "--group",
      "default",
      "--key",
      custom,
    ];
    const { code, err } = await rig.run(argv);
    expect(code).toBe(1);
    expect(err).not.toContain(custom);
  });
});

describe("the rest", () => {
  test("verify finds what was altered behind its back", async () => {
    await furnish();
    expect((await rig.run(["verify"])).out).toMatch(/^clean: \d+ invariants hold\n$/);
    expect(JSON.parse((await rig.run(["verify", "--json"])).out)).toMatchObject({
      clean: true,
      findings: [],
    });
    const db = new Database(join(rig.dir, "data", "wicketgate.db"));
    db.run("update accounts set balance = balance + 1");
    db.close();
    const { code, out } = await rig.run(["verify"]);
    expect(code).toBe(1);
    expect(out).toContain("an account's balance is the sum of its ledger lines");
  });

  test("migrate says the schema", async () => {
    expect((await rig.run(["migrate"])).out).toMatch(/has schema \d+/);
    expect(JSON.parse((await rig.run(["migrate", "--json"])).out).schema).toBeGreaterThan(0);
  });

  test("config shows settings and masks secrets", async () => {
    const secret = "s3cret-".repeat(6);
    const env = { WICKETGATE_SECRET: secret, PORT: "9000" };
    const { code, out } = await rig.run(["config"], { env });
    expect(code).toBe(0);
    expect(out).toMatch(/WICKETGATE_SECRET +\(set\)/);
    expect(out).toMatch(/PORT +9000 +8787 +environment/);
    expect(out).not.toContain(secret);
    const settings = JSON.parse((await rig.run(["config", "--json"], { env })).out);
    expect(settings).toContainEqual(
      expect.objectContaining({ name: "HOST", value: "127.0.0.1", source: "default" }),
    );
    expect(JSON.stringify(settings)).not.toContain(secret);
  });

  test("usage of nothing", async () => {
    await furnish();
    expect((await rig.run(["usage"])).out).toBe("There is no usage to show.\n");
    expect((await rig.run(["usage", "--json", "--account", "ann@example.org"])).out).toBe("[]\n");
  });

  test("colour only on a terminal that wants it", async () => {
    await furnish();
    const colour = "\u001b[";
    expect((await rig.run(["verify"])).out).not.toContain(colour);
    expect((await rig.run(["verify"], { terminal: true })).out).toContain(colour);
    expect((await rig.run(["verify"], { terminal: true, env: { NO_COLOR: "1" } })).out).not.toContain(colour);
    expect((await rig.run(["aply"], { terminal: true })).err).toContain(colour);
  });
});
