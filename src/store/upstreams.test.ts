import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ApplySpec, ModelSpec, UpstreamSpec } from "./apply.ts";
import { tester } from "./audit-test-rig.ts";
import { Bank, newId, time } from "./bank.case.ts";
import { readCatalogue, revision } from "./catalogue.ts";
import type { CredentialSpec } from "./credentials.ts";
import { databases } from "./databases.case.ts";
import { StoreProblem } from "./store.ts";
import { addUpstream, listUpstreams, removeUpstream } from "./upstreams.ts";

function credential(name: string): CredentialSpec {
  const sealed = Buffer.from(`sealed for ${name}`);
  return { id: newId("crd"), sealed, mark: `mark of ${name}`, preview: `…${name}` };
}

function upstream(name: string, models: readonly string[]): UpstreamSpec {
  return {
    ...{ id: newId("ups"), name, kind: "openai-compatible", baseUrl: "https://models.example.org/v1" },
    ...{ speaks: ["chat"], priority: 0, weight: 1, models: models.map(model => [model, model] as const) },
    credentials: [credential(name)],
    ...{ concurrencyMax: null, probeMinutes: null, isPaused: null, cost: null },
  };
}

function model(name: string, inputPicos: bigint | null): ModelSpec {
  const rest = { cacheReadPicos: 1n, cacheWrite5mPicos: 2n, cacheWrite1hPicos: 3n, outputPicos: 4n };
  const price =
    inputPicos === null ? null : { id: newId("prc"), inputPicos, ...rest, requestPicos: 0n, tiers: [] };
  return { id: newId("mdl"), name, contextTokens: 1_000, outputTokensMax: null, price };
}

const by = tester(time.nowMs);

function spec(upstreams: UpstreamSpec[], models: ModelSpec[]): ApplySpec {
  const none = { groups: [], plans: [], accounts: [], keys: [] };
  return { upstreams, models, ...none, by, dryRun: false };
}

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    bank = await new Bank(await openBooks()).open();
  });
  afterEach(() => bank.books.close());

  const job = <T>(work: Parameters<typeof bank.books.job<T>>[0]) => bank.books.job(work);
  const add = (...given: Parameters<typeof spec>) => job(tx => addUpstream(tx, spec(...given)));

  test("an upstream comes with its models, and those that are known stay as they are", async () => {
    const before = await job(revision);
    const first = await add([upstream("one", ["a", "b"])], [model("a", 5n), model("b", null)]);
    expect(first).toEqual({ newModels: ["a", "b"] });
    expect(await job(revision)).toBeGreaterThan(before);
    const second = await add([upstream("two", ["a", "c"])], [model("a", 99n), model("c", 7n)]);
    expect(second).toEqual({ newModels: ["c"] });
    const { models, upstreams } = await job(readCatalogue);
    const prices = ["a", "b", "c"].map(name => models.get(name)?.price?.inputPicos ?? null);
    expect(prices).toEqual([5n, null, 7n]);
    expect(models.get("a")?.price).toMatchObject({
      cacheWrite5mPicos: 2n,
      cacheWrite1hPicos: 3n,
      outputPicos: 4n,
    });
    expect(upstreams.map(({ name }) => name)).toContain("two");
  });

  test("a name that is taken is refused whole", async () => {
    await add([upstream("one", ["a"])], [model("a", 5n)]);
    const again = add([upstream("one", ["z"])], [model("z", 5n)]);
    expect(await again.catch(error => error)).toBeInstanceOf(StoreProblem);
    expect((await job(readCatalogue)).models.has("z")).toBe(false);
  });

  test("the list tells that there is a credential, and not which", async () => {
    await add([upstream("one", ["a"]), { ...upstream("two", ["a"]), credentials: null }], []);
    const listed = (await job(listUpstreams)).filter(({ name }) => ["one", "two"].includes(name));
    expect(listed.map(({ name, credentials }) => [name, credentials.map(({ preview }) => preview)])).toEqual([
      ["one", ["…one"]],
      ["two", []],
    ]);
    for (const { credentials } of listed) {
      for (const one of credentials) expect(Object.keys(one)).toEqual(["id", "preview", "createdAtMs"]);
    }
  });

  test("a removed one is gone with its credential, and its orphans are named", async () => {
    await add([upstream("one", ["a", "b"]), upstream("two", ["b"])], []);
    const before = await job(revision);
    expect(await job(tx => removeUpstream(tx, { name: "one", by }))).toEqual({
      name: "one",
      unservedModels: ["a"],
    });
    expect(await job(revision)).toBeGreaterThan(before);
    expect(await bank.rows("select mark from credentials")).toEqual([{ mark: "mark of two" }]);
    const again = job(tx => removeUpstream(tx, { name: "one", by }));
    expect(await again.catch(error => error)).toBeInstanceOf(StoreProblem);
  });
});
