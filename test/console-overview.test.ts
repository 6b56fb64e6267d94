import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DATABASES, type OperatorRig, startOperator } from "./console-operator-rig.ts";
import type { Browser } from "./console-rig.ts";
import { chatCompletion, type MockUpstream, mockUpstream, usageOf } from "./harness-upstream.ts";

/** What operators see of everybody's requests, with what they cost us, and the whole house at a glance. */

const PRICE = {
  ...{ input: "10", output: "100", cache_read: "10", cache_write_5m: "10", cache_write_1h: "10" },
  ...{ request: "0", tiers: [] },
};
/** 1,000 tokens in and 100 out, at the list price. */
const LISTED = 0.02;

for (const database of DATABASES) {
  describe(`the house on ${database}`, () => {
    let rig: OperatorRig;
    let op: Browser;
    let mock: MockUpstream;
    const strings = new Map<string, string>();

    const ask = async (who: string, model = "paid") => {
      const answer = await fetch(`${rig.root}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${strings.get(who)}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] }),
      });
      await answer.text();
      return { status: answer.status, id: answer.headers.get("x-request-id") ?? "" };
    };

    beforeAll(async () => {
      rig = await startOperator(database);
      op = rig.operator;
      mock = await mockUpstream(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(1_000, 100))));
      await op.call("POST /operator/upstreams", {
        body: {
          ...{ name: "cheap", kind: "openai-compatible", base_url: mock.baseUrl, check: false },
          cost_multiplier: "0.8",
          models: [{ model: "paid", upstream_model: "m", price: PRICE }],
        },
      });
      for (const [name, multiplier] of [
        ["double", "2"],
        ["gift", "0"],
      ] as const) {
        const { id } = await op.call("POST /operator/groups", {
          body: { name, multiplier, models: ["paid", "free"] },
        });
        const holder = await rig.invited(`${name}@example.org`, { balance_usd: "5" });
        const made = await holder.call("POST /keys", { body: { name: `${name}'s`, group: id } });
        strings.set(name, made.string);
      }
      await Bun.sleep(500);
    });
    afterAll(async () => {
      await rig.dispose();
      await mock.close();
    });

    test("a request costs us the list price by the upstream's part, whatever the group makes of it", async () => {
      const [paid, given] = [await ask("double"), await ask("gift")];
      expect([paid.status, given.status]).toEqual([200, 200]);
      await until(async () => {
        const { rows } = await op.call("GET /operator/usage", { query: {} });
        return rows.length === 2 && rows.every(({ state }) => state === "settled");
      });
      const { rows } = await op.call("GET /operator/usage", { query: {} });
      const told = rows.map(row => [
        row.account.email,
        row.cost_usd,
        row.our_cost_usd,
        row.upstream,
        row.attempts,
      ]);
      expect(told).toEqual([
        ["gift@example.org", "0.00", "0.016", "cheap", 1],
        ["double@example.org", "0.04", "0.016", "cheap", 1],
      ]);
      const receipt = await op.call("GET /operator/usage/{id}", { params: { id: given.id } });
      expect(receipt).toMatchObject({
        ...{ our_cost_usd: "0.016", cost_usd: "0.00", upstream: "cheap", attempts: [] },
        account: { email: "gift@example.org" },
      });
    });

    test("what was is not changed by a new cost", async () => {
      const { upstreams } = await op.call("GET /operator/upstreams");
      const id = upstreams.find(({ name }) => name === "cheap")?.id ?? "";
      expect(upstreams.find(one => one.id === id)?.health).toMatchObject({
        ...{ requests: 2, success_rate: 1, revenue_usd: "0.04", cost_usd: "0.032" },
      });
      await op.call("PATCH /operator/upstreams/{id}", { params: { id }, body: { cost_multiplier: "0.5" } });
      await Bun.sleep(500);
      await ask("double");
      await until(async () => (await summary()).our_cost_usd === "0.042");
      expect(await summary()).toMatchObject({
        ...{ our_cost_usd: "0.042", margin_usd: "0.038", totals: { requests: 3, cost_usd: "0.08" } },
      });
      expect(Number(LISTED) * (0.8 + 0.8 + 0.5)).toBeCloseTo(0.042);
    });

    const summary = (query: object = {}) => op.call("GET /operator/usage/summary", { query });

    test("filters by account and upstream narrow list, chart and file alike", async () => {
      await ask("double", "nothing");
      const account = await rig.idOf("double@example.org");
      const list = (query: object) => op.call("GET /operator/usage", { query });
      await until(async () => (await list({ account })).rows.length === 3);
      expect((await list({ upstream: "cheap" })).rows).toHaveLength(3);
      expect((await list({ upstream: "own demo" })).rows).toEqual([]);
      expect((await list({ account, outcome: "refused" })).rows).toMatchObject([
        { model: "nothing", upstream: null, attempts: 0, our_cost_usd: "0.00" },
      ]);
      expect((await list({ account: "acc_nobody" })).rows).toEqual([]);
      expect((await summary({ account, upstream: "cheap" })).totals.requests).toBe(2);
      const by = async (dimension: "account" | "model" | "upstream") =>
        (await summary({ by: dimension })).series.map(({ name }) => name);
      expect(await by("account")).toEqual(["double@example.org", "gift@example.org"]);
      expect(await by("upstream")).toContain("cheap");
      expect(await by("model")).toEqual(["paid", "nothing"]);
      const { series } = await summary({ by: "upstream", upstream: "cheap" });
      const added = series.flatMap(one => one.our_cost_usd.map(Number)).reduce((sum, usd) => sum + usd, 0);
      expect(added).toBeCloseTo(Number((await summary({ upstream: "cheap" })).our_cost_usd));
      expect(added).toBeGreaterThan(0);
      const file = await op.send("GET /operator/usage/export", {
        query: { format: "csv", upstream: "cheap" },
      });
      const [head = "", ...lines] = (await file.text()).trim().split("\r\n");
      expect(head).toEndWith("account,account_id,upstream,attempts,our_cost_usd");
      expect(lines).toHaveLength(3);
      expect(lines[0]).toEndWith(`double@example.org,${account},cheap,1,0.01`);
      const names = await op.call("GET /operator/usage/names");
      expect(names.upstreams).toEqual(["cheap"]);
      expect(names.accounts.map(({ email }) => email)).toEqual(["double@example.org", "gift@example.org"]);
    });

    test("a holder's page says nothing of upstreams or of what they cost us", async () => {
      const holder = rig.browser();
      await holder.signIn("double@example.org");
      const text = await (await holder.send("GET /usage", { query: {} })).text();
      expect(text).toContain("paid");
      expect(text).not.toContain("cheap");
      expect(text).not.toContain("our_cost");
      const narrowed = await holder.refused("GET /usage", { query: { account: "acc_x" } as never });
      expect(narrowed.error.code).toBe("invalid");
    });

    test.each(["day", "week", "month", "quarter", "year"] as const)(
      "the overview of a %s adds up",
      async range => {
        const seen = await op.call("GET /operator/overview", { query: { range } });
        expect(seen.totals).toMatchObject({
          ...{ requests: 4, refused: 1, failed: 0, revenue_usd: "0.08", cost_usd: "0.042", tokens: 3_300 },
        });
        expect(seen.before).toMatchObject({ requests: 0, revenue_usd: "0.00" });
        expect(seen.buckets).toHaveLength({ day: 24, week: 7, month: 30, quarter: 90, year: 365 }[range]);
        expect(seen.series.requests.reduce((sum, one) => sum + one, 0)).toBe(4);
        expect(seen.series.errors.reduce((sum, one) => sum + one, 0)).toBe(1);
        expect(seen.series.revenue_usd.at(-1)).toBe("0.08");
        expect(seen).toMatchObject({ running: 0, instances: 1 });
        expect(seen.top_accounts.map(({ name, requests }) => [name, requests])).toEqual([
          ["double@example.org", 3],
          ["gift@example.org", 1],
        ]);
        expect(seen.top_models.map(({ name }) => name)).toEqual(["paid"]);
        expect(seen.top_keys.map(({ name }) => name)).toEqual(["double's", "gift's"]);
        const state = new Map(seen.upstreams.map(one => [one.name, one.state]));
        expect([...state]).toEqual([
          ["cheap", "ok"],
          ["own demo", "unused"],
        ]);
      },
    );

    const attention = async () => {
      const { attention: list } = await op.call("GET /operator/overview", { query: { range: "day" } });
      return list;
    };
    const kinds = async () =>
      (await attention()).map(({ kind, name }) => (name === null ? kind : `${kind} ${name}`));

    test("what needs attention comes first, the gravest before the rest, and goes when it is mended", async () => {
      expect(await kinds()).toEqual([]);
      const { upstreams } = await op.call("GET /operator/upstreams");
      const id = upstreams.find(({ name }) => name === "cheap")?.id ?? "";
      await op.call("POST /operator/upstreams/{id}/credentials", {
        ...{ params: { id }, body: { api_key: "sk-one-that-will-be-refused" } },
      });
      await op.call("PATCH /operator/upstreams/{id}", {
        params: { id },
        body: {
          models: [
            { model: "paid", upstream_model: "m" },
            { model: "unpriced", upstream_model: "m" },
          ],
        },
      });
      await op.call("POST /operator/models", { body: { name: "unpriced" } });
      await op.call("POST /operator/models", { body: { name: "free", price: PRICE } });
      await rig.change("update accounts set created_at_ms = 1 where email = ?", "operator@example.org");
      await rig.change(
        "update profiles set low_balance = 90000000000 where account_id = ?",
        await rig.idOf("double@example.org"),
      );
      await Bun.sleep(500);
      mock.script(exchange => exchange.reply(401, '{"error":"expired"}'));
      await ask("double");
      await until(async () => (await kinds()).includes("credential_rejected cheap"));
      expect(await kinds()).toEqual([
        "credential_rejected cheap",
        "model_unserved free",
        "model_unpriced unpriced",
        "backup_missing",
        "balance_low double@example.org",
      ]);
      const [rejected] = await attention();
      expect(rejected).toMatchObject({ gravity: "bad", id, figure: expect.stringMatching(/^\w{8}$/) });
      const seen = await op.call("GET /operator/overview", { query: { range: "day" } });
      expect(seen.upstreams.find(one => one.id === id)?.state).toBe("rejected");
      await op.call("POST /operator/upstreams/{id}/reset", { params: { id }, body: {} });
      await until(async () => !(await kinds()).includes("credential_rejected cheap"));
    });

    test("books that disagree are the gravest of all, until they agree again", async () => {
      const move = (by: number) =>
        rig.change("update accounts set held = held + ? where email = ?", by, "gift@example.org");
      await move(1);
      await until(async () => (await kinds())[0] === "books_disagree");
      await move(-1);
      await until(async () => !(await kinds()).includes("books_disagree"));
    });
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await isSo()) return;
    await Bun.sleep(50);
  }
  throw new Error("it did not come to be so");
}
