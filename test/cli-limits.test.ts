import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CliRig, cliRig } from "./cli-rig.ts";

let rig: CliRig;
beforeEach(() => {
  rig = cliRig();
});
afterEach(() => rig.dispose());

async function furnish(): Promise<void> {
  const text = "groups: [{ name: default, models: [m] }]\naccounts: [{ email: ann@example.org }]\n";
  await rig.file("base.yaml", text);
  expect(await rig.run(["apply", "base.yaml"])).toMatchObject({ code: 0, err: "" });
}

const CREATE = ["key", "create", "--account", "ann@example.org", "--group", "default", "--name"];
const NONE = {
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrency: null,
  spend_per_day: null,
  spend_per_week: null,
  spend_per_month: null,
};

describe("key create", () => {
  test("takes limits of spending, and key list shows those that are set", async () => {
    await furnish();
    const spend = ["--spend-per-day", "1", "--spend-per-week", "2.5", "--spend-per-month", "0.000000001"];
    expect((await rig.run([...CREATE, "laptop", "--rpm", "60", "--tpm", "9", ...spend])).code).toBe(0);
    expect((await rig.run([...CREATE, "phone"])).code).toBe(0);
    const [laptop, phone] = JSON.parse((await rig.run(["key", "list", "--json"])).out);
    expect(laptop).toMatchObject({
      requests_per_minute: 60,
      tokens_per_minute: 9,
      concurrency: null,
      spend_per_day: "1.00",
      spend_per_week: "2.50",
      spend_per_month: "0.000000001",
    });
    expect(phone).toMatchObject(NONE);
    const lines = (await rig.run(["key", "list"])).out.split("\n");
    expect(lines[0]).toEndWith("  LIMITS");
    expect(lines[1]).toEndWith(
      "  60 requests/min, 9 tokens/min, 1.00 USD/day, 2.50 USD/week, 0.000000001 USD/month",
    );
    expect(lines[2]).not.toContain("/");
  });
});

describe("account limit", () => {
  const limit = (...more: string[]) => rig.run(["account", "limit", "Ann@example.org", ...more]);

  test("sets all limits to what is given, and says what they are", async () => {
    await furnish();
    const every = [
      "--rpm=600",
      "--tpm=1000000",
      "--concurrency=8",
      "--spend-per-day=5",
      "--spend-per-week=20",
    ];
    expect(await limit(...every, "--spend-per-month", "50")).toEqual({
      code: 0,
      out:
        "The limits of ann@example.org for all its keys together: 600 requests/min, 1000000 tokens/min, 8 at once, " +
        "5.00 USD/day, 20.00 USD/week, 50.00 USD/month.\n",
      err: "",
    });
    const { id, ...rest } = JSON.parse((await limit("--concurrency", "2", "--json")).out);
    expect(id).toStartWith("acc_");
    expect(rest).toEqual({ email: "ann@example.org", ...NONE, concurrency: 2 });
    // What was set before and not given again is off, as apply sees it.
    await rig.file("same.yaml", "accounts: [{ email: ann@example.org, limits: { concurrency: 2 } }]\n");
    expect((await rig.run(["apply", "same.yaml"])).out).toBe("nothing to change\n");
  });

  test("without any clears them, and says so", async () => {
    await furnish();
    await limit("--rpm", "5");
    expect((await limit()).out).toBe("The account ann@example.org has no limits now.\n");
    await rig.file("none.yaml", "accounts: [{ email: ann@example.org, limits: {} }]\n");
    expect((await rig.run(["apply", "none.yaml"])).out).toBe("nothing to change\n");
  });

  test("of nobody is a sentence", async () => {
    await furnish();
    expect(await rig.run(["account", "limit", "bob@example.org", "--rpm", "5"])).toEqual({
      code: 1,
      out: "",
      err: "There is no account bob@example.org.\n",
    });
  });
});

describe("what is no limit is refused before anything is touched", () => {
  const wrong: readonly (readonly [string[], string])[] = [
    [["--rpm", "0"], "--rpm must be a whole number from 1 to 1000000000."],
    [["--tpm", "1.5"], "--tpm must be a whole number"],
    [["--concurrency=-1"], "--concurrency must be a whole number"],
    [["--concurrency", "1000000001"], "--concurrency must be a whole number"],
    [["--spend-per-day", "0"], "--spend-per-day must be more than zero."],
    [["--spend-per-day=-1"], "--spend-per-day must not be negative."],
    [["--spend-per-week", "1000000000"], "--spend-per-week must be a number of USD."],
    [["--spend-per-month", "lots"], "--spend-per-month must be a number of USD."],
    [["--spend-per-year", "1"], "There is no option --spend-per-year."],
  ];
  for (const [argv, sentence] of wrong) {
    test(argv.join(" "), async () => {
      for (const command of [
        ["account", "limit", "ann@example.org"],
        [...CREATE, "k"],
      ]) {
        const { code, out, err } = await rig.run([...command, ...argv]);
        expect({ code, out }).toEqual({ code: 2, out: "" });
        expect(err).toStartWith(sentence);
      }
      expect(existsSync(join(rig.dir, "data"))).toBe(false);
    });
  }
});
