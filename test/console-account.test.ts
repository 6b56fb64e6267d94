import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type Browser,
  type ConsoleRig,
  changeDatabase,
  letProofAge,
  PASSWORD,
  startConsole,
} from "./console-rig.ts";
import { applyYaml, freshDir, mustRun, settledRow, verifyClean } from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import { makeKey } from "./harness-rig.ts";
import { chatCompletion, type MockUpstream, mockUpstream, usageOf } from "./harness-upstream.ts";

/** The account's own page on the real server: pockets, ledger, codes, profile, password. */

let rig: ConsoleRig;
let upstream: MockUpstream;
let people = 0;

beforeAll(async () => {
  const dir = freshDir();
  upstream = await mockUpstream();
  await applyYaml(dir, yaml(upstream.baseUrl));
  rig = await startConsole({ WICKETGATE_DEMO: "off" }, dir);
});
afterAll(async () => {
  await verifyClean(rig.dir);
  await rig.dispose();
  await upstream.close();
});

const yaml = (baseUrl: string) => `
upstreams:
  - { name: mock, kind: openai-compatible, base_url: "${baseUrl}", models: [call] }
models:
  - { name: call, price: { request: 0.01 } }
groups:
  - { name: default, models: [call] }
  - { name: subscribed, models: [call], billing: subscription }
plans:
  - { name: daily, groups: [subscribed], quota: 0.05, window: day }
  - { name: once, groups: [subscribed], quota: 0.02, window: total }
`;

type Holder = { browser: Browser; email: string };

async function holder(balance_usd = "10"): Promise<Holder> {
  people += 1;
  const email = `holder${people}@example.org`;
  return { email, browser: await rig.invited(email, { balance_usd }) };
}

async function subscribe(email: string, ...plans: string[]): Promise<void> {
  await applyYaml(rig.dir, `accounts: [{ email: ${email}, subscriptions: [${plans.join(", ")}] }]`);
}

/** One call of a cent. */
async function call(email: string, group: string): Promise<string> {
  people += 1;
  const made = await makeKey(rig.dir, ["--account", email, "--group", group, "--name", `key ${people}`]);
  upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2))));
  const { requestId } = await chat(`${rig.root}/v1`, { key: made.key, body: chatBody("call") });
  await settledRow(rig.dir, requestId);
  return requestId;
}

async function code(worth: string, ...options: string[]): Promise<string> {
  const made = JSON.parse(await mustRun(rig.dir, ["code", "create", worth, "--json", ...options]));
  return (made as { code: string }[])[0]?.code ?? "";
}

describe("the account", () => {
  test("shows what it has, what pays, and what is left of each period", async () => {
    const { browser, email } = await holder("1");
    await subscribe(email, "{ plan: daily }", '{ plan: once, until: "2027-12-31" }');
    await call(email, "default");
    await call(email, "subscribed");
    const seen = await browser.call("GET /account");
    expect(seen).toMatchObject({
      email,
      role: "holder",
      balance_usd: "0.99",
      held_usd: "0.00",
      low_balance_usd: null,
      balance_is_low: false,
      has_password: true,
      passkeys: [],
      language: null,
      theme: "system",
    });
    const [daily, once] = ["daily", "once"].map(plan => seen.subscriptions.find(one => one.plan === plan));
    const tomorrow = new Date(Math.floor(Date.now() / 86_400_000 + 1) * 86_400_000).toISOString();
    // What ends first pays first.
    expect(once).toMatchObject({
      groups: ["subscribed"],
      window: "total",
      quota_usd: "0.02",
      left_usd: "0.01",
      resets_at: null,
      is_over: false,
    });
    expect(Date.parse(once?.until ?? "")).toBeGreaterThan(Date.now());
    expect(daily).toMatchObject({ left_usd: "0.05", resets_at: tomorrow, until: null });
  });

  test("whose subscription has ended has nothing left in it, though it keeps what was spent", async () => {
    const { browser, email } = await holder();
    await subscribe(email, "{ plan: daily }");
    await subscribe(email);
    const [ended] = (await browser.call("GET /account")).subscriptions;
    expect(ended).toMatchObject({ plan: "daily", left_usd: "0.00", resets_at: null, is_over: true });
  });

  test("shows the limits that the operator set", async () => {
    const { browser, email } = await holder();
    const limits = "{ requests_per_minute: 9, concurrency: 2, spend_per_day: 1.5 }";
    await applyYaml(rig.dir, `accounts: [{ email: ${email}, limits: ${limits} }]`);
    expect((await browser.call("GET /account")).limits).toEqual({
      requests_per_minute: 9,
      tokens_per_minute: null,
      concurrency: 2,
      spend_per_day_usd: "1.50",
      spend_per_week_usd: null,
      spend_per_month_usd: null,
    });
  });
});

describe("a change", () => {
  test("is kept, and what is not named stays as it is", async () => {
    const { browser } = await holder("5");
    const name = "Ann 安 <b>&amp;\u{1f469}\u200d\u{1f4bb}";
    const changed = await browser.call("PATCH /account", { body: { name, language: "zh", theme: "dark" } });
    expect(changed).toMatchObject({ name, language: "zh", theme: "dark", low_balance_usd: null });
    const warned = await browser.call("PATCH /account", { body: { low_balance_usd: "5.000000001" } });
    expect(warned).toMatchObject({
      name,
      language: "zh",
      low_balance_usd: "5.000000001",
      balance_is_low: true,
    });
    expect((await browser.call("GET /session")).account).toMatchObject({ name, balance_is_low: true });
    const edge = await browser.call("PATCH /account", { body: { low_balance_usd: "5", name: "" } });
    expect(edge).toMatchObject({ name: "", balance_is_low: false });
    const off = await browser.call("PATCH /account", { body: { low_balance_usd: null, language: null } });
    expect(off).toMatchObject({ low_balance_usd: null, language: null, theme: "dark" });
  });

  test("that cannot be is refused, field by field, and changes nothing", async () => {
    const { browser } = await holder();
    const send = (body: object) => browser.refused("PATCH /account", { body });
    const BAD: readonly (readonly [field: string, body: object])[] = [
      ["name", { name: "turned \u202e around" }],
      ["name", { name: "two\nlines" }],
      ["name", { name: "n".repeat(101) }],
      ["name", { name: "n".repeat(10_000), theme: "dark" }],
      ["theme", { theme: "pink" }],
      ["language", { language: "fr" }],
      ["low_balance_usd", { low_balance_usd: "-1" }],
      ["low_balance_usd", { low_balance_usd: "1e3" }],
      ["low_balance_usd", { low_balance_usd: 5 }],
      ["balance_usd", { balance_usd: "1000000" }],
      ["role", { role: "operator" }],
    ];
    for (const [field, body] of BAD) {
      const { status, error } = await send(body);
      expect([body, status, error.fields?.[0]?.path]).toEqual([body, 400, field]);
    }
    expect(await browser.call("GET /account")).toMatchObject({ name: "", theme: "system", role: "holder" });
  });
});

describe("a new password", () => {
  test("signs every other place out, and is the one that works", async () => {
    const { browser, email } = await holder();
    const elsewhere = rig.browser();
    await elsewhere.signIn(email);
    const fresh = "another quiet wicket, wider";
    await browser.call("POST /account/password", { body: { password: fresh } });
    expect((await browser.call("GET /session")).account.email).toBe(email);
    expect((await elsewhere.refused("GET /session")).status).toBe(401);
    const old = await rig.browser().refused("POST /sign-in", { body: { email, password: PASSWORD } });
    expect(old.error.code).toBe("wrong_sign_in");
    await rig.browser().signIn(email, fresh);
  });

  test("needs a recent sign-in, which the password proves again; guesses at it are counted", async () => {
    const { browser, email } = await holder();
    letProofAge(rig.dir, email);
    const body = { password: "another quiet wicket, wider" };
    expect((await browser.refused("POST /account/password", { body })).error.code).toBe(
      "recent_sign_in_needed",
    );
    for (let tries = 0; tries < 10; tries += 1) {
      const wrong = await browser.refused("POST /session/confirm", { body: { password: `guess ${tries}` } });
      expect(wrong.error.code).toBe("wrong_sign_in");
    }
    const late = await browser.refused("POST /session/confirm", { body: { password: PASSWORD } });
    expect(late).toMatchObject({ status: 429, error: { code: "throttled" } });
    changeDatabase(rig.dir, "delete from throttles");
    await browser.call("POST /session/confirm", { body: { password: PASSWORD } });
    await browser.call("POST /account/password", { body });
  });

  test("that is weak is refused with the reason", async () => {
    const { browser, email } = await holder();
    for (const password of ["short", "password123", email, "aaaaaaaaaaaaaa"]) {
      const { status, error } = await browser.refused("POST /account/password", { body: { password } });
      expect([password, status, error.fields?.[0]?.path]).toEqual([password, 400, "password"]);
    }
    await rig.browser().signIn(email);
  });
});

describe("the ledger", () => {
  test("has every change, newest first, by pages, each with the pocket that paid", async () => {
    const { browser, email } = await holder("1");
    await subscribe(email, "{ plan: daily }");
    const paid = await call(email, "default");
    const covered = await call(email, "subscribed");
    await mustRun(rig.dir, ["account", "credit", email, "2", "--reason", "thanks"]);
    const { lines, next } = await browser.call("GET /account/ledger");
    expect(next).toBe(null);
    expect(lines.map(({ kind, amount_usd, pocket }) => [kind, amount_usd, pocket])).toEqual([
      ["credit", "2.00", "balance"],
      ["charge", "-0.01", "daily"],
      ["charge", "-0.01", "balance"],
      ["credit", "1.00", "balance"],
    ]);
    expect(lines.map(({ request_id }) => request_id)).toEqual([null, covered, paid, null]);
    expect(lines[0]).toMatchObject({ why: "thanks", by: "command line" });
    const first = await browser.call("GET /account/ledger", { query: { limit: 3 } });
    expect(first.lines).toEqual(lines.slice(0, 3));
    const rest = await browser.call("GET /account/ledger", { query: { limit: 3, before: first.next ?? "" } });
    expect(rest).toEqual({ lines: lines.slice(3), next: null });
  });

  test("is one's own alone", async () => {
    const [ann, bob] = [await holder("3"), await holder("4")];
    const amounts = async ({ browser }: Holder) => {
      const { lines } = await browser.call("GET /account/ledger");
      return lines.map(({ amount_usd }) => amount_usd);
    };
    expect(await amounts(ann)).toEqual(["3.00"]);
    expect(await amounts(bob)).toEqual(["4.00"]);
  });
});

describe("a code", () => {
  test("credits once, whoever races", async () => {
    const [ann, bob] = [await holder("1"), await holder("1")];
    const body = { code: (await code("5")).toLowerCase().replaceAll("-", " ") };
    const answers = await Promise.all(
      [ann, bob, ann, bob].map(({ browser }) => browser.send("POST /account/redeem", { body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const good = answers.find(({ status }) => status === 200);
    expect(await good?.json()).toEqual({ amount_usd: "5.00", balance_usd: "6.00" });
    const [line] = [
      ...(await ann.browser.call("GET /account/ledger")).lines,
      ...(await bob.browser.call("GET /account/ledger")).lines,
    ].filter(({ kind }) => kind === "redemption");
    expect([ann.email, bob.email]).toContain(line?.by ?? "");
  });

  test("that is mistyped, unknown or used is refused in a sentence that does not repeat it", async () => {
    const { browser } = await holder();
    const good = await code("5");
    const mistyped = good.slice(0, -1) + (good.endsWith("0") ? "1" : "0");
    const bad = await browser.refused("POST /account/redeem", { body: { code: mistyped } });
    expect(bad).toMatchObject({ status: 400, error: { code: "invalid", fields: [{ path: "code" }] } });
    expect(bad.error.message).toContain("checksum");
    await browser.call("POST /account/redeem", { body: { code: good } });
    const used = await browser.refused("POST /account/redeem", { body: { code: good } });
    expect(used).toMatchObject({ status: 409, error: { code: "conflict" } });
    expect(used.error.message).toContain("redeemed already");
    for (const text of [bad.error.message, used.error.message, rig.gateway.log()]) {
      expect(text).not.toContain(good.slice(4, 12));
    }
  });

  test("is not guessed: after ten wrong ones a minute has to pass for each", async () => {
    const { browser } = await holder();
    const body = { code: "wgc_0000-0000-0000-0000-0000-0000-0000-0000" };
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await browser.refused("POST /account/redeem", { body })).status).toBe(400);
    }
    expect(await browser.refused("POST /account/redeem", { body })).toMatchObject({
      status: 429,
      error: { code: "throttled" },
    });
  });
});
