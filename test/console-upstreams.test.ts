import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CANARY, list, listing } from "./cli-upstream-rig.ts";
import { DATABASES, type OperatorRig, startOperator } from "./console-operator-rig.ts";
import type { Browser } from "./console-rig.ts";
import { type MockUpstream, mockUpstream } from "./harness-upstream.ts";

/** An operator connects, changes, tries and removes upstreams through the console's API. */

const PRICE = {
  ...{ input: "1.25", output: "10", cache_read: "0.125", cache_write_5m: "1.25", cache_write_1h: "1.25" },
  request: "0",
  tiers: [],
};

for (const database of DATABASES) {
  describe(`upstreams on ${database}`, () => {
    let rig: OperatorRig;
    let op: Browser;
    let mock: MockUpstream;

    beforeAll(async () => {
      rig = await startOperator(database);
      op = rig.operator;
      mock = await mockUpstream(listing("alpha", "beta", "gpt-4o"));
    });
    afterAll(async () => {
      await rig.dispose();
      await mock.close();
    });

    const named = async (name: string) => {
      const { upstreams } = await op.call("GET /operator/upstreams");
      const found = upstreams.find(one => one.name === name);
      if (found === undefined) throw new Error(`there is no upstream ${name}`);
      return found;
    };
    const connect = (name: string, models: string[], more: object = {}) =>
      op.call("POST /operator/upstreams", {
        body: {
          ...{ name, kind: "openai-compatible", base_url: mock.baseUrl, api_key: CANARY },
          models: models.map(model => ({ model: `${name}-${model}`, upstream_model: model, price: PRICE })),
          ...more,
        },
      });
    const newest = async () => {
      const { entries } = await op.call("GET /operator/audit", { query: { limit: 1 } });
      return entries[0];
    };

    test("every preset says what it needs, and the demonstration is none of them", async () => {
      const { presets } = await op.call("GET /operator/presets");
      expect(presets.length).toBeGreaterThanOrEqual(23);
      expect(presets.map(({ kind }) => kind)).not.toContain("demo");
      const azure = presets.find(({ kind }) => kind === "azure-openai");
      expect(azure).toMatchObject({ base_url: null, needs_base_url: true, needs_key: true });
      expect(presets.find(({ kind }) => kind === "ollama")).toMatchObject({
        ...{ needs_base_url: false, needs_key: false, keys_url: null },
      });
    });

    test("looking lists its models with what is known of them, and saves nothing", async () => {
      const body = { kind: "openai-compatible", base_url: `${mock.baseUrl}/`, api_key: CANARY };
      const before = await op.call("GET /operator/upstreams");
      const looked = await op.call("POST /operator/upstreams/look", { body });
      expect(looked.problem).toBeNull();
      expect(looked.base_url).toBe(mock.baseUrl);
      expect(looked.models.map(({ model }) => model)).toEqual(["alpha", "beta", "gpt-4o"]);
      expect(looked.models.every(({ is_known }) => !is_known)).toBe(true);
      expect(mock.received.at(-1)?.headers.get("authorization")).toBe(`Bearer ${CANARY}`);
      expect(await op.call("GET /operator/upstreams")).toEqual(before);
    });

    test.each([
      ["a wrong key", 401, '{"error":{"message":"no such key"}}', /does not accept the key \(401/],
      ["a web page", 200, "<!doctype html><html></html>", /web page and not as an API/],
      ["an empty list", 200, '{"data":[]}', /lists no models: .*enter their names/],
    ])("%s is one sentence that says what to change", async (_, status, text, sentence) => {
      mock.script(exchange =>
        exchange.reply(status, text, text.startsWith("<") ? { "content-type": "text/html" } : {}),
      );
      const body = { kind: "openai-compatible", base_url: mock.baseUrl, api_key: CANARY };
      const looked = await op.call("POST /operator/upstreams/look", { body });
      expect(looked).toMatchObject({ models: [] });
      expect(looked.problem).toMatch(sentence);
      expect(looked.problem).not.toContain("--");
      expect(looked.problem).not.toContain(CANARY);
      const refused = await op.refused("POST /operator/upstreams", {
        body: { ...body, name: "half", models: [{ model: "alpha", upstream_model: "alpha" }] },
      });
      expect(refused.error.message).toEndWith("Nothing is saved.");
      await expect(named("half")).rejects.toThrow();
      mock.script(listing("alpha", "beta", "gpt-4o"));
    });

    test("an address with its endpoint, a kind that is none and a model that is not listed are said at the field", async () => {
      const refuse = async (body: object) => {
        const { status, error } = await op.refused("POST /operator/upstreams", {
          body: {
            ...{ name: "wrong", kind: "openai-compatible", base_url: mock.baseUrl, api_key: CANARY },
            models: [{ model: "alpha", upstream_model: "alpha" }],
            ...body,
          },
        });
        expect(status).toBe(400);
        return { path: error.fields?.[0]?.path, message: error.fields?.[0]?.message };
      };
      expect(await refuse({ base_url: `${mock.baseUrl}/chat/completions` })).toEqual({
        path: "base_url",
        message: `This must be the base address, to which the gateway adds /chat/completions by itself: write ${mock.baseUrl}.`,
      });
      expect((await refuse({ kind: "opena" })).path).toBe("kind");
      const unlisted = await refuse({ models: [{ model: "x", upstream_model: "gamma" }] });
      expect(unlisted).toMatchObject({
        path: "models",
        message: expect.stringContaining("does not list gamma"),
      });
      expect((await refuse({ kind: "openai", base_url: undefined, api_key: undefined })).path).toBe(
        "api_key",
      );
      const pair = { model: "same", upstream_model: "alpha" };
      expect((await refuse({ models: [pair, pair] })).path).toBe("models");
      expect((await refuse({ api_key: "two words" })).path).toBe("api_key");
      await expect(named("wrong")).rejects.toThrow();
      const { models } = await op.call("GET /operator/models");
      expect(models.map(({ name }) => name)).not.toContain("same");
    });

    test("connecting saves upstream, models and prices at once, and never tells the key", async () => {
      const made = await connect("first", ["alpha", "beta"], { cost_multiplier: "0.8", weight: 3 });
      expect(made).toMatchObject({
        ...{ name: "first", kind: "openai-compatible", base_url: mock.baseUrl, weight: 3 },
        ...{ is_paused: false, cost_multiplier: "0.8", max_concurrency: null, running: 0, resting: [] },
        models: [
          { model: "first-alpha", upstream_model: "alpha" },
          { model: "first-beta", upstream_model: "beta" },
        ],
      });
      expect(made.credentials).toHaveLength(1);
      expect(made.credentials[0]).toMatchObject({ label: "…ghij", state: "ok", why: null });
      expect(JSON.stringify(await op.call("GET /operator/upstreams"))).not.toContain(CANARY);
      const { models } = await op.call("GET /operator/models");
      expect(models.find(({ name }) => name === "first-alpha")?.price).toEqual(PRICE);
      const again = await op.refused("POST /operator/upstreams", {
        body: {
          ...{ name: "first", kind: "openai-compatible", base_url: mock.baseUrl },
          models: [{ model: "alpha", upstream_model: "alpha" }],
        },
      });
      expect(again.error.fields?.[0]?.path).toBe("name");
    });

    test("a model that is known keeps its price", async () => {
      const other = { ...PRICE, input: "99" };
      await op.call("POST /operator/upstreams", {
        body: {
          ...{
            name: "second",
            kind: "openai-compatible",
            base_url: mock.baseUrl,
            api_key: CANARY,
            priority: 5,
          },
          models: [{ model: "first-alpha", upstream_model: "beta", price: other }],
        },
      });
      const { models } = await op.call("GET /operator/models");
      const known = models.find(({ name }) => name === "first-alpha");
      expect(known?.price).toEqual(PRICE);
      expect(known?.upstreams.map(({ name }) => name)).toEqual(["first", "second"]);
    });

    test("without the check nobody outside is asked", async () => {
      const { length } = mock.received;
      await connect("unchecked", ["not-listed"], { check: false });
      expect(mock.received).toHaveLength(length);
    });

    test("a test call tells latency and answer, and of a key that is refused which", async () => {
      const { id } = await named("first");
      const good = await op.call("POST /operator/upstreams/{id}/test", { params: { id }, body: {} });
      expect(good).toMatchObject({
        ...{ ok: true, model: "first-alpha", status: 200, answer: "ready indeed", problem: null },
      });
      mock.script(exchange => exchange.reply(403, '{"error":"not yours"}'));
      const bad = await op.call("POST /operator/upstreams/{id}/test", {
        ...{ params: { id }, body: { model: "first-beta" } },
      });
      expect(bad).toMatchObject({ ok: false, model: "first-beta", status: 403, answer: null });
      expect(bad.problem).toContain("does not accept the key");
      mock.script(listing("alpha", "beta", "gpt-4o"));
      const refused = await op.refused("POST /operator/upstreams/{id}/test", {
        ...{ params: { id }, body: { model: "none" } },
      });
      expect(refused.error.fields?.[0]?.path).toBe("model");
    });

    test("one that is connected is asked for its models with the key it has, which is told to nobody", async () => {
      const { id } = await named("first");
      const { length } = mock.received;
      const looked = await op.call("POST /operator/upstreams/{id}/look", { params: { id }, body: {} });
      expect(looked).toMatchObject({ base_url: mock.baseUrl, problem: null });
      expect(looked.models.map(({ model }) => model)).toEqual(["alpha", "beta", "gpt-4o"]);
      expect(JSON.stringify(looked)).not.toContain(CANARY);
      expect(mock.received.slice(length).map(({ headers }) => headers.get("authorization"))).toContain(
        `Bearer ${CANARY}`,
      );
      mock.script(exchange => exchange.reply(401, "{}"));
      const refused = await op.call("POST /operator/upstreams/{id}/look", { params: { id }, body: {} });
      expect(refused.models).toEqual([]);
      expect(refused.problem).toContain("does not accept the key");
      mock.script(listing("alpha", "beta", "gpt-4o"));
    });

    test("a change says in the audit what was and what is; none is written for no change", async () => {
      const { id } = await named("second");
      const change = { name: "spare", max_concurrency: 7, probe_minutes: 30, is_paused: true };
      const made = await op.call("PATCH /operator/upstreams/{id}", { params: { id }, body: change });
      expect(made).toMatchObject({ ...change, id });
      const entry = await newest();
      expect(entry).toMatchObject({ noun: "upstream", name: "spare", action: "update", through: "console" });
      expect(entry?.fields.map(({ field, before, after }) => [field, before, after])).toEqual([
        ["name", "second", "spare"],
        ["max_concurrency", "", "7"],
        ["probe", "", "30"],
        ["paused", "false", "true"],
      ]);
      await op.call("PATCH /operator/upstreams/{id}", { params: { id }, body: { is_paused: true } });
      expect((await newest())?.number).toBe(entry?.number);
      const none = { max_concurrency: null, probe_minutes: null, is_paused: false };
      expect(await op.call("PATCH /operator/upstreams/{id}", { params: { id }, body: none })).toMatchObject(
        none,
      );
      const taken = await op.refused("PATCH /operator/upstreams/{id}", {
        params: { id },
        body: { name: "first" },
      });
      expect(taken).toMatchObject({ status: 409, error: { fields: [{ path: "name" }] } });
    });

    test("at another address its keys are not sent: the key is asked for again", async () => {
      const { id, credentials } = await named("spare");
      const moved = mock.baseUrl.replace("127.0.0.1", "localhost");
      const refused = await op.refused("PATCH /operator/upstreams/{id}", {
        ...{ params: { id }, body: { base_url: moved } },
      });
      expect(refused).toMatchObject({ status: 409, error: { fields: [{ path: "api_key" }] } });
      expect((await named("spare")).base_url).toBe(mock.baseUrl);
      const made = await op.call("PATCH /operator/upstreams/{id}", {
        ...{ params: { id }, body: { base_url: moved, api_key: CANARY } },
      });
      expect(made.base_url).toBe(moved);
      expect(made.credentials).toHaveLength(1);
      expect(made.credentials[0]?.id).not.toBe(credentials[0]?.id);
      expect(JSON.stringify(await newest())).not.toContain(CANARY);
    });

    test("keys are added and removed one by one, and the same one is not taken twice", async () => {
      const { id } = await named("first");
      const other = "sk-another-key-of-thirty-chars";
      const add = { params: { id }, body: { api_key: other } };
      const made = await op.call("POST /operator/upstreams/{id}/credentials", add);
      expect(made.credentials.map(({ label }) => label)).toEqual(["…ghij", "…hars"]);
      expect((await op.refused("POST /operator/upstreams/{id}/credentials", add)).status).toBe(409);
      expect(await newest()).toMatchObject({ noun: "credential", action: "create" });
      const [, second] = made.credentials;
      const remove = { params: { id, credential: second?.id ?? "" } };
      const left = await op.call("DELETE /operator/upstreams/{id}/credentials/{credential}", remove);
      expect(left.credentials.map(({ label }) => label)).toEqual(["…ghij"]);
      expect(
        (await op.refused("DELETE /operator/upstreams/{id}/credentials/{credential}", remove)).status,
      ).toBe(404);
    });

    test("an order sets priorities, those in one list share one, and who is not named comes after", async () => {
      const id = async (name: string) => (await named(name)).id;
      const ids = [await id("unchecked"), [await id("first"), await id("spare")]];
      await op.call("POST /operator/upstreams/order", { body: { ids } });
      const { upstreams } = await op.call("GET /operator/upstreams");
      expect(upstreams.map(({ name, priority }) => [name, priority])).toEqual([
        ["unchecked", 0],
        ["first", 1],
        ["spare", 1],
        ["own demo", 2],
      ]);
      const nobody = await op.refused("POST /operator/upstreams/order", { body: { ids: ["ups_none"] } });
      expect(nobody.status).toBe(404);
      const twice = [await id("first"), await id("first")];
      expect((await op.refused("POST /operator/upstreams/order", { body: { ids: twice } })).status).toBe(400);
    });

    test("what happened to it is told: a refused key, its errors, and its hours; a reset forgets it", async () => {
      const { id } = await named("first");
      const { groups } = await op.call("GET /groups");
      const group = groups.find(({ name }) => name === "all")?.id ?? "";
      await op.call("PATCH /operator/groups/{id}", { params: { id: group }, body: { models: ["*"] } });
      const holder = await rig.invited("history@example.org");
      const { string } = await holder.call("POST /keys", { body: { name: "k", group } });
      const ask = (model: string) =>
        fetch(`${rig.root}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${string}`, "content-type": "application/json" },
          body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hello!" }] }),
        });
      await Bun.sleep(400);
      expect(await (await ask("first-beta")).text()).toContain("ready");
      mock.script(exchange => exchange.reply(401, '{"error":"expired"}'));
      expect((await ask("first-beta")).status).toBeGreaterThanOrEqual(500);
      mock.script(listing("alpha", "beta"));
      await until(async () => (await named("first")).credentials[0]?.state === "rejected");
      // What was streamed without a usage is counted before it is settled.
      await until(async () => (await named("first")).health.requests === 2);
      const history = await op.call("GET /operator/upstreams/{id}/history", { params: { id } });
      expect(history.events[0]).toMatchObject({ what: "rejected", model: null });
      expect(history.errors[0]).toMatchObject({ model: "first-beta" });
      expect(history.hours.length).toBeGreaterThanOrEqual(24);
      expect(history.hours.at(-1)).toMatchObject({ requests: 2, failed: 1 });
      const { health } = await named("first");
      expect(health).toMatchObject({ requests: 2, success_rate: 0.5 });
      // The one that was answered has a time; of one, all are within it.
      expect(health.first_byte_p95_ms).toBe(health.first_byte_ms);
      const { last_error: last } = await named("first");
      expect(last).toMatchObject({ model: "first-beta", why: history.errors[0]?.why });
      expect((await named("unchecked")).last_error).toBeNull();
      await op.call("POST /operator/upstreams/{id}/reset", { params: { id }, body: {} });
      await until(async () => (await named("first")).credentials[0]?.state === "ok");
      expect(await newest()).toMatchObject({ noun: "upstream", name: "first", action: "reset" });
    });

    test("a paused upstream is asked nothing, and is asked again when it is resumed", async () => {
      const { id } = await named("first");
      const holder = rig.browser();
      await holder.signIn("history@example.org");
      const served = async () => {
        const { models } = await holder.call("GET /models");
        return models.find(({ name }) => name === "first-beta")?.is_served;
      };
      await op.call("PATCH /operator/upstreams/{id}", { params: { id }, body: { is_paused: true } });
      await until(async () => (await served()) === false);
      await op.call("PATCH /operator/upstreams/{id}", { params: { id }, body: { is_paused: false } });
      await until(async () => (await served()) === true);
    });

    test("a new address or key needs a recent sign-in, other changes do not", async () => {
      const { id } = await named("first");
      await rig.change("update sessions set proved_at_ms = proved_at_ms - 1000000");
      for (const body of [{ base_url: mock.baseUrl }, { api_key: CANARY }]) {
        const { error } = await op.refused("PATCH /operator/upstreams/{id}", { params: { id }, body });
        expect(error.code).toBe("recent_sign_in_needed");
      }
      await op.call("PATCH /operator/upstreams/{id}", { params: { id }, body: { weight: 4 } });
      await rig.change("update sessions set proved_at_ms = proved_at_ms + 1000000");
    });

    test("removing one tells which models nobody serves any more", async () => {
      const { id } = await named("first");
      const removed = await op.call("DELETE /operator/upstreams/{id}", { params: { id } });
      expect(removed.unserved_models).toEqual(["first-beta"]);
      await expect(named("first")).rejects.toThrow();
      expect((await op.refused("DELETE /operator/upstreams/{id}", { params: { id } })).status).toBe(404);
      expect(await newest()).toMatchObject({ noun: "upstream", name: "first", action: "remove" });
    });

    test("a provider that lists five thousand models is listed whole", async () => {
      const names = Array.from({ length: 5_000 }, (_, at) => `model-${at}`);
      mock.script(exchange => exchange.reply(200, list(...names)));
      const body = { kind: "openai-compatible", base_url: mock.baseUrl, api_key: CANARY };
      const looked = await op.call("POST /operator/upstreams/look", { body });
      expect(looked.models).toHaveLength(5_000);
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
