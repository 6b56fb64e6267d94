import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Browser, type ConsoleRig, startConsole } from "./console-rig.ts";
import { applyYaml, eventually, wicketgate } from "./harness.ts";

/** Models and their prices as an operator changes them: now, from a catalogue, from a time to come. */

let rig: ConsoleRig;
let operator: Browser;

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
});
afterAll(async () => {
  const verified = await wicketgate(rig.dir, ["verify"]);
  await rig.dispose();
  expect(verified).toMatchObject({ code: 0 });
});

const entries = async (noun: string) =>
  (await operator.call("GET /operator/audit", { query: { noun } })).entries;

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
    // A list may be as long as the one that genai-prices publishes; nothing else may.
    const long = `[${" ".repeat(2_000_000)}1]`;
    for (const text of ["[1]", "models: 5\n", "\u0000", long]) {
      const refused = await operator.refused("POST /operator/prices/compare", { body: { catalogue: text } });
      expect(refused).toMatchObject({ status: 400, error: { fields: [{ path: "catalogue" }] } });
    }
    const tooLong = await operator.refused("POST /operator/models", { body: { name: long } });
    expect(tooLong.error.code).toBe("too_large");
  });
});

describe("a price from a time to come", () => {
  test("begins by itself and once, and one that is taken back never does", async () => {
    const { models } = await operator.call("GET /operator/models");
    const params = { id: models.find(({ name }) => name === "big")?.id ?? "" };
    const now = (await operator.call("GET /operator/models/{id}/prices", { params })).versions;
    const soon = new Date(Date.now() + 1_500).toISOString();
    const later = new Date(Date.now() + 86_400_000).toISOString();
    const edit = (from: string, output: string) =>
      operator.call("PATCH /operator/models/{id}", {
        params,
        body: { price: { ...PRICE, output }, price_from: from },
      });
    expect((await edit(later, "98")).price).toEqual(now[0]?.price ?? null);
    await edit(soon, "99");
    const planned = await operator.call("GET /operator/models/{id}/prices", { params });
    expect(planned.versions).toEqual(now);
    expect(planned.planned).toMatchObject([
      { from: soon, price: { output: "99" }, by: "operator@example.org" },
      { from: later, price: { output: "98" } },
    ]);
    // A price that is set meanwhile holds until then, and does not stand in the way.
    await operator.call("PATCH /operator/models/{id}", { params, body: { price: PRICE } });
    await eventually(async () => {
      const { price } = (await operator.call("GET /operator/models")).models.find(
        ({ id }) => id === params.id,
      ) ?? { price: null };
      return price?.output === "99";
    }, 15_000);
    const after = await operator.call("GET /operator/models/{id}/prices", { params });
    expect(after.planned.map(({ price }) => price.output)).toEqual(["98"]);
    expect(after.versions.slice(0, 2).map(({ price }) => price.output)).toEqual(["99", "15"]);
    expect(Date.parse(after.versions[0]?.since ?? "")).toBeGreaterThanOrEqual(Date.parse(soon));
    const taken = { ...params, price: after.planned[0]?.id ?? "" };
    await operator.call("DELETE /operator/models/{id}/prices/{price}", { params: taken });
    expect(
      (await operator.refused("DELETE /operator/models/{id}/prices/{price}", { params: taken })).status,
    ).toBe(404);
    expect((await operator.call("GET /operator/models/{id}/prices", { params })).planned).toEqual([]);
    expect((await entries("model")).slice(0, 5).map(({ action, by }) => `${action} ${by}`)).toEqual([
      "unplan operator@example.org",
      "update planned price",
      "update operator@example.org",
      "plan operator@example.org",
      "plan operator@example.org",
    ]);
  });

  test("is refused where its time has passed, or where it is none", async () => {
    const { models } = await operator.call("GET /operator/models");
    const params = { id: models.find(({ name }) => name === "big")?.id ?? "" };
    const past = { price: PRICE, price_from: new Date(Date.now() - 1_000).toISOString() };
    const refused = await operator.refused("PATCH /operator/models/{id}", { params, body: past });
    expect(refused).toMatchObject({ status: 400, error: { fields: [{ path: "price_from" }] } });
    const none = { price_from: new Date(Date.now() + 60_000).toISOString() };
    expect((await operator.refused("PATCH /operator/models/{id}", { params, body: none })).status).toBe(400);
  });
});
