import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isId } from "../src/domain/ids.ts";
import { diagnoseRedemptionCode } from "../src/domain/redemption-code.ts";
import { type CliRig, cliRig } from "./cli-rig.ts";

const ANN = "ann@example.org";
let rig: CliRig;
beforeEach(() => {
  rig = cliRig();
});
afterEach(() => rig.dispose());

const furnish = async () => {
  expect(await rig.run(["account", "add", ANN, "--balance", "10"])).toMatchObject({ code: 0, err: "" });
};

const json = async (...argv: string[]) => {
  const { code, out, err } = await rig.run([...argv, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
};

const createCodes = (...argv: string[]): Promise<{ id: string; code: string }[]> =>
  json("code", "create", ...argv);

async function expectFailure(argv: string[], code: number, sentence: string): Promise<string> {
  const ran = await rig.run(argv);
  expect(ran).toMatchObject({ code, out: "" });
  expect(ran.err).toContain(sentence);
  return ran.err;
}

describe("a command called wrongly says so and exits with 2", () => {
  const code = "wgc_0000-0000-0000-0000-0000-0000-0000-0001";
  const request = `req_${"0".repeat(26)}`;
  const wrong: readonly (readonly [string[], string])[] = [
    [["code"], "“code” needs a second word: create, list, redeem, revoke."],
    [["code", "create", "0"], "must be more than zero"],
    [["code", "create", "--", "-5"], "must not be negative"],
    [["code", "create", "1.0000000001"], "must be a number of USD"],
    [["code", "create", "1e3"], "must be a number of USD"],
    [["code", "create", "1000000000"], "must be less than 1,000,000,000 USD"],
    [["code", "create", "5", "--count", "0"], "--count must be a whole number from 1 to 1000"],
    [["code", "create", "5", "--count", "1001"], "--count must be a whole number from 1 to 1000"],
    [["code", "create", "5", "--count", "1.5"], "--count must be a whole number"],
    [["code", "create", "5", "--expires", "2020-01-01"], "--expires lies in the past"],
    [["code", "create", "5", "--note", "x".repeat(201)], "--note must have at most 200 characters"],
    [["code", "redeem", ANN, code], "its checksum does not fit"],
    [["code", "redeem", ANN, "wgk_abc"], "it is an API key"],
    [["code", "redeem", ANN, ""], "The code is empty"],
    [["code", "redeem", "ann", code], "is not an e-mail address"],
    [["code", "revoke", code], "This takes the id of a code"],
    [["code", "list", "--limit", "0"], "--limit must be a whole number"],
    [["code", "list", "--before", "5"], "begins with code_"],
    [
      ["account", "credit", ANN, "9999999999999999999", "--reason", "x"],
      "must be less than 1,000,000,000 USD",
    ],
    [["account", "refund", "key_x", "1", "--reason", "x"], "This takes the id of a request"],
    [["account", "refund", request, "0", "--reason", "x"], "must be more than zero"],
    [
      ["account", "refund", request, "half", "--reason", "x"],
      "The amount, if it is not “all”, must be a number",
    ],
    [["account", "refund", request, "1"], "needs --reason TEXT"],
    [["account", "ledger", ANN, "--limit", "1001"], "--limit must be a whole number from 1 to 1000"],
    [["account", "ledger", ANN, "--before", "x"], "begins with led_"],
  ];
  for (const [argv, sentence] of wrong) {
    test(argv.join(" ").slice(0, 80), async () => {
      const err = await expectFailure(argv, 2, sentence);
      expect(err).not.toContain(code);
      expect(existsSync(join(rig.dir, "data"))).toBe(false);
    });
  }

  test("without a database it says where it looked, and makes none", async () => {
    for (const argv of [
      ["code", "create", "5"],
      ["code", "list"],
      ["account", "ledger", ANN],
    ]) {
      await expectFailure(argv, 1, "There is no Wicketgate database in");
    }
    expect(existsSync(join(rig.dir, "data"))).toBe(false);
  });
});

describe("code", () => {
  test("create, redeem and list; the string is shown once and stored nowhere", async () => {
    await furnish();
    const [made, other] = await createCodes("2.50", "--count", "2", "--expires", "30d", "--note", "for you");
    if (made === undefined || other === undefined) throw new Error("no codes");
    expect(Object.keys(made)).toEqual(["id", "code"]);
    expect(isId("code", made.id)).toBe(true);
    expect(diagnoseRedemptionCode(made.code)).toEqual({ kind: "good", code: made.code });
    const typed = made.code.toLowerCase().replaceAll("-", " ");
    expect(await rig.run(["code", "redeem", ANN, typed])).toEqual({
      code: 0,
      out: `${ANN} has redeemed 2.50 USD and has 12.50 USD now.\n`,
      err: "",
    });
    const again = await expectFailure(["code", "redeem", ANN, made.code], 1, "has been redeemed already");
    expect(again).not.toContain(made.code);
    const listed = await json("code", "list");
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatchObject({ id: other.id, state: "unused", amount: "2.50", note: "for you" });
    expect(listed[1]).toMatchObject({ id: made.id, state: "redeemed", redeemed_by: ANN });
    expect(listed[1].preview).toBe(`${made.code.slice(0, 8)}…${made.code.slice(-4)}`);
    for (const argv of [
      ["code", "list"],
      ["account", "ledger", ANN],
      ["account", "ledger", ANN, "--json"],
    ]) {
      const { out } = await rig.run(argv);
      expect(out).not.toContain(made.code.slice(8, -4));
      expect(out).toContain(made.code.slice(0, 8));
    }
    const stored = readFileSync(join(rig.dir, "data", "wicketgate.db"), "latin1");
    for (const form of [made.code, made.code.replaceAll("-", ""), made.code.slice(9, -5)]) {
      expect(stored).not.toContain(form);
    }
    expect((await rig.run(["verify"])).code).toBe(0);
  });

  test("for people", async () => {
    await furnish();
    expect((await rig.run(["code", "list"])).out).toBe("There are no codes to show.\n");
    const one = await rig.run(["code", "create", "5"]);
    expect(one.out).toMatch(
      /^A code of 5\.00 USD is made\. This is the only time that it is shown:\n\n {2}wgc_[\w-]{39}\n$/,
    );
    const three = await rig.run(["code", "create", "5", "--count", "3"]);
    expect(three.out).toStartWith(
      "3 codes of 5.00 USD each are made. This is the only time that they are shown:",
    );
    expect(three.out.match(/wgc_/g)).toHaveLength(3);
    expect((await rig.run(["code", "list", "--limit", "2"])).out).toMatch(
      /Older codes: --before code_\w{26}\n$/,
    );
  });

  test("revoke takes the id, and only what is unused", async () => {
    await furnish();
    const [one, two] = await createCodes("5", "--count", "2");
    if (one === undefined || two === undefined) throw new Error("no codes");
    expect((await rig.run(["code", "revoke", one.id])).out).toContain("can be used no longer");
    await expectFailure(["code", "redeem", ANN, one.code], 1, "This code expired at");
    await rig.run(["code", "redeem", ANN, two.code]);
    await expectFailure(["code", "revoke", two.id], 1, `was redeemed by ${ANN}`);
    await expectFailure(["code", "revoke", `code_${"0".repeat(26)}`], 1, "There is no code");
  });

  test("redeemed by several processes at once credits once", async () => {
    await furnish();
    const [made] = await createCodes("5");
    const main = join(import.meta.dir, "..", "src", "main.ts");
    const env = { ...process.env, WICKETGATE_DATA_DIR: join(rig.dir, "data") };
    const started = Array.from({ length: 5 }, () =>
      Bun.spawn([process.execPath, main, "code", "redeem", ANN, made?.code ?? ""], { env, stderr: "pipe" }),
    );
    const codes = await Promise.all(started.map(one => one.exited));
    const errors = await Promise.all(started.map(one => new Response(one.stderr).text()));
    expect(codes.toSorted()).toEqual([0, 1, 1, 1, 1]);
    expect(errors.filter(text => text.includes("has been redeemed already"))).toHaveLength(4);
    const lines: { kind: string }[] = await json("account", "ledger", ANN);
    expect(lines.filter(({ kind }) => kind === "redemption")).toHaveLength(1);
    expect((await rig.run(["verify"])).code).toBe(0);
  }, 30_000);
});

describe("account", () => {
  const why = ["--reason", "invoice 17"];

  test("a credit sent twice with one idempotency key is one line", async () => {
    await furnish();
    const credit = ["account", "credit", ANN, "5", ...why, "--idempotency-key", "pay 1"];
    expect((await rig.run(credit)).out).toBe(`${ANN} is credited 5.00 USD and has 15.00 USD now.\n`);
    const again = await rig.run(credit);
    expect(again).toMatchObject({ code: 0, err: "" });
    expect(again.out).toContain("This was done before with the same idempotency key");
    expect(await json(...credit)).toMatchObject({ balance: "15.00", repeated: true });
    const other = ["account", "credit", ANN, "6", ...why, "--idempotency-key", "pay 1"];
    await expectFailure(other, 1, "was used before, for another change");
    await expectFailure(
      ["account", "debit", ANN, "5", ...why, "--idempotency-key", "pay 1"],
      1,
      "another change",
    );
    await expectFailure([...credit.slice(0, -1), ""], 1, "1 to 200 printable ASCII characters");
    expect(await json("account", "ledger", ANN)).toHaveLength(2);
  });

  test("no credit makes a balance that cannot be", async () => {
    await furnish();
    await expectFailure(["account", "credit", ANN, "999999999", ...why], 1, "more than 1,000,000,000 USD");
    expect(await json("account", "ledger", ANN)).toHaveLength(1);
  });

  test("ledger shows the lines, newest first", async () => {
    await furnish();
    await rig.run(["account", "credit", ANN, "5", ...why]);
    await rig.run(["account", "debit", ANN, "1.5", "--reason", "too\u001b[31m much"]);
    const lines = await json("account", "ledger", ANN);
    expect(lines).toHaveLength(3);
    expect(Object.keys(lines[0])).toEqual(["id", "at", "kind", "amount", "pocket", "who", "why", "request"]);
    expect(lines[1]).toMatchObject({
      kind: "credit",
      amount: "5.00",
      who: "command line",
      why: "invoice 17",
    });
    expect(lines[2]).toMatchObject({
      kind: "credit",
      amount: "10.00",
      why: "opening balance",
      request: null,
    });
    const { out } = await rig.run(["account", "ledger", ANN, "--limit", "2"]);
    expect(out).toMatch(
      /^TIME +KIND +AMOUNT USD +POCKET +WHO +WHY +REQUEST\n\S+Z {2}debit +-1\.50 {2}balance/,
    );
    expect(out).not.toContain("\u001b");
    const last = /Older lines: --before (led_\w+)\n$/.exec(out)?.[1] ?? "";
    expect(await json("account", "ledger", ANN, "--before", last)).toEqual([lines[2]]);
    await expectFailure(["account", "ledger", "bob@example.org"], 1, "There is no account bob@example.org.");
  });

  test("refund gives back what a request cost, and not more", async () => {
    await rig.file(
      "base.yaml",
      `models:\n  - { name: m, price: { request: 2 } }\ngroups:\n  - { name: default, models: [m] }\naccounts:\n  - { email: ${ANN}, balance: 10 }\nkeys:\n  - { account: ${ANN}, name: laptop, group: default }\n`,
    );
    expect(await rig.run(["apply", "base.yaml"])).toMatchObject({ code: 0, err: "" });
    const request = charge(join(rig.dir, "data", "wicketgate.db"));
    const refund = (...more: string[]) => ["account", "refund", request, ...more, "--reason", "it was cut"];
    const part = await json(...refund("0.5", "--idempotency-key", "r1"));
    expect(part).toMatchObject({ balance: "8.50", request, refunded: "0.50", left: "1.50", repeated: false });
    expect(await json(...refund("0.5", "--idempotency-key", "r1"))).toMatchObject({ repeated: true });
    await expectFailure(refund("1.6"), 1, "cost 2.00 USD, of which 0.50 USD has been given back");
    expect((await rig.run(refund("all"))).out).toBe(
      `${ANN} is given back 1.50 USD for ${request} and has 10.00 USD now.\n`,
    );
    await expectFailure(refund("all"), 1, "has been given back in full");
    await expectFailure(
      ["account", "refund", `req_${"0".repeat(26)}`, "all", ...why],
      1,
      "There is no request",
    );
    const [line] = await json("account", "ledger", ANN, "--limit", "1");
    expect(line).toMatchObject({
      kind: "refund",
      amount: "1.50",
      who: "command line",
      why: "it was cut",
      request,
    });
    expect((await rig.run(["verify"])).out).toContain("clean");
  });
});

/** A request of two dollars, as settlement leaves it behind. */
function charge(file: string): string {
  const digits = "01".repeat(13);
  const [request, line, cost] = [`req_${digits}`, `led_${digits}`, 2_000_000_000];
  const db = new Database(file);
  db.run(
    `insert into usage (id, account_id, key_id, group_id, boot_id, state, dialect, stream, model, tool, address,
      started_at_ms, hold, input_tokens_guessed, input, cache_read, cache_write_5m, cache_write_1h, output, reasoning,
      cost, pocket, price_id, multiplier)
      select ?, account_id, keys.id, group_id, 'boot_x', 'settled', 'chat', 0, 'm', '', '', 1, ?, 0, 0, 0, 0, 0, 0, 0,
        ?, 'balance', prices.id, 10000 from keys, prices`,
    [request, cost, cost],
  );
  db.run(
    `insert into ledger (id, account_id, kind, amount, usage_id, actor, why, created_at_ms)
      select ?, id, 'charge', ?, ?, 'gateway', 'request', 1 from accounts`,
    [line, -cost, request],
  );
  db.run("update accounts set balance = balance - ?", [cost]);
  db.run("update keys set spent = ?", [cost]);
  db.close();
  return request;
}
