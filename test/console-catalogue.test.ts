import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Browser, type ConsoleRig, startConsole } from "./console-rig.ts";
import { applyYaml, eventually, wicketgate } from "./harness.ts";
import { chat } from "./harness-client.ts";

/** Models, prices, groups and plans as an operator changes them, and what holders see of it. */

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

describe("a model", () => {
  test("is made without a price, which is told, gets one, and keeps every version", async () => {
    const made = await operator.call("POST /operator/models", {
      body: { name: "big", context_tokens: 200_000 },
    });
    expect(made).toMatchObject({
      name: "big",
      price: null,
      price_since: null,
      context_tokens: 200_000,
      upstreams: [],
    });
    const { id } = made;
    const params = { id };
    const priced = await operator.call("PATCH /operator/models/{id}", { params, body: { price: PRICE } });
    expect(priced).toMatchObject({ price: PRICE, context_tokens: 200_000 });
    const dear = { ...PRICE, output: "20", tiers: [{ above_tokens: 200_000, ...tierOf(PRICE), input: "6" }] };
    await operator.call("PATCH /operator/models/{id}", {
      params,
      body: { price: dear, context_tokens: null },
    });
    const { versions } = await operator.call("GET /operator/models/{id}/prices", { params });
    expect(versions.map(({ price }) => price)).toEqual([dear, PRICE]);
    // The same price again is no new version, and no change.
    const before = await entries("model");
    await operator.call("PATCH /operator/models/{id}", { params, body: { price: dear } });
    expect((await operator.call("GET /operator/models/{id}/prices", { params })).versions).toHaveLength(2);
    expect(await entries("model")).toEqual(before);
    expect(before[0]).toMatchObject({
      name: "big",
      action: "update",
      by: "operator@example.org",
      through: "console",
    });
    expect(before[0]?.fields.map(({ field }) => field)).toEqual(["context_tokens", "price"]);
  });

  test("is refused where its name or price is wrong, at the field that is", async () => {
    const twice = await operator.refused("POST /operator/models", { body: { name: "big" } });
    expect(twice).toMatchObject({ status: 409, error: { fields: [{ path: "name" }] } });
    const star = await operator.refused("POST /operator/models", { body: { name: "big*" } });
    expect(star).toMatchObject({ status: 400, error: { fields: [{ path: "name" }] } });
    const price = { ...PRICE, input: "3.1234567" };
    const fine = await operator.refused("POST /operator/models", { body: { name: "other", price } });
    expect(fine).toMatchObject({ status: 400, error: { fields: [{ path: "price.input" }] } });
    const tiers = [
      { above_tokens: 5, ...tierOf(PRICE) },
      { above_tokens: 5, ...tierOf(PRICE) },
    ];
    const fallen = await operator.refused("POST /operator/models", {
      body: { name: "other", price: { ...PRICE, tiers } },
    });
    expect(fallen).toMatchObject({
      status: 400,
      error: { fields: [{ path: "price.tiers.1.above_tokens" }] },
    });
  });

  test("is removed where nobody serves it, and can be made again under its name", async () => {
    const { id } = await operator.call("POST /operator/models", { body: { name: "gone", price: PRICE } });
    await operator.call("DELETE /operator/models/{id}", { params: { id } });
    expect((await operator.refused("DELETE /operator/models/{id}", { params: { id } })).status).toBe(404);
    const names = (await operator.call("GET /operator/models")).models.map(model => model.name);
    expect(names).toContain("big");
    expect(names.filter(name => name.startsWith("gone"))).toEqual([]);
    const again = await operator.call("POST /operator/models", { body: { name: "gone" } });
    expect(again.price).toBeNull();
    expect((await entries("model")).slice(0, 2).map(({ action }) => action)).toEqual(["create", "remove"]);
    await applyYaml(
      rig.dir,
      "upstreams: [{ name: far, kind: openai-compatible, base_url: 'https://far.example.org/v1', models: [gone] }]\n",
    );
    const served = await operator.refused("DELETE /operator/models/{id}", { params: { id: again.id } });
    expect(served.error.message).toContain("“far”");
  });
});

function tierOf({ request: _, tiers: _none, ...prices }: typeof PRICE) {
  return prices;
}

describe("a catalogue of prices", () => {
  const catalogue =
    "models:\n  - { name: big, price: { input: 1, output: 2 } }\n  - { name: elsewhere, price: { input: 1 } }\n";

  test("is compared, and what is confirmed is taken over", async () => {
    const compared = await operator.call("POST /operator/prices/compare", { body: { catalogue } });
    expect(compared.changes).toMatchObject([
      { model: "big", before: { input: "3" }, after: { input: "1", output: "2", cache_read: "1" } },
    ]);
    expect(compared.unknown).toContain("gone");
    const prices = compared.changes.map(({ model, after: price }) => ({ model, price }));
    expect(await operator.call("POST /operator/prices/import", { body: { prices } })).toEqual({ changed: 1 });
    expect(await operator.call("POST /operator/prices/import", { body: { prices } })).toEqual({ changed: 0 });
    expect((await operator.call("POST /operator/prices/compare", { body: { catalogue } })).changes).toEqual(
      [],
    );
    const none = [{ model: "nobody", price: PRICE }];
    expect((await operator.refused("POST /operator/prices/import", { body: { prices: none } })).status).toBe(
      409,
    );
  });

  test("that ships is dated, and one that is none is told so", async () => {
    const { dated, unknown } = await operator.call("POST /operator/prices/compare", { body: {} });
    expect(dated).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(unknown).toContain("big");
    for (const text of ["[1]", "models: 5\n", "\u0000"]) {
      const refused = await operator.refused("POST /operator/prices/compare", { body: { catalogue: text } });
      expect(refused).toMatchObject({ status: 400, error: { fields: [{ path: "catalogue" }] } });
    }
  });
});

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
    expect((await operator.call("GET /operator/groups")).groups.find(({ id }) => id === made.id)?.keys).toBe(
      1,
    );
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
    expect((await operator.refused("DELETE /operator/plans/{id}", { params })).error.message).toContain(
      "One account has",
    );
    const none = await operator.refused("POST /operator/plans", { body: { ...plan, groups: ["nowhere"] } });
    expect(none).toMatchObject({
      status: 409,
      error: { message: "There is no group “nowhere”.", fields: [{ path: "groups" }] },
    });
    await applyYaml(rig.dir, "accounts: [{ email: ann@example.org, subscriptions: [] }]\n");
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
