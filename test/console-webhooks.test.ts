import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NOTICE_EVENTS } from "../src/domain/notice.ts";
import { DATABASES, type OperatorRig, startOperator } from "./console-operator-rig.ts";
import { OPERATOR } from "./console-rig.ts";
import { eventually, mustRun, startGateway } from "./harness.ts";
import { type Hook, startHook } from "./webhook-hook.ts";

/** Webhooks from the console to a receiver, over the real server. */

const ALL = [...NOTICE_EVENTS];
const ENV = { WICKETGATE_PRIVATE_UPSTREAMS: "127.0.0.1" };

describe.each(DATABASES)("on %s,", database => {
  let rig: OperatorRig;
  let hook: Hook;
  let id: string;
  beforeAll(async () => {
    rig = await startOperator(database, ENV);
    hook = startHook();
    const body = { name: "ours", url: hook.url, events: ALL };
    const made = await rig.operator.call("POST /operator/webhooks", { body });
    expect(made.webhook).toMatchObject({ name: "ours", url: hook.url, events: ALL, enabled: true });
    expect(made.webhook).toMatchObject({ failing_since: null, last_delivery: null });
    hook.secret = made.secret;
    id = made.webhook.id;
  });
  afterAll(async () => {
    hook.close();
    await rig.dispose();
  });

  const list = async () => (await rig.operator.call("GET /operator/webhooks")).webhooks;
  const deliveries = async (state?: "waiting" | "delivered" | "given_up") => {
    const query = { limit: 200, ...(state === undefined ? {} : { state }) };
    return (await rig.operator.call("GET /operator/webhooks/{id}/deliveries", { params: { id }, query }))
      .deliveries;
  };
  const groupOf = async () => {
    const { groups } = await rig.operator.call("GET /groups");
    return groups.find(({ name }) => name === "all")?.id ?? "";
  };

  test("a key that is made and deleted in the console arrives, signed, without its string, once", async () => {
    const body = { name: "laptop", group: await groupOf() };
    const made = await rig.operator.call("POST /keys", { body });
    await rig.operator.call("DELETE /keys/{id}", { params: { id: made.key.id } });
    await eventually(() => hook.of("key.deleted").length > 0);
    const [created, deleted] = [hook.of("key.created"), hook.of("key.deleted")];
    expect(created).toHaveLength(1);
    expect(deleted).toHaveLength(1);
    expect(created[0]).toMatchObject({ isSigned: true, data: { key: { id: made.key.id, name: "laptop" } } });
    expect(created[0]?.data).toMatchObject({
      account: { email: OPERATOR },
      by: OPERATOR,
      through: "console",
    });
    expect(deleted[0]?.isSigned).toBe(true);
    expect(created[0]?.text).not.toContain(made.string);
    const rows = await eventually(async () => {
      const found = await deliveries("delivered");
      return found.length >= 2 && found;
    });
    expect(rows?.map(({ event, status, tries }) => [event, status, tries])).toEqual([
      ["key.deleted", 200, 1],
      ["key.created", 200, 1],
    ]);
    expect(rows?.map(one => [one.id, one.body])).toEqual(
      [deleted[0], created[0]].map(one => [one?.id ?? "", one?.text ?? ""]),
    );
    expect((await list())[0]?.last_delivery).toMatchObject({ state: "delivered", status: 200 });
  });

  test("one that the command line makes arrives the same way", async () => {
    const before = hook.of("key.created").length;
    await mustRun(rig.dir, ["key", "create", "--account", OPERATOR, "--name", "by hand", "--group", "all"]);
    await eventually(() => hook.of("key.created").length > before);
    expect(hook.of("key.created").at(-1)).toMatchObject({
      isSigned: true,
      data: { key: { name: "by hand" }, by: "command line", through: "command line" },
    });
  });

  test("an operator whose account another one changes is told of", async () => {
    await rig.invited("second@example.org", { role: "operator" });
    const params = { id: await rig.idOf("second@example.org") };
    await rig.operator.call("POST /operator/accounts/{id}/reset", { params });
    await eventually(() => hook.of("operator.changed").length > 0);
    const [told] = hook.of("operator.changed");
    expect(told).toMatchObject({ isSigned: true, data: { action: "make reset link", by: OPERATOR } });
    expect(told?.data).toMatchObject({ operator: { email: "second@example.org" } });
  });

  test("an account that has run low is told of once", async () => {
    await rig.invited("poor@example.org", { balance_usd: "5" });
    const params = { id: await rig.idOf("poor@example.org") };
    const body = { amount_usd: "-5", reason: "test", once: "low" };
    await rig.operator.call("POST /operator/accounts/{id}/balance", { params, body });
    await eventually(() => hook.of("balance.low").length > 0, 20_000);
    await Bun.sleep(6_000);
    expect(hook.of("balance.low").map(({ data, isSigned }) => [data, isSigned])).toEqual([
      [
        {
          account: { id: params.id, email: "poor@example.org" },
          ...{ balance_usd: "0.00", threshold_usd: "0.00" },
        },
        true,
      ],
    ]);
  }, 60_000);

  test("a test is sent at once and tells how it went, also where it went wrong; then it can be sent again", async () => {
    const params = { id };
    const good = await rig.operator.call("POST /operator/webhooks/{id}/test", { params });
    expect(good).toMatchObject({
      event: "webhook.test",
      state: "delivered",
      status: 200,
      tries: 1,
      problem: null,
    });
    expect(hook.of("webhook.test").at(-1)).toMatchObject({ id: good.id, isSigned: true, text: good.body });
    hook.answer = () => new Response("not now", { status: 503 });
    const bad = await rig.operator.call("POST /operator/webhooks/{id}/test", { params });
    expect(bad).toMatchObject({ state: "given_up", status: 503, next_try_at: null });
    expect(bad.problem).toBe("The receiver fails (503, and says: not now): look at its log.");
    const again = "POST /operator/webhooks/{id}/deliveries/{delivery}/again";
    const still = await rig.operator.call(again, { params: { id, delivery: bad.id } });
    expect(still).toMatchObject({ id: bad.id, state: "given_up", tries: 2 });
    expect((await list())[0]?.failing_since).not.toBeNull();
    hook.answer = () => new Response("thanks");
    const sent = await rig.operator.call(again, { params: { id, delivery: bad.id } });
    expect(sent).toMatchObject({ id: bad.id, state: "delivered", tries: 3, problem: null });
    expect(hook.arrived.filter(one => one.id === bad.id)).toHaveLength(3);
    expect((await list())[0]?.failing_since).toBeNull();
    const none = { params: { id, delivery: `${bad.id.slice(0, -3)}zzz` } };
    expect(await rig.operator.refused(again, none)).toMatchObject({ status: 404 });
  });

  test("what fails waits, and comes by itself when the receiver is back", async () => {
    hook.answer = () => new Response(null, { status: 500 });
    const body = { name: "waits", group: await groupOf() };
    await rig.operator.call("POST /keys", { body });
    const [waiting] =
      (await eventually(async () => {
        const found = await deliveries("waiting");
        return found[0]?.tries === 1 && found;
      })) || [];
    expect(waiting).toMatchObject({ event: "key.created", state: "waiting", status: 500 });
    const waitMs = Date.parse(waiting?.next_try_at ?? "") - Date.parse(waiting?.tried_at ?? "");
    expect(waitMs).toBeWithin(3_999, 6_001);
    hook.answer = () => new Response("thanks");
    await eventually(async () => (await deliveries("waiting")).length === 0, 20_000);
    expect(hook.arrived.filter(one => one.id === waiting?.id)).toHaveLength(2);
  }, 60_000);

  test("paused, it gets nothing; a new secret signs, and those before it beside it for a day", async () => {
    const params = { id };
    const off = await rig.operator.call("PATCH /operator/webhooks/{id}", {
      params,
      body: { enabled: false },
    });
    expect(off.enabled).toBe(false);
    const count = hook.arrived.length;
    await rig.operator.call("POST /keys", { body: { name: "unheard", group: await groupOf() } });
    await Bun.sleep(1_500);
    expect(hook.arrived).toHaveLength(count);
    const change = { enabled: true, name: "renamed", events: ["key.created" as const] };
    const on = await rig.operator.call("PATCH /operator/webhooks/{id}", { params, body: change });
    expect(on).toMatchObject(change);
    const old = hook.secret;
    const renew = () => rig.operator.call("POST /operator/webhooks/{id}/secret", { params });
    const isSignedWith = async (secret: string) => {
      hook.secret = secret;
      await rig.operator.call("POST /operator/webhooks/{id}/test", { params });
      return hook.arrived.at(-1)?.isSigned;
    };
    const second = await renew();
    expect(second.secret).not.toBe(old);
    const dayLeft = Date.parse(second.old_secret_until) - Date.now();
    expect(dayLeft).toBeWithin(86_400_000 - 60_000, 86_400_001);
    const { webhooks } = await rig.operator.call("GET /operator/webhooks");
    expect(webhooks.find(one => one.id === id)?.old_secret_until).toBe(second.old_secret_until);
    expect([await isSignedWith(old), await isSignedWith(second.secret)]).toEqual([true, true]);
    const third = await renew();
    // Whoever lost the second one on the way still knows the first.
    expect([await isSignedWith(old), await isSignedWith(second.secret)]).toEqual([true, true]);
    expect(await isSignedWith(third.secret)).toBe(true);
    expect(await isSignedWith(`${third.secret.slice(0, -4)}AAA=`)).toBe(false);
    hook.secret = third.secret;
    await rig.operator.call("PATCH /operator/webhooks/{id}", { params, body: { events: ALL } });
  });

  test("after a new master secret it signs with the same keys", async () => {
    const { secret } = await rig.operator.call("POST /operator/webhooks/{id}/secret", { params: { id } });
    await mustRun(rig.dir, ["secret", "rotate"]);
    // By the one that is an old one now.
    await rig.operator.call("POST /operator/webhooks/{id}/test", { params: { id } });
    expect(hook.arrived.at(-1)?.isSigned).toBe(true);
    hook.secret = secret;
    const sent = await rig.operator.call("POST /operator/webhooks/{id}/test", { params: { id } });
    expect(sent.state).toBe("delivered");
    expect(hook.arrived.at(-1)).toMatchObject({ id: sent.id, isSigned: true });
  });

  test("the secret is in one answer alone, and the record has neither it nor the path", async () => {
    const body = { name: "other", url: `${hook.url}-2`, events: ["key.created" as const] };
    const { webhook, secret } = await rig.operator.call("POST /operator/webhooks", { body });
    const params = { id: webhook.id };
    await rig.operator.call("PATCH /operator/webhooks/{id}", { params, body: { url: `${hook.url}-3` } });
    await rig.operator.call("POST /operator/webhooks/{id}/test", { params });
    const sent = await rig.operator.call("GET /operator/webhooks/{id}/deliveries", { params });
    await rig.operator.call("DELETE /operator/webhooks/{id}", { params });
    const audit = await rig.operator.call("GET /operator/audit", {
      query: { noun: "webhook", name: "other" },
    });
    expect(audit.entries.map(({ action }) => action)).toEqual(["delete", "update", "create"]);
    expect(audit.entries[1]?.fields).toEqual([
      { field: "url", before: `${origin()}/…`, after: `${origin()}/… (another)` },
    ]);
    for (const shown of [await list(), sent, audit, rig.gateway.log()]) {
      const text = JSON.stringify(shown);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(hook.secret);
    }
    expect(JSON.stringify(audit) + rig.gateway.log()).not.toContain("secret-path");
    expect((await list()).map(one => one.id)).toEqual([id]);
    expect(await rig.operator.refused("POST /operator/webhooks/{id}/test", { params })).toMatchObject({
      status: 404,
    });
  });

  const origin = () => new URL(hook.url).origin;

  test.each([
    [{ url: "http://example.org/in" }, "url", "must begin with https://"],
    [{ url: "https://10.0.0.1/in" }, "url", "private address"],
    [{ url: "https://169.254.169.254/" }, "url", "link-local"],
    [{ url: "nowhere" }, "url", "Enter a whole address"],
    [{ name: " " }, "name", "needs a name"],
    [{ events: [] }, "events", ""],
    [{ events: ["everything"] }, "events.0", ""],
  ])("%p is refused at its field", async (given, path, message) => {
    const body = { name: "n", url: hook.url, events: ["key.created"], ...given };
    const refused = await rig.operator.refused("POST /operator/webhooks", { body } as never);
    expect(refused.status).toBeOneOf([400, 409]);
    expect(refused.error.fields?.[0]?.path).toBe(path);
    expect(refused.error.fields?.[0]?.message).toContain(message);
    if (!("events" in given) || given.events.length > 0) {
      const changed = await rig.operator.refused("PATCH /operator/webhooks/{id}", {
        ...{ params: { id }, body: given },
      } as never);
      expect(changed.status).toBeOneOf([400, 409]);
    }
  });

  test("pages of deliveries follow one another", async () => {
    const all = await deliveries();
    const seen: string[] = [];
    let before: string | null = null;
    do {
      const query = { limit: 3, ...(before === null ? {} : { before }) };
      const page: { deliveries: { id: string }[]; next: string | null } = await rig.operator.call(
        "GET /operator/webhooks/{id}/deliveries",
        { params: { id }, query },
      );
      seen.push(...page.deliveries.map(one => one.id));
      before = page.next;
    } while (before !== null);
    expect(seen).toEqual(all.map(one => one.id));
    expect(seen.length).toBeGreaterThan(6);
  });

  test("killed in the middle of sending, it sends the same again, and what came meanwhile", async () => {
    hook.answer = () => new Promise(() => {});
    const body = { name: "in between", group: await groupOf() };
    await rig.operator.call("POST /keys", { body });
    await eventually(() => hook.arrived.at(-1)?.text.includes("in between") === true);
    const first = hook.arrived.at(-1);
    await rig.gateway.kill();
    const create = ["key", "create", "--account", OPERATOR, "--group", "all", "--name"];
    await mustRun(rig.dir, [...create, "while it was down"]);
    hook.answer = () => new Response("thanks");
    const again = await startGateway(rig.dir, { WICKETGATE_DEMO: "off", ...ENV });
    try {
      await eventually(() => hook.arrived.at(-1) !== first && hook.arrived.length > 0, 30_000);
      await eventually(() => hook.arrived.filter(one => one.id === first?.id).length === 2, 45_000);
      await eventually(() => hook.arrived.some(one => one.text.includes("while it was down")), 20_000);
      const twice = hook.arrived.filter(one => one.id === first?.id);
      expect(twice).toEqual([first, first] as typeof twice);
      expect(hook.arrived.filter(one => one.text.includes("while it was down"))).toHaveLength(1);
    } finally {
      await again.stop();
    }
  }, 120_000);
});
