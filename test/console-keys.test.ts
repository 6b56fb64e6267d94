import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { groupId, startKeys } from "./console-keys-rig.ts";
import type { Browser, ConsoleRig } from "./console-rig.ts";
import { mustRun, verifyClean } from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";

let rig: ConsoleRig;
let ann: Browser;
let bob: Browser;
let all: string;
beforeAll(async () => {
  rig = await startKeys();
  ann = await rig.invited("ann@example.org");
  bob = await rig.invited("bob@example.org");
  all = await groupId(rig, "all");
});
afterAll(async () => {
  await verifyClean(rig.dir);
  await rig.dispose();
});

let count = 0;
const make = (more: object = {}) => {
  count += 1;
  return ann.call("POST /keys", { body: { name: `key ${count}`, group: all, ...more } });
};
const ask = (key: string) => chat(rig.gateway.base, { key, body: chatBody("gpt-5", { max_tokens: 100 }) });
const reasonOf = async (key: string) => (await ask(key)).error?.reason ?? "answered";

describe("a key made in the console", () => {
  test("answers at once, shows its string in that answer alone, and tells who used it last", async () => {
    const { key, string } = await make({ name: "laptop", quota_usd: "2.50", concurrency: 4 });
    expect(string).toMatch(/^wgk_[A-Za-z0-9]{49}$/);
    expect(key).toMatchObject({
      ...{ name: "laptop", state: "active", quota_usd: "2.50", spent_usd: "0.00", running: 0 },
      ...{ last_used: null, can_import: true, old_string_until: null, expires_at: null },
      group: { id: all, name: "all", enabled: true, multiplier: "0.6", billing: "balance" },
      limits: { concurrency: 4, requests_per_minute: null, spend_per_day_usd: null },
    });
    expect((await ask(string)).status).toBe(200);
    const { keys } = await ann.call("GET /keys");
    const seen = keys.find(({ id }) => id === key.id);
    expect(seen?.last_used).toMatchObject({ tool: expect.stringContaining("Bun/"), address: "127.0.0.1" });
    const listed = await (await ann.send("GET /keys")).text();
    expect(listed).not.toContain(string);
    expect(listed).not.toContain(string.slice(8, -4));
    expect(rig.gateway.log()).not.toContain(string.slice(8, -4));
  });

  test("is changed, disabled, enabled and deleted, each in force on the next request", async () => {
    const { key, string } = await make();
    const params = { id: key.id };
    const changed = await ann.call("PATCH /keys/{id}", {
      params,
      body: { name: "renamed", requests_per_minute: 50, quota_usd: "1" },
    });
    expect(changed).toMatchObject({
      name: "renamed",
      quota_usd: "1.00",
      limits: { requests_per_minute: 50 },
    });
    const cleared = await ann.call("PATCH /keys/{id}", { params, body: { quota_usd: null } });
    expect(cleared).toMatchObject({ name: "renamed", quota_usd: null, limits: { requests_per_minute: 50 } });
    expect((await ann.call("POST /keys/{id}/disable", { params, body: {} })).state).toBe("disabled");
    expect(await reasonOf(string)).toBe("key_disabled");
    expect((await ann.call("POST /keys/{id}/enable", { params, body: {} })).state).toBe("active");
    expect(await reasonOf(string)).toBe("answered");
    await ann.call("DELETE /keys/{id}", { params });
    expect(await reasonOf(string)).toBe("key_deleted");
    expect(await ann.call("GET /keys/{id}", { params })).toMatchObject({
      state: "deleted",
      can_import: false,
    });
    const again = await ann.refused("POST /keys/{id}/enable", { params, body: {} });
    expect(again).toMatchObject({ status: 409, error: { code: "conflict" } });
    await ann.call("DELETE /keys/{id}", { params });
  });

  test("has a live name once, and the name of a deleted key is free", async () => {
    const { key } = await make({ name: "only one" });
    const twice = await ann.refused("POST /keys", { body: { name: "  only one ", group: all } });
    expect(twice).toMatchObject({ status: 409, error: { code: "conflict", fields: [{ path: "name" }] } });
    const other = await make();
    const renamed = await ann.refused("PATCH /keys/{id}", {
      params: { id: other.key.id },
      body: { name: "only one" },
    });
    expect(renamed.error.fields?.[0]?.path).toBe("name");
    expect((await bob.call("POST /keys", { body: { name: "only one", group: all } })).key.name).toBe(
      "only one",
    );
    await ann.call("DELETE /keys/{id}", { params: { id: key.id } });
    expect((await make({ name: "only one" })).key.name).toBe("only one");
  });

  test("is made once by a double click", async () => {
    const body = { name: "clicked twice", group: all };
    const answers = await Promise.all([ann.send("POST /keys", { body }), ann.send("POST /keys", { body })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe("a name", () => {
  test.each([
    ["markup", `<img src=x onerror="alert(1)">`],
    ["emoji", "👩‍👩‍👧‍👦🇨🇭".repeat(25)],
    ["right to left", "مفتاح الحاسوب المحمول"],
    ["Chinese", "笔记本电脑"],
    ["a quotation", `o'brien "the key" \\ \${x} {{key}}`],
  ])("with %s is kept exactly", async (_, name) => {
    const { key } = await make({ name });
    expect(key.name).toBe(name);
    expect((await ann.call("GET /keys/{id}", { params: { id: key.id } })).name).toBe(name);
  });

  test.each([
    ["of 10,000 characters", "x".repeat(10_000)],
    ["of 101 characters that people see", "é".normalize("NFD").repeat(101)],
    ["that is empty", "   "],
    ["that nobody sees", "\u200b\u200d"],
    ["with a line break", "a\nb"],
    ["with a nul", "a\u0000b"],
    ["that turns the text around it", "abc\u202Egpj.exe"],
    ["that opens an isolate", "abc\u2066def"],
    ["with half a character", "a\ud800b"],
  ])("%s is refused with a sentence at the field", async (_, name) => {
    const { status, error } = await ann.refused("POST /keys", { body: { name, group: all } });
    expect({ status, code: error.code, path: error.fields?.[0]?.path }).toEqual({
      ...{ status: 400, code: "invalid", path: "name" },
    });
    expect(error.message).toMatch(/^[A-Z].*\.$/);
  });

  test("is told apart by what it says and not by how it is written", async () => {
    await make({ name: "café".normalize("NFC") });
    const same = await ann.refused("POST /keys", { body: { name: "café".normalize("NFD"), group: all } });
    expect(same.error.fields?.[0]?.path).toBe("name");
  });
});

describe("what is entered", () => {
  test.each([
    ["an expiry that has passed", { expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    ["a spend limit of nothing", { spend_per_day_usd: "0" }, "spend_per_day_usd"],
    ["an amount that is none", { quota_usd: "1e3" }, "quota_usd"],
    ["a group that is not there", { group: "grp_none" }, "group"],
    ["a weak key of one's own", { custom_key: "password-password-password" }, "custom_key"],
    ["a key like a provider's", { custom_key: `sk-ant-api03-${"a1B2".repeat(20)}` }, "custom_key"],
  ])("as %s is refused at its field", async (_, more, path) => {
    const given = { name: `refused ${path} ${count++}`, group: all, ...more };
    const { status, error } = await ann.refused("POST /keys", { body: given });
    expect({ status, path: error.fields?.[0]?.path }).toEqual({ status: 400, path });
  });

  test("with an unknown field is refused", async () => {
    const body = { name: "x", group: all, role: "operator" } as { name: string; group: string };
    expect((await ann.refused("POST /keys", { body })).status).toBe(400);
  });

  test("as a custom key works as one, and nobody gets it a second time", async () => {
    const custom_key = "kV7pQ2xZ9mT4wB8nR3jL6cY1-hG5sD0fA";
    const { string, key } = await make({ custom_key });
    expect(string).toBe(custom_key);
    expect(await reasonOf(custom_key)).toBe("answered");
    const taken = await bob.refused("POST /keys", { body: { name: "mine", group: all, custom_key } });
    expect(taken).toMatchObject({ status: 409, error: { fields: [{ path: "custom_key" }] } });
    await ann.call("POST /keys/{id}/rotate", { params: { id: key.id }, body: { grace_seconds: 0 } });
    await ann.call("DELETE /keys/{id}", { params: { id: key.id } });
    const still = await bob.refused("POST /keys", { body: { name: "mine", group: all, custom_key } });
    expect(still.error.fields?.[0]?.path).toBe("custom_key");
  });
});

describe("another account's key", () => {
  test("is told in every way as one that does not exist", async () => {
    const { key, string } = await make();
    const calls = [
      (id: string) => bob.refused("GET /keys/{id}", { params: { id } }),
      (id: string) => bob.refused("PATCH /keys/{id}", { params: { id }, body: { name: "stolen" } }),
      (id: string) => bob.refused("POST /keys/{id}/disable", { params: { id }, body: {} }),
      (id: string) => bob.refused("POST /keys/{id}/enable", { params: { id }, body: {} }),
      (id: string) => bob.refused("POST /keys/{id}/rotate", { params: { id }, body: { grace_seconds: 0 } }),
      (id: string) => bob.refused("DELETE /keys/{id}", { params: { id } }),
      (id: string) => bob.refused("GET /keys/{id}/setup", { params: { id } }),
      (id: string) => bob.refused("POST /keys/{id}/imports", { params: { id }, body: { string } }),
    ];
    const unknown = "key_0000000000abcdefghjkmnpqrs";
    for (const call of calls) {
      const { status, error } = await call(key.id);
      expect({ status, code: error.code }).toEqual({ status: 404, code: "not_found" });
      for (const other of [unknown, "key_", "../x", "key_\u0000"]) {
        expect((await call(other)).error.message).toBe(error.message);
      }
    }
    expect(await reasonOf(string)).toBe("answered");
    expect((await bob.call("GET /keys")).keys.map(({ id }) => id)).not.toContain(key.id);
  });
});

describe("rotation", () => {
  const rotate = (id: string, grace_seconds: number) =>
    ann.call("POST /keys/{id}/rotate", { params: { id }, body: { grace_seconds } });
  const describeKey = (key: string) =>
    fetch(`${rig.gateway.base}/key`, { headers: { authorization: `Bearer ${key}` } });

  test("without a grace: the new string works, the old one is refused and tells nothing of the key", async () => {
    const { key, string } = await make();
    expect(await reasonOf(string)).toBe("answered");
    const rotated = await rotate(key.id, 0);
    expect(rotated.key).toMatchObject({ id: key.id, name: key.name, old_string_until: null });
    expect(rotated.string).not.toBe(string);
    expect(await reasonOf(rotated.string)).toBe("answered");
    const refused = await ask(string);
    expect(refused).toMatchObject({ status: 401, error: { reason: "key_replaced", cause: "key_state" } });
    expect(refused.error?.message).toContain(key.name);
    const described = await describeKey(string);
    expect(described.status).toBe(401);
    const told = await described.text();
    expect(told).toContain("key_replaced");
    expect(told).not.toContain("balance");
    const models = await fetch(`${rig.gateway.base}/models`, { headers: { "x-api-key": string } });
    expect(models.status).toBe(401);
  });

  test("with a grace: both work, GET /v1/key too, until it ends by the clock", async () => {
    const { key, string } = await make();
    const rotated = await rotate(key.id, 5);
    expect(Date.parse(rotated.key.old_string_until ?? "")).toBeGreaterThan(Date.now());
    expect([await reasonOf(string), await reasonOf(rotated.string)]).toEqual(["answered", "answered"]);
    expect(await (await describeKey(string)).json()).toMatchObject({ id: key.id, state: "active" });
    await Bun.sleep(Date.parse(rotated.key.old_string_until ?? "") - Date.now() + 1);
    expect([await reasonOf(string), await reasonOf(rotated.string)]).toEqual(["key_replaced", "answered"]);
    const { old_string_until } = await ann.call("GET /keys/{id}", { params: { id: key.id } });
    expect(old_string_until).toBe(null);
  });

  test("a client that sends the dead string beside the live one is served", async () => {
    const { key, string } = await make();
    const rotated = await rotate(key.id, 0);
    const body = chatBody("gpt-5", { max_tokens: 100 });
    const headers = { "x-api-key": rotated.string };
    expect((await chat(rig.gateway.base, { key: string, body, headers })).status).toBe(200);
  });

  test("disable and delete stop both strings", async () => {
    const { key, string } = await make();
    const rotated = await rotate(key.id, 3600);
    const params = { id: key.id };
    await ann.call("POST /keys/{id}/disable", { params, body: {} });
    const both = async () => [await reasonOf(string), await reasonOf(rotated.string)];
    expect(await both()).toEqual(["key_disabled", "key_disabled"]);
    await ann.call("DELETE /keys/{id}", { params });
    expect(await both()).toEqual(["key_deleted", "key_deleted"]);
    const gone = await ann.refused("POST /keys/{id}/rotate", { params, body: { grace_seconds: 0 } });
    expect(gone.status).toBe(409);
  });

  test("by the command line does the same", async () => {
    const { key, string } = await make();
    const told = await mustRun(rig.dir, ["key", "rotate", key.id, "--json"]);
    const rotated = JSON.parse(told) as { id: string; key: string };
    expect([await reasonOf(string), await reasonOf(rotated.key)]).toEqual(["key_replaced", "answered"]);
    const spoken = await mustRun(rig.dir, ["key", "rotate", key.id, "--grace", "1h"]);
    expect(spoken).toContain("works until");
    expect(await reasonOf(rotated.key)).toBe("answered");
  });

  test("asks for a recent sign-in", async () => {
    const { key } = await make();
    const cas = await rig.invited("cas@example.org");
    rig.letProofsAge();
    const params = { id: key.id };
    const aged = await ann.refused("POST /keys/{id}/rotate", { params, body: { grace_seconds: 0 } });
    expect(aged).toMatchObject({ status: 403, error: { code: "recent_sign_in_needed" } });
    expect((await cas.refused("GET /keys/{id}", { params })).status).toBe(404);
    await ann.signIn("ann@example.org");
    await rig.operator.signIn("operator@example.org");
  });
});
