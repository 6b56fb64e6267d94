import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Browser, type ConsoleRig, changeDatabase, startConsole } from "./console-rig.ts";
import { applyYaml, eventually, mustRun } from "./harness.ts";

let rig: ConsoleRig;
let holder: Browser;
let group = "";

beforeAll(async () => {
  rig = await startConsole({ WICKETGATE_DEMO: "on" });
  holder = await rig.invited("ann@example.org");
  group = (await holder.call("GET /groups")).groups[0]?.id ?? "";
});
afterAll(() => rig.dispose());

let keys = 0;
async function newKey(more: object = {}): Promise<{ id: string; string: string }> {
  keys += 1;
  const { key, string } = await holder.call("POST /keys", { body: { name: `key ${keys}`, group, ...more } });
  return { id: key.id, string };
}

type Form = { base_url?: string; key?: string; model?: string; style?: "openai" | "messages" };

async function check(form: Form) {
  changeDatabase(rig.dir, "delete from throttles");
  const body = { base_url: `${rig.root}/v1`, key: "", model: "demo", style: "openai", ...form } as const;
  const { steps } = await rig.browser().call("POST /check", { body });
  const failing = steps.filter(({ outcome }) => outcome === "failed");
  return {
    steps,
    failing,
    first: failing[0],
    outcome: (name: string) => steps.find(({ step }) => step === name)?.outcome,
  };
}

const STEPS = [
  "base_url",
  "key_whole",
  "key_known",
  "key_state",
  "account",
  "group",
  "model",
  "limits",
  "key_quota",
  "account_limits",
  "balance",
  "upstream",
];

describe("a connection that works", () => {
  test("passes every step, in the order in which it would fail", async () => {
    const { string } = await newKey();
    const { steps } = await check({ key: string });
    expect(steps.map(({ step }) => step) as string[]).toEqual(STEPS);
    expect(new Set(steps.map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
  });

  test("passes for messages-style clients at the root, with a slash at the end, and with a custom key", async () => {
    const custom = "team-7-Vq3zK9_tLw2-xR8mB5yH";
    await newKey({ custom_key: custom });
    const whole = await check({ key: custom, base_url: `${rig.root}/`, style: "messages" });
    expect(whole.failing).toEqual([]);
    const spaced = await check({ key: ` ${custom} `, base_url: ` ${rig.root}/v1/ ` });
    expect(spaced.failing).toEqual([]);
  });

  test("is looked at without a model too", async () => {
    const { string } = await newKey();
    const { failing, outcome, steps } = await check({ key: string, model: "" });
    expect(failing).toEqual([]);
    expect([outcome("model"), outcome("upstream")]).toEqual(["not_reached", "not_reached"]);
    expect(steps.find(({ step }) => step === "model")?.message).toContain("No model was entered");
  });
});

describe("a base URL", () => {
  test("that is wrong says how, and what to enter", async () => {
    const { string } = await newKey();
    const { root } = rig;
    const cases: [given: string, style: "openai" | "messages", says: string][] = [
      ["", "openai", "is empty"],
      [`"${root}/v1"`, "openai", "quotes"],
      [root, "openai", "no /v1 at its end"],
      [`${root}/`, "openai", "no /v1 at its end"],
      [`${root}/v1/v1`, "openai", "/v1 twice"],
      [`${root}/v1/chat/completions`, "openai", "clients add by themselves"],
      [`${root}/v1/responses/`, "openai", "clients add by themselves"],
      [`${root}/chat/completions`, "openai", "clients add by themselves"],
      [`${root}/v1/models`, "openai", "clients add by themselves"],
      [`${root}/V1`, "openai", "capital letters"],
      [`${root}/api`, "openai", "nothing is there"],
      [`${root}/v1?x=1`, "openai", "? or #"],
      [root.replace("http:", "https:"), "openai", "reached by http"],
      [root.replace("http://", ""), "openai", "does not begin with"],
      [`${root} /v1`, "openai", "space"],
      ["https://api.openai.com/v1", "openai", "another host"],
      [root.replace(/:\d+$/, ":1/v1"), "openai", "port 1"],
      [root.replace("http://", "http://me:secret@"), "openai", "user name"],
      ["ftp://127.0.0.1/v1", "openai", "ftp://"],
      [`${root}/v1`, "messages", "ends in /v1"],
      [`${root}/v1/messages`, "messages", "clients add by themselves"],
      [`${root}/messages`, "messages", "clients add by themselves"],
      [`${root}/v1/v1`, "messages", "/v1 twice"],
      ["https://api.anthropic.com", "messages", "another host"],
    ];
    for (const [base_url, style, says] of cases) {
      const { first, failing } = await check({ key: string, base_url, style });
      expect(`${base_url} → ${first?.message}`).toContain(says);
      expect({ base_url, step: first?.step, reason: first?.reason, cause: first?.cause }).toEqual({
        ...{ base_url, step: "base_url", reason: "wrong_base_url", cause: "wrong_base_url" },
      });
      expect({ base_url, enter: first?.enter }).toEqual({
        base_url,
        enter: style === "openai" ? `${root}/v1` : root,
      });
      expect(first?.remedy).toContain(first?.enter ?? "");
      // What is right behind it is told, too.
      expect(failing).toHaveLength(1);
    }
  });

  test("may name the machine as localhost", async () => {
    const { string } = await newKey();
    const { failing } = await check({
      key: string,
      base_url: `${rig.root.replace("127.0.0.1", "localhost")}/v1`,
    });
    expect(failing).toEqual([]);
  });
});

describe("a key", () => {
  test("that is not whole says what is wrong with it, and nothing behind it is reached", async () => {
    const { string } = await newKey();
    const cases: [key: string, reason: string][] = [
      ["", "key_missing"],
      [string.slice(0, -1), "key_malformed"],
      [`${string}x`, "key_malformed"],
      [`"${string}"`, "key_malformed"],
      [`Bearer ${string}`, "key_malformed"],
      [`${string.slice(0, 20)} ${string.slice(20)}`, "key_malformed"],
      [`sk-ant-api03-${"a".repeat(93)}AA`, "key_is_provider_key"],
    ];
    for (const [key, reason] of cases) {
      const { first, steps } = await check({ key });
      expect({ key, step: first?.step, reason: first?.reason, cause: first?.cause }).toEqual({
        ...{ key, step: "key_whole", reason, cause: "incomplete_key" },
      });
      const after = steps.slice(2).map(({ outcome }) => outcome);
      expect(new Set(after)).toEqual(new Set(["not_reached"]));
      // No answer repeats a key.
      if (key !== "") expect(JSON.stringify(steps)).not.toContain(key);
    }
  });

  test("that nobody has is not known, generated or chosen", async () => {
    const { id, string } = await newKey();
    changeDatabase(rig.dir, "update keys set hash = 'another' where id = ?", id);
    for (const key of [string, "nobody-has-Vq3zK9_tLw2-xR8mB5yH"]) {
      const { first, outcome } = await check({ key });
      expect(first).toMatchObject({ step: "key_known", reason: "key_unknown", cause: "incomplete_key" });
      expect(outcome("key_state")).toBe("not_reached");
    }
  });

  test("that is disabled, expired, deleted or replaced says so", async () => {
    const disabled = await newKey();
    await holder.call("POST /keys/{id}/disable", { params: { id: disabled.id } });
    const expired = await newKey({ expires_at: new Date(Date.now() + 86_400_000).toISOString() });
    changeDatabase(rig.dir, "update keys set expires_at_ms = 1 where id = ?", expired.id);
    const deleted = await newKey();
    await holder.call("DELETE /keys/{id}", { params: { id: deleted.id } });
    const replaced = await newKey();
    await holder.call("POST /keys/{id}/rotate", { params: { id: replaced.id }, body: { grace_seconds: 0 } });
    const cases = {
      key_disabled: disabled,
      key_expired: expired,
      key_deleted: deleted,
      key_replaced: replaced,
    };
    for (const [reason, { string }] of Object.entries(cases)) {
      const { first } = await check({ key: string });
      expect(first).toMatchObject({ step: "key_state", reason, cause: "key_state" });
      expect(first?.remedy).not.toBe("");
    }
    // A string that was replaced learns nothing of the key that goes on without it.
    const { steps } = await check({ key: replaced.string });
    expect(steps.slice(4).every(({ outcome }) => outcome === "not_reached")).toBe(true);
  });
});

describe("everything else in the way", () => {
  const failure = async (form: Form) => {
    const { first } = await check(form);
    return { step: first?.step as string, reason: first?.reason, cause: first?.cause };
  };

  test("is told by its step: model, quota, limits, balance, group, upstream, account", async () => {
    const { string, id } = await newKey({ quota_usd: "1", concurrency: 1 });
    const model = { step: "model", reason: "model_not_in_group", cause: "group_unavailable" };
    expect(await failure({ key: string, model: "no-such-model" })).toEqual(model);
    const spaced = await check({ key: string, model: " demo" });
    expect(spaced.first).toMatchObject({ ...model, enter: "demo" });

    changeDatabase(rig.dir, "update keys set spent = quota where id = ?", id);
    expect(await failure({ key: string })).toEqual({
      ...{ step: "key_quota", reason: "key_quota_exhausted", cause: "balance_or_quota" },
    });
    changeDatabase(rig.dir, "update keys set spent = 0, open = 1 where id = ?", id);
    expect(await failure({ key: string })).toEqual({
      ...{ step: "limits", reason: "concurrency_limited", cause: "limits" },
    });
    changeDatabase(rig.dir, "update keys set open = 0 where id = ?", id);
    const setAccount = (change: string) =>
      changeDatabase(rig.dir, `update accounts set ${change} where email = ?`, "ann@example.org");
    setAccount("balance = 0");
    expect(await failure({ key: string })).toEqual({
      ...{ step: "balance", reason: "balance_exhausted", cause: "balance_or_quota" },
    });
    setAccount("balance = 10000000000, spend_per_day = 0");
    expect(await failure({ key: string })).toEqual({
      ...{ step: "account_limits", reason: "account_limit_exhausted", cause: "balance_or_quota" },
    });
    setAccount("spend_per_day = null");
    expect((await check({ key: string })).failing).toEqual([]);
    changeDatabase(rig.dir, "update groups set enabled = 0 where id = ?", group);
    expect(await failure({ key: string })).toEqual({
      ...{ step: "group", reason: "group_disabled", cause: "group_unavailable" },
    });
    changeDatabase(rig.dir, "update groups set enabled = 1 where id = ?", group);
    await mustRun(rig.dir, ["account", "disable", "ann@example.org"]);
    expect(await failure({ key: string })).toEqual({
      ...{ step: "account", reason: "account_disabled", cause: "key_state" },
    });
    await mustRun(rig.dir, ["account", "enable", "ann@example.org"]);
  });

  test("is told of a model that no upstream serves, and of one without a price", async () => {
    await holder.signIn("ann@example.org");
    await applyYaml(
      rig.dir,
      "models:\n  - name: unserved\n    price: { input: 1, output: 1 }\n  - name: unpriced\ngroups:\n  - name: odd\n    multiplier: 1\n    models: [unserved, unpriced]\n",
    );
    const odd = await eventually(
      async () => (await holder.call("GET /groups")).groups.find(({ name }) => name === "odd") ?? null,
    );
    const { key, string } = await holder.call("POST /keys", { body: { name: "odd", group: odd?.id ?? "" } });
    expect(key.group.name).toBe("odd");
    expect(await failure({ key: string, model: "unserved" })).toEqual({
      ...{ step: "upstream", reason: "no_upstream", cause: "upstream" },
    });
    expect(await failure({ key: string, model: "unpriced" })).toMatchObject({ reason: "model_unpriced" });
  });
});

test("nothing of what was checked is logged or kept, and many checks are slowed down", async () => {
  const { string } = await newKey();
  const secret = `${string.slice(0, 50)}XYZ`;
  await check({ key: secret, base_url: "https://secret-host.example/v1" });
  expect(rig.gateway.log()).not.toContain(secret);
  expect(rig.gateway.log()).not.toContain("secret-host");
  const files = ["wicketgate.db", "wicketgate.db-wal"].map(name => Bun.file(`${rig.dir}/${name}`).bytes());
  for (const bytes of await Promise.all(files)) {
    expect(Buffer.from(bytes).includes(secret) || Buffer.from(bytes).includes("secret-host")).toBe(false);
  }
  const body = { base_url: rig.root, key: "", model: "", style: "messages" } as const;
  const statuses = await Promise.all(
    Array.from({ length: 70 }, async () => (await rig.browser().send("POST /check", { body })).status),
  );
  expect(statuses.filter(status => status === 200).length).toBeGreaterThanOrEqual(59);
  expect(statuses).toContain(429);
});
