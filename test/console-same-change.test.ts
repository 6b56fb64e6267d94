import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Name } from "../src/console/contract/contract.ts";
import { freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import { type Browser, type ConsoleRig, type Given, startConsole } from "./console-rig.ts";
import { mustRun, wicketgate } from "./harness.ts";

/** A change is one thing, whoever makes it by whichever way: the same row, and the same entry of the audit. */

const WAYS = ["console", "token", "apply"] as const;
type Way = (typeof WAYS)[number];

const PRICE = {
  ...{
    input: "3",
    output: "15",
    cache_read: "0.3",
    cache_write_5m: "3.75",
    cache_write_1h: "6",
    request: "0.01",
  },
  tiers: [
    {
      above_tokens: 1000,
      input: "6",
      output: "20",
      cache_read: "1",
      cache_write_5m: "7",
      cache_write_1h: "8",
    },
  ],
};
const WRITTEN_PRICE = {
  ...{ ...PRICE, tiers: undefined },
  tiers: PRICE.tiers.map(({ above_tokens: above, ...tier }) => ({ above, ...tier })),
};

describe.each([
  ["SQLite", async () => ({})],
  ["PostgreSQL", async () => ({ DATABASE_URL: await freshDatabase() })],
] as const)("on %s", (_, environment) => {
  let rig: ConsoleRig;
  let env: Record<string, string>;
  let token: string;

  beforeAll(async () => {
    env = await environment();
    rig = await startConsole({ WICKETGATE_DEMO: "off", ...env });
    for (const way of WAYS) await rig.invited(`${way}@example.org`);
    await apply({
      models: [{ name: "m", price: { input: "1", output: "1" } }],
      groups: [{ name: "g", models: ["m"] }],
    });
    const body = { name: "same change", scope: "write-all" as const, days: 1 };
    token = (await rig.operator.call("POST /operator/tokens", { body })).string;
  }, 60_000);
  afterAll(async () => {
    const verified = await wicketgate(rig.dir, ["verify"], { env });
    await rig.dispose();
    expect(verified.stdout).toContain("clean");
  }, 60_000);

  const apply = (document: object) =>
    mustRun(rig.dir, ["apply", "-"], { stdin: JSON.stringify(document), env });

  /** The same call with the cookie of the operator, or with a token alone. */
  async function call<N extends Name>(
    way: Way,
    name: N,
    given: Given<N>,
  ): Promise<Awaited<ReturnType<Browser["call"]>>> {
    if (way === "console") return rig.operator.call(name, given);
    return rig.browser().call(name, { ...given, headers: { authorization: `Bearer ${token}` } });
  }

  /** The newest entries about one thing, without what has to differ: its name, who, when and by which way. */
  async function told(noun: string, name: string) {
    const { entries } = await rig.operator.call("GET /operator/audit", { query: { noun, name } });
    const own = (text: string) => text.replace(`model-of-${name}`, "its own model");
    return entries.map(({ action, fields }) => ({
      action,
      fields: fields.map(({ field, before, after }) => ({ field, before: own(before), after: own(after) })),
    }));
  }

  /** Each way makes its own; what is left of the rows and entries must be equal. */
  async function same(
    noun: string,
    { of, row }: { of: (way: Way) => Promise<void>; row: (way: Way) => Promise<object> },
  ): Promise<void> {
    for (const way of WAYS) await of(way);
    const rows = await Promise.all(WAYS.map(row));
    const entries = await Promise.all(WAYS.map(way => told(noun, way)));
    expect(rows[1]).toEqual(rows[0] ?? {});
    expect(rows[2]).toEqual(rows[0] ?? {});
    expect(entries[0]?.length).toBeGreaterThan(0);
    expect(entries[1]).toEqual(entries[0] ?? []);
    expect(entries[2]).toEqual(entries[0] ?? []);
  }

  test("a model, made and priced anew", async () => {
    const find = async (way: Way) =>
      (await rig.operator.call("GET /operator/models")).models.find(({ name }) => name === way);
    await same("model", {
      of: async way => {
        const price = { ...PRICE, output: "16" };
        const first = { name: way, context_tokens: 1000, max_output_tokens: 10 };
        if (way === "apply") {
          await apply({ models: [{ ...first, price: WRITTEN_PRICE }] });
          await apply({ models: [{ ...first, price: { ...WRITTEN_PRICE, output: "16" } }] });
          return;
        }
        await call(way, "POST /operator/models", { body: { ...first, price: PRICE } });
        const params = { id: (await find(way))?.id ?? "" };
        await call(way, "PATCH /operator/models/{id}", { params, body: { price } });
      },
      row: async way => ({ ...(await find(way)), id: "", name: "", price_since: "" }),
    });
    expect((await told("model", "apply")).map(({ action }) => action)).toEqual(["update", "create"]);
  });

  test("a group, made, changed and given to one account", async () => {
    const find = async (way: Way) =>
      (await rig.operator.call("GET /operator/groups")).groups.find(({ name }) => name === way);
    await same("group", {
      of: async way => {
        const first = { name: way, models: ["m*"], multiplier: "0.5", description: "Half" };
        const second = {
          enabled: false,
          billing: "subscription-first" as const,
          accounts: ["token@example.org"],
        };
        if (way === "apply") {
          await apply({ groups: [first] });
          await apply({ groups: [{ ...first, ...second }] });
          return;
        }
        await call(way, "POST /operator/groups", { body: first });
        await call(way, "PATCH /operator/groups/{id}", {
          params: { id: (await find(way))?.id ?? "" },
          body: second,
        });
      },
      row: async way => ({ ...(await find(way)), id: "", name: "" }),
    });
    const [changed, made] = await told("group", "apply");
    expect(made?.fields).toContainEqual({ field: "multiplier", before: "", after: "0.5" });
    expect(changed?.fields).toContainEqual({ field: "accounts", before: "all", after: "token@example.org" });
  });

  test("an upstream, connected with a new model, changed and paused", async () => {
    const find = async (way: Way) =>
      (await rig.operator.call("GET /operator/upstreams")).upstreams.find(({ name }) => name === way);
    const API_KEY = "sk-the-same-key-by-every-way-0123";
    await same("upstream", {
      of: async way => {
        const first = { name: way, kind: "openai-compatible", base_url: "https://api.example.org/v1" };
        const upstream = { ...first, api_key: API_KEY };
        const model = `model of ${way}`.replaceAll(" ", "-");
        if (way === "apply") {
          const connected = { ...upstream, priority: 2, cost: "0.8", models: { [model]: "known" } };
          await apply({ upstreams: [connected], models: [{ name: model, price: WRITTEN_PRICE }] });
          const { priority: _, ...changed } = connected;
          const more = {
            weight: 3,
            max_concurrency: 5,
            probe: 30,
            paused: true,
            speaks: ["chat", "responses"],
          };
          await apply({ upstreams: [{ ...changed, ...more, cost: "0.75", priority: 1 }] });
          return;
        }
        await call(way, "POST /operator/upstreams", {
          body: {
            ...{ ...upstream, priority: 2, cost_multiplier: "0.8", check: false },
            models: [{ model, upstream_model: "known", price: PRICE }],
          },
        });
        const params = { id: (await find(way))?.id ?? "" };
        await call(way, "PATCH /operator/upstreams/{id}", {
          params,
          body: {
            ...{ priority: 1, weight: 3, max_concurrency: 5, probe_minutes: 30, is_paused: true },
            ...{ cost_multiplier: "0.75", speaks: ["chat", "responses"] },
          },
        });
      },
      row: async way => {
        const found = await find(way);
        const models = found?.models.map(({ upstream_model }) => upstream_model);
        const credentials = found?.credentials.map(({ label, state }) => ({ label, state }));
        return { ...found, id: "", name: "", models, credentials };
      },
    });
    const [changed, made] = await told("upstream", "apply");
    expect(made?.fields).toContainEqual({ field: "cost", before: "", after: "0.8" });
    expect(made?.fields).toContainEqual({ field: "api_key", before: "", after: "(a new one)" });
    expect(changed?.fields.map(({ field }) => field)).toEqual([
      ...["speaks", "priority", "weight", "max_concurrency", "probe", "paused", "cost"],
    ]);
    const models = await Promise.all(WAYS.map(way => told("model", `model-of-${way}`)));
    expect(models[0]).toMatchObject([{ action: "create" }]);
    expect(models[1]).toEqual(models[0] ?? []);
    expect(models[2]).toEqual(models[0] ?? []);
    const { entries } = await rig.operator.call("GET /operator/audit", { query: { limit: 200 } });
    expect(JSON.stringify(entries)).not.toContain(API_KEY);
  });

  test("a plan, made and changed", async () => {
    const find = async (way: Way) =>
      (await rig.operator.call("GET /operator/plans")).plans.find(({ name }) => name === way);
    await same("plan", {
      of: async way => {
        if (way === "apply") {
          await apply({ plans: [{ name: way, groups: ["g"], quota: "5", window: "day" }] });
          await apply({ plans: [{ name: way, groups: ["g"], quota: "7.5", window: "month" }] });
          return;
        }
        await call(way, "POST /operator/plans", {
          body: { name: way, groups: ["g"], quota_usd: "5", window: "day" },
        });
        const params = { id: (await find(way))?.id ?? "" };
        await call(way, "PATCH /operator/plans/{id}", {
          params,
          body: { quota_usd: "7.5", window: "month" },
        });
      },
      row: async way => ({ ...(await find(way)), id: "", name: "" }),
    });
  });

  test("an account, with another role and limits", async () => {
    const find = async (way: Way) => {
      const { accounts } = await rig.operator.call("GET /operator/accounts");
      return accounts.find(({ email }) => email === `${way}@example.org`)?.id ?? "";
    };
    for (const way of WAYS) {
      if (way === "apply") {
        await apply({
          accounts: [{ email: `${way}@example.org`, role: "operator", limits: { concurrency: 3 } }],
        });
        continue;
      }
      const params = { id: await find(way) };
      await call(way, "PATCH /operator/accounts/{id}", {
        params,
        body: { role: "operator", concurrency: 3 },
      });
    }
    const entries = await Promise.all(WAYS.map(async way => (await told("account", `${way}@`))[0]));
    expect(entries[0]).toMatchObject({ action: "update" });
    expect(entries[0]?.fields.map(({ field }) => field)).toEqual(["role", "concurrency"]);
    expect(entries[1]).toEqual(entries[0] ?? { action: "", fields: [] });
    expect(entries[2]).toEqual(entries[0] ?? { action: "", fields: [] });
  });

  test("a key, by its holder, by the command line and by apply", async () => {
    const holder = rig.browser();
    await holder.signIn("console@example.org");
    const { id: group } = (await rig.operator.call("GET /operator/groups")).groups.find(
      ({ name }) => name === "g",
    ) ?? { id: "" };
    await holder.call("POST /keys", {
      body: { name: "key of console", group, quota_usd: "5", concurrency: 2 },
    });
    const flags = ["--account", "console@example.org", "--group", "g", "--quota", "5", "--concurrency", "2"];
    await mustRun(rig.dir, ["key", "create", ...flags, "--name", "key of command"], { env });
    await apply({
      keys: [
        { account: "console@example.org", name: "key of apply", group: "g", quota: "5", concurrency: "2" },
      ],
    });
    const [one, two, three] = await Promise.all(
      ["console", "command", "apply"].map(way => told("key", `key of ${way}`)),
    );
    expect(one).toHaveLength(1);
    expect(one?.[0]?.fields).toContainEqual({ field: "quota", before: "", after: "5.00" });
    expect(two).toEqual(one ?? []);
    expect(three).toEqual(one ?? []);
  });

  test("tells by which way it came, from where, and never a secret", async () => {
    const { entries } = await rig.operator.call("GET /operator/audit", { query: { limit: 200 } });
    expect(new Set(entries.map(({ through }) => through))).toEqual(
      new Set(["console", "token", "apply", "command line"]),
    );
    for (const { through, address, by } of entries) {
      expect(address === null).toBe(through === "apply" || through === "command line");
      expect(by).not.toBe("");
    }
    expect(JSON.stringify(entries)).not.toContain(token);
    expect(JSON.stringify(entries)).not.toMatch(/wgk_|wgo_/);
  });
});
