import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Id } from "../src/domain/ids.ts";
import { eventually } from "./harness.ts";
import { newId, type Outbox, openOutbox, PLACES } from "./webhook-rig.ts";

/** What becomes of a webhook's secret when it has a new one. */

const DAY_MS = 86_400_000;

describe.each(PLACES)("on %s,", place => {
  let outbox: Outbox;
  beforeEach(async () => {
    outbox = await openOutbox(place);
  });
  afterEach(() => outbox.close());

  const webhooks = () => outbox.store.report("webhooks", {});

  test("a secret is kept for a day after it was replaced and no longer, and a few of them at most", async () => {
    const id = await outbox.webhook();
    const other = await outbox.webhook("other");
    const renew = (whose: Id<"whk">, secret: number, nowMs = outbox.by.nowMs) => {
      const by = { ...outbox.by, nowMs };
      const oldId = newId("whs");
      return outbox.store.run("webhook.secret", { id: whose, oldId, secret: new Uint8Array([secret]), by });
    };
    const until = async () => (await webhooks()).find(one => one.id === id)?.oldSecretUntilMs;
    const kept = async () => {
      const asked = { table: "old_webhook_secrets", after: "", limit: 100 } as const;
      const rows = await outbox.store.run("sealed.page", asked);
      return rows.filter(({ bound }) => bound === id).map(({ sealed }) => sealed[0]);
    };
    const { nowMs } = outbox.by;
    expect(await until()).toBeNull();
    await renew(other, 9);
    for (const secret of [2, 3, 4, 5, 6]) await renew(id, secret, nowMs + secret);
    expect(await kept()).toEqual([2, 3, 4, 5]);
    expect(await until()).toBe(nowMs + 6 + DAY_MS);
    outbox.start({
      ...(await outbox.instance()),
      bring: async () => ({ ok: true, status: 200, problem: null }),
    });
    outbox.clock.nowMs = nowMs + DAY_MS + 4;
    expect(await eventually(async () => (await kept()).length < 4)).toBe(true);
    expect(await kept()).toEqual([4, 5]);
    outbox.clock.nowMs += DAY_MS;
    expect(await eventually(async () => (await until()) === null)).toBe(true);
    expect(await kept()).toEqual([]);
  });

  test("two new secrets at the same moment follow each other, and both sign", async () => {
    const id = await outbox.webhook();
    const stores = [outbox.store, (await outbox.instance()).store];
    const claim = { by: "test", nowMs: outbox.clock.nowMs, untilMs: outbox.clock.nowMs };
    for (let round = 1; round <= 20; round += 1) {
      const fresh = [round * 2, round * 2 + 1];
      await Promise.all(
        stores.map((store, at) => {
          const secret = new Uint8Array([fresh[at] ?? 0]);
          return store.run("webhook.secret", { id, oldId: newId("whs"), secret, by: outbox.by });
        }),
      );
      const sent = await outbox.store.run("delivery.test", { webhookId: id, claim });
      const { secret, oldSecrets = [] } = sent?.webhook ?? {};
      const known = [secret, ...oldSecrets.map(({ sealed }) => sealed)].map(one => one?.[0]);
      expect(known).toEqual(expect.arrayContaining(fresh));
    }
    await outbox.store.run("webhook.remove", { id, rowsMax: 100, by: outbox.by });
    expect(await webhooks()).toEqual([]);
  });
});
