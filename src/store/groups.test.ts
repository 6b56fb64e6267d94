import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { NO_LIMITS } from "../domain/limits.ts";
import type { GroupSpec } from "./apply.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, Bank, newId, time } from "./bank.case.ts";
import { readCatalogue, revision } from "./catalogue.ts";
import { databases } from "./databases.case.ts";
import { createGroup, editGroup, type GroupEdit, listGroups, removeGroup } from "./groups.ts";
import { createModel, editPrices, priceVersions, removeModel } from "./models.ts";
import { editPlan, planPage, removePlan } from "./plans-admin.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

const ANN = "ann@example.org";
const BOB = "bob@example.org";
const NOON = Date.UTC(2027, 0, 15, 12);

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  const job = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => bank.books.job(work);
  const by = tester(NOON);

  beforeEach(async () => {
    time.nowMs = NOON;
    const plan = { name: "daily", groups: ["subscribed"], quota: 100n, window: "day" } as const;
    bank = await new Bank(await openBooks()).open([plan]);
    await bank.account(ANN, 1_000n);
    await bank.account(BOB, 1_000n);
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  const groupId = async (name: string) => {
    const found = (await job(tx => listGroups(tx, {}))).find(one => one.name === name);
    if (found === undefined) throw new Error(`there is no group ${name}`);
    return found.id;
  };
  const edit = async (name: string, change: GroupEdit["change"]) => {
    const id = await groupId(name);
    return job(tx => editGroup(tx, { id, change, by }));
  };
  const outcome = async (key: string) => (await bank.ask(ask(key, 1n).command))[0];
  const problem = (doing: Promise<unknown>) =>
    doing.then(
      () => "none",
      (error: unknown) => (error instanceof StoreProblem ? error.message : String(error)),
    );
  const spec = (name: string): GroupSpec => ({
    ...{ id: newId("grp"), name, enabled: true, multiplier: 10_000, models: ["m"], billing: "balance" },
    ...{ limits: NO_LIMITS, description: null, accounts: null },
  });

  test("a group for chosen accounts admits theirs alone, from the next request on", async () => {
    await bank.key(ANN, "ann");
    await bank.key(BOB, "bob");
    expect([await outcome("ann"), await outcome("bob")]).toEqual(["admitted", "admitted"]);
    const before = await job(revision);
    await edit("default", { accounts: [BOB] });
    expect(await job(revision)).toBeGreaterThan(before);
    expect([await outcome("ann"), await outcome("bob")]).toEqual(["group_not_allowed", "admitted"]);
    expect(await problem(bank.key(ANN, "another"))).toBe("There is no group “default”.");
    await edit("default", { multiplier: 20_000 });
    expect(await outcome("ann")).toBe("group_not_allowed");
    await edit("default", { accounts: [] });
    expect(await outcome("bob")).toBe("group_not_allowed");
    await edit("default", { accounts: "all" });
    expect([await outcome("ann"), await outcome("bob")]).toEqual(["admitted", "admitted"]);
  });

  test("a group with more accounts than fit into one question is kept and told whole", async () => {
    const emails = Array.from({ length: 1_100 }, (_, at) => `a${String(at).padStart(4, "0")}@example.org`);
    await job(async tx => {
      for (const [at, email] of emails.entries()) {
        await tx.run(
          "insert into accounts (id, email, role, enabled, balance, held, created_at_ms) values (?, ?, 'holder', 1, 0, 0, 1)",
          ...[`acc_${String(at).padStart(26, "0")}`, email],
        );
      }
    });
    await edit("default", { accounts: emails });
    const listed = (await job(tx => listGroups(tx, {}))).find(({ name }) => name === "default");
    expect(listed?.accounts).toEqual(emails);
    // One that differs far down the list is a change all the same.
    await edit("default", { accounts: emails.slice(0, -1) });
    expect(
      await bank.one("select count(*) as entries from audit where noun = 'group' and action = 'update'"),
    ).toEqual({
      entries: 2n,
    });
  }, 60_000);

  test("a renamed group keeps its keys, and the plans that pay for it go on paying", async () => {
    await bank.subscribe(ANN, "daily");
    await bank.key(ANN, "laptop", { group: "subscribed" });
    expect(await outcome("laptop")).toBe("admitted");
    await edit("subscribed", { name: "members", description: "For members" });
    expect(await outcome("laptop")).toBe("admitted");
    const { plans } = await job(tx => planPage(tx, { nowMs: NOON }));
    expect(plans[0]?.groups).toEqual(["members"]);
    expect(await problem(edit("members", { name: "default" }))).toContain("already");
    expect(await problem(edit("members", { name: "default" }))).toContain("“default”");
  });

  test("what is removed is gone from the catalogue, gives its name free, and leaves what refers to it", async () => {
    await bank.key(ANN, "laptop", { group: "first" });
    const id = await groupId("first");
    expect(await problem(job(tx => removeGroup(tx, { id, by })))).toContain(
      "One key is in the group “first”",
    );
    await job(tx => tx.run("update keys set deleted_at_ms = 1 where name = 'laptop'"));
    for (let round = 0; round < 3; round++) {
      const now = await groupId("first");
      expect(await job(tx => removeGroup(tx, { id: now, by }))).toBe(true);
      expect(await job(tx => removeGroup(tx, { id: now, by }))).toBe(false);
      const { groups } = await job(readCatalogue);
      expect([...groups.values()].map(({ name }) => name)).toEqual(["default", "subscribed"]);
      await job(tx => createGroup(tx, { spec: spec("first"), by }));
    }
    expect(await problem(job(tx => createGroup(tx, { spec: spec("first"), by })))).toContain("already");
    const subscribed = await groupId("subscribed");
    expect(await problem(job(tx => removeGroup(tx, { id: subscribed, by })))).toContain("“daily”");
  });

  test("a plan stays while somebody has it, and a removed one leaves the subscription as it was", async () => {
    await bank.subscribe(ANN, "daily", NOON + 1_000);
    const [plan] = (await job(tx => planPage(tx, { nowMs: NOON }))).plans;
    const id = plan?.id ?? "";
    expect(await problem(job(tx => removePlan(tx, { id, by })))).toContain("One account has");
    await job(tx => editPlan(tx, { id, change: { quota: 50n, name: "by day" }, by }));
    const { plans, holders } = await job(tx => planPage(tx, { nowMs: NOON }));
    expect(plans).toMatchObject([{ name: "by day", quota: 50n, period: "day" }]);
    expect(holders).toMatchObject([{ email: ANN, subscription: { plan: { name: "by day" } } }]);
    expect(await job(tx => removePlan(tx, { id, by: tester(NOON + 1_000) }))).toBe(true);
    expect((await job(tx => planPage(tx, { nowMs: NOON + 1_000 }))).plans).toEqual([]);
    expect(await bank.one("select count(*) as kept from subscriptions")).toEqual({ kept: 1n });
  });

  test("a removed model keeps its prices for the receipts, and a new one begins without", async () => {
    const price = (output: bigint) => ({
      ...{
        id: newId("prc"),
        inputPicos: 1n,
        cacheReadPicos: 1n,
        cacheWrite5mPicos: 1n,
        cacheWrite1hPicos: 1n,
      },
      ...{ outputPicos: output, requestPicos: 0n, tiers: [] },
    });
    const model = {
      id: newId("mdl"),
      name: "n",
      contextTokens: null,
      outputTokensMax: null,
      price: price(5n),
    };
    await job(tx => createModel(tx, { spec: model, by }));
    expect(await job(tx => editPrices(tx, { prices: [{ model: "n", price: price(5n) }], by }))).toEqual({
      changed: 0,
    });
    expect(await job(tx => editPrices(tx, { prices: [{ model: "n", price: price(6n) }], by }))).toEqual({
      changed: 1,
    });
    expect(await job(tx => priceVersions(tx, { modelId: model.id }))).toHaveLength(2);
    expect(await job(tx => removeModel(tx, { id: model.id, by }))).toBe(true);
    expect(await job(tx => priceVersions(tx, { modelId: model.id }))).toBeNull();
    expect((await job(readCatalogue)).models.has("n")).toBe(false);
    expect(await bank.one("select count(*) as kept from prices where model_id = ?", model.id)).toEqual({
      kept: 2n,
    });
    await job(tx => createModel(tx, { spec: { ...model, id: newId("mdl"), price: null }, by }));
    expect((await job(readCatalogue)).models.get("n")?.price).toBeNull();
  });
});
