import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Browser, type ConsoleRig, startConsole } from "./console-rig.ts";
import { applyYaml, eventually, wicketgate } from "./harness.ts";
import { chat } from "./harness-client.ts";

/** Groups and plans as an operator changes them, what holders see of it, and what it would have cost. */

let rig: ConsoleRig;
let operator: Browser;
let ann: Browser;
let bob: Browser;

const PRICE = {
  ...{
    input: "3",
    output: "15",
    cache_read: "0.3",
    cache_write_5m: "3.75",
    cache_write_1h: "6",
    request: "0",
  },
  tiers: [],
};

beforeAll(async () => {
  rig = await startConsole({ WICKETGATE_DEMO: "on" });
  operator = rig.operator;
  ann = await rig.invited("ann@example.org");
  bob = await rig.invited("bob@example.org");
  await operator.call("POST /operator/models", { body: { name: "big", price: PRICE } });
});
afterAll(async () => {
  const verified = await wicketgate(rig.dir, ["verify"]);
  await rig.dispose();
  expect(verified).toMatchObject({ code: 0 });
});

const entries = async (noun: string) =>
  (await operator.call("GET /operator/audit", { query: { noun } })).entries;
const group = async (name: string) => {
  const found = (await operator.call("GET /operator/groups")).groups.find(one => one.name === name);
  if (found === undefined) throw new Error(`there is no group ${name}`);
  return found;
};

describe("a group", () => {
  test("is made, changed in part, renamed with its plans, and removed once nothing needs it", async () => {
    const made = await operator.call("POST /operator/groups", {
      body: {
        name: "fast",
        description: "For people in a hurry",
        multiplier: "0.6",
        models: ["demo", "bi*"],
      },
    });
    expect(made).toMatchObject({
      multiplier: "0.6",
      enabled: true,
      billing: "balance",
      accounts: null,
      keys: 0,
    });
    expect(made.matches).toEqual(["big", "demo"]);
    const params = { id: made.id };
    const plan = { name: "gold", groups: ["fast"], quota_usd: "5", window: "month" as const };
    const { id: planId } = await operator.call("POST /operator/plans", { body: plan });
    const named = await operator.call("PATCH /operator/groups/{id}", {
      params,
      body: { name: "quick", multiplier: "0.7" },
    });
    expect(named).toMatchObject({ name: "quick", multiplier: "0.7", description: "For people in a hurry" });
    expect(
      (await operator.call("GET /operator/plans")).plans.find(({ id }) => id === planId)?.groups,
    ).toEqual(["quick"]);
    const { key } = await ann.call("POST /keys", { body: { name: "in quick", group: made.id } });
    const second = await ann.call("POST /keys", { body: { name: "in quick too", group: made.id } });
    expect(await group("quick")).toMatchObject({ keys: 2, holders: 1 });
    await ann.call("DELETE /keys/{id}", { params: { id: second.key.id } });
    expect(await group("quick")).toMatchObject({ keys: 1, holders: 1 });
    const used = await operator.refused("DELETE /operator/groups/{id}", { params });
    expect(used.error.message).toContain("One key is in the group “quick”");
    await ann.call("DELETE /keys/{id}", { params: { id: key.id } });
    const sold = await operator.refused("DELETE /operator/groups/{id}", { params });
    expect(sold.error.message).toContain("“gold”");
    await operator.call("DELETE /operator/plans/{id}", { params: { id: planId } });
    await operator.call("DELETE /operator/groups/{id}", { params });
    expect((await operator.refused("PATCH /operator/groups/{id}", { params, body: {} })).status).toBe(404);
    // A key that was in it is still told with what it was.
    expect((await ann.call("GET /keys/{id}", { params: { id: key.id } })).group.name).toContain("quick");
    expect((await entries("group")).slice(0, 4).map(({ action }) => action)).toEqual([
      "remove",
      "update",
      "rename",
      "create",
    ]);
    await operator.call("POST /operator/groups", { body: { name: "quick" } });
    await operator.call("DELETE /operator/groups/{id}", { params: { id: (await group("quick")).id } });
  });

  test("has limits for its keys, which are set as a whole and hold for the next request", async () => {
    const { id } = await operator.call("POST /operator/groups", {
      body: {
        name: "limited",
        models: ["demo"],
        limits: { requests_per_minute: 1, spend_per_day_usd: "2.5" },
      },
    });
    const none = { tokens_per_minute: null, concurrency: null, spend_per_week_usd: null };
    expect((await group("limited")).limits).toMatchObject({
      ...none,
      requests_per_minute: 1,
      spend_per_day_usd: "2.50",
    });
    const { string } = await ann.call("POST /keys", { body: { name: "in limited", group: id } });
    const ask = async () =>
      (
        await chat(`${rig.root}/v1`, {
          key: string,
          body: { model: "demo", messages: [{ role: "user", content: "Hi" }] },
        })
      ).error?.reason ?? "answered";
    expect([await ask(), await ask()]).toEqual(["answered", "rate_limited"]);
    const params = { id };
    await operator.call("PATCH /operator/groups/{id}", { params, body: { multiplier: "0.5" } });
    expect((await group("limited")).limits.requests_per_minute).toBe(1);
    await operator.call("PATCH /operator/groups/{id}", { params, body: { limits: { concurrency: 5 } } });
    expect((await group("limited")).limits).toMatchObject({ requests_per_minute: null, concurrency: 5 });
    expect(await ask()).toBe("answered");
    const [entry] = await entries("group");
    expect(entry?.fields.map(({ field }) => field)).toContain("requests_per_minute");
    const wrong = await operator.refused("PATCH /operator/groups/{id}", {
      params,
      body: { limits: { spend_per_day_usd: "0" } },
    });
    expect(wrong).toMatchObject({ status: 400, error: { fields: [{ path: "limits.spend_per_day_usd" }] } });
  });

  test("previews what its patterns match, and which match nothing", async () => {
    const preview = await operator.call("POST /operator/groups/preview", {
      body: { models: ["b*", "*", "none*"] },
    });
    expect(preview.matches).toContainEqual({ model: "big", by: "b*" });
    expect(preview.matches).toContainEqual({ model: "demo", by: "*" });
    expect(preview.idle).toEqual(["none*"]);
  });

  test("for chosen accounts is unknown to others, in the list, for a new key, for a key that moves", async () => {
    const made = await operator.call("POST /operator/groups", {
      body: { name: "private", models: ["demo"], accounts: ["ann@example.org"] },
    });
    expect(made.accounts).toEqual(["ann@example.org"]);
    const names = async (browser: Browser) =>
      (await browser.call("GET /groups")).groups.map(({ name }) => name);
    await eventually(async () => (await names(ann)).includes("private"));
    expect(await names(bob)).not.toContain("private");
    const models = (await bob.call("GET /models")).models.flatMap(({ groups }) =>
      groups.map(({ name }) => name),
    );
    expect(models).not.toContain("private");
    const refused = await bob.refused("POST /keys", { body: { name: "k", group: made.id } });
    const unknown = await bob.refused("POST /keys", {
      body: { name: "k", group: "grp_00000000000000000000000000" },
    });
    expect({ ...refused.error, request_id: "" }).toEqual({ ...unknown.error, request_id: "" });
    const bobs = await bob.call("POST /keys", { body: { name: "mine", group: (await group("demo")).id } });
    const moved = await bob.refused("PATCH /keys/{id}", {
      params: { id: bobs.key.id },
      body: { group: made.id },
    });
    expect({ ...moved.error, request_id: "" }).toEqual({ ...unknown.error, request_id: "" });
    const byHand = await wicketgate(rig.dir, [
      "key",
      "create",
      "--account",
      "bob@example.org",
      "--group",
      "private",
      "--name",
      "x",
    ]);
    expect(byHand.code).not.toBe(0);
    const stranger = await operator.refused("PATCH /operator/groups/{id}", {
      params: { id: made.id },
      body: { accounts: ["eve@example.org"] },
    });
    expect(stranger).toMatchObject({ status: 409, error: { fields: [{ path: "accounts" }] } });
  });

  test("that is closed to an account refuses its keys at once, in a sentence of its own, and opens again", async () => {
    const { id } = await group("private");
    const { string } = await ann.call("POST /keys", { body: { name: "in private", group: id } });
    const ask = async () =>
      (
        await chat(`${rig.root}/v1`, {
          key: string,
          body: { model: "demo", messages: [{ role: "user", content: "Hi" }] },
        })
      ).error?.reason ?? "answered";
    expect(await ask()).toBe("answered");
    await operator.call("PATCH /operator/groups/{id}", {
      params: { id },
      body: { accounts: ["bob@example.org"] },
    });
    expect(await ask()).toBe("group_not_allowed");
    const { steps } = await ann.call("POST /check", {
      body: { base_url: `${rig.root}/v1`, key: string, model: "demo", style: "openai" },
    });
    expect(steps.find(({ outcome }) => outcome === "failed")).toMatchObject({ reason: "group_not_allowed" });
    await operator.call("PATCH /operator/groups/{id}", { params: { id }, body: { accounts: null } });
    expect(await ask()).toBe("answered");
  });

  test("takes its accounts and description from the apply file, which leaves them where it does not name them", async () => {
    const file = (more: string) => `groups: [{ name: filed, models: [demo]${more} }]\n`;
    await applyYaml(rig.dir, file(", description: Filed, accounts: [bob@example.org, ann@example.org]"));
    expect(await group("filed")).toMatchObject({
      description: "Filed",
      accounts: ["ann@example.org", "bob@example.org"],
    });
    await applyYaml(rig.dir, file(""));
    expect(await group("filed")).toMatchObject({
      description: "Filed",
      accounts: ["ann@example.org", "bob@example.org"],
    });
    await applyYaml(rig.dir, file(", accounts: all"));
    expect((await group("filed")).accounts).toBeNull();
    const before = await entries("group");
    await applyYaml(rig.dir, file(", accounts: all"));
    expect(await entries("group")).toEqual(before);
    const refused = await wicketgate(rig.dir, ["apply", "-"], {
      stdin: file(", accounts: [eve@example.org]"),
    });
    expect(refused.stderr).toContain("there is no account eve@example.org");
  });
});

describe("a plan", () => {
  test("tells who has it and what is left, and stays while somebody does", async () => {
    const plan = { name: "silver", groups: ["demo"], quota_usd: "5", window: "month" as const };
    const made = await operator.call("POST /operator/plans", { body: plan });
    expect(made).toMatchObject({ ...plan, quota_usd: "5.00", holders: [] });
    await applyYaml(rig.dir, "accounts: [{ email: ann@example.org, subscriptions: [{ plan: silver }] }]\n");
    const params = { id: made.id };
    const changed = await operator.call("PATCH /operator/plans/{id}", {
      params,
      body: { quota_usd: "7", name: "platinum" },
    });
    expect(changed).toMatchObject({ name: "platinum", quota_usd: "7.00", window: "month", groups: ["demo"] });
    expect(changed.holders).toMatchObject([{ email: "ann@example.org", until: null, left_usd: "7.00" }]);
    const [held] = changed.holders;
    const holder = { id: held?.account ?? "", subscription: held?.subscription ?? "" };
    expect((await operator.refused("DELETE /operator/plans/{id}", { params })).error.message).toContain(
      "One account has",
    );
    const none = await operator.refused("POST /operator/plans", { body: { ...plan, groups: ["nowhere"] } });
    expect(none).toMatchObject({
      status: 409,
      error: { message: "There is no group “nowhere”.", fields: [{ path: "groups" }] },
    });
    await operator.call("DELETE /operator/accounts/{id}/subscriptions/{subscription}", { params: holder });
    await operator.call("DELETE /operator/plans/{id}", { params });
    expect((await operator.call("GET /operator/plans")).plans).toEqual([]);
  });
});

describe("what if", () => {
  test("prices last week's requests as they would be charged, exactly", async () => {
    const { id } = await operator.call("POST /operator/groups", {
      body: { name: "supposed", models: ["demo"] },
    });
    const { string } = await bob.call("POST /keys", { body: { name: "for what-if", group: id } });
    for (let at = 0; at < 3; at++) {
      await chat(`${rig.root}/v1`, {
        key: string,
        body: { model: "demo", messages: [{ role: "user", content: "Hello there" }] },
      });
    }
    const charged = async () => {
      const { rows } = await bob.call("GET /usage", { query: { limit: 50 } });
      return rows;
    };
    await eventually(async () => (await charged()).length >= 3);
    const same = await operator.call("POST /operator/what-if", { body: { group: { id, multiplier: "1" } } });
    expect(same).toMatchObject({ requests: 3, sample: null });
    expect(same.after_usd).toBe(same.before_usd);
    expect(Number(same.before_usd)).toBeGreaterThan(0);
    const free = await operator.call("POST /operator/what-if", { body: { group: { id, multiplier: "0" } } });
    expect(free).toMatchObject({ before_usd: same.before_usd, after_usd: "0.00" });
    expect(free.by_account).toEqual([
      { email: "bob@example.org", before_usd: same.before_usd, after_usd: "0.00" },
    ]);
    const { models } = await operator.call("GET /operator/models");
    const demo = models.find(({ name }) => name === "demo");
    const price = {
      ...PRICE,
      input: "0",
      output: "0",
      cache_read: "0",
      cache_write_5m: "0",
      cache_write_1h: "0",
      request: "1",
    };
    const flat = await operator.call("POST /operator/what-if", {
      body: { model: { id: demo?.id ?? "", price }, group: { id, multiplier: "2" } },
    });
    // One dollar for each request, twice as much in the group.
    expect(flat.by_account.find(({ email }) => email === "bob@example.org")?.after_usd).toBe("6.00");
    const month = await operator.call("POST /operator/what-if", {
      body: { group: { id, multiplier: "1" }, days: 30 },
    });
    expect(month).toMatchObject({ requests: 3, before_usd: same.before_usd });
    expect(Date.parse(month.to) - Date.parse(month.from)).toBe(30 * 86_400_000);
    expect((await operator.refused("POST /operator/what-if", { body: {} })).status).toBe(400);
    expect(
      (
        await operator.refused("POST /operator/what-if", {
          body: { group: { id: "grp_x", multiplier: "1" } },
        })
      ).status,
    ).toBe(404);
  });
});
