import { tester } from "./audit-test-rig.ts";
import { clear, type Books as Database, newId } from "./bank.case.ts";
import { createCodes } from "./codes.ts";
import { applied } from "./history-jobs.case.ts";
import { at, type Books } from "./history-model.case.ts";
import type { World } from "./history-world.case.ts";

/** A process that works in one house after another remembers keys by their string. */
let houses = 0;

/** Makes the world, in an empty house, and the model of it. */
export async function build(database: Pick<Database, "job">, world: World): Promise<Books> {
  const { startMs: nowMs } = world;
  const ending = (ms: number | null) => (ms === null ? null : nowMs + ms);
  const atRest = () => ({ requestDueNs: 0n, tokenDueNs: 0n });
  const house = houses++;
  const named = <T>(list: readonly T[], name: string) =>
    list.map((one, place) => ({ ...one, name: `${name}${place} of ${house}` }));
  const taken = new Set<string>();
  const books: Books = {
    nowMs,
    accounts: world.accounts.map(({ limits }, place) => ({
      ...{ id: newId("acc"), email: `a${place}@example.org`, enabled: true, limits, meter: atRest() },
    })),
    groups: named(world.groups, "g").map(one => ({ ...one, id: newId("grp") })),
    plans: named(world.plans, "p").map(one => ({ ...one, id: newId("pln") })),
    subscriptions: world.subscriptions.flatMap(one => {
      const [account, plan] = [one.account % world.accounts.length, one.plan % world.plans.length];
      if (taken.has(`${account} ${plan}`)) return [];
      taken.add(`${account} ${plan}`);
      return [{ id: newId("sub"), account, plan, untilMs: ending(one.untilMs) }];
    }),
    keys: named(world.keys, "k").map(({ expiresMs, ...one }) => ({
      ...{ ...one, id: newId("key"), account: one.account % world.accounts.length },
      ...{ group: one.group % world.groups.length, enabled: true, deleted: false },
      ...{ expiresAtMs: ending(expiresMs), meter: atRest() },
    })),
    codes: world.codes.map(({ amount, expiresMs }) => ({
      ...{ id: newId("code"), amount, expiresAtMs: ending(expiresMs), redeemed: false },
    })),
    ...{ requests: [], lines: [], windows: {}, runs: 0 },
  };
  await database.job(tx => clear(tx));
  await database.job(tx => applied(tx, specOf(books, world)));
  for (const [place, { id, amount, expiresAtMs }] of books.codes.entries()) {
    const codes = [{ id, hash: `code ${place}`, preview: id }];
    await database.job(tx => createCodes(tx, { codes, amount, note: "", expiresAtMs, by: tester(nowMs) }));
  }
  for (const [account, { balance }] of world.accounts.entries()) {
    const line = { account, kind: "credit", amount: balance, pocket: "balance" };
    if (balance > 0n) books.lines.push({ ...line, requestId: null, once: null });
  }
  return books;
}

function specOf(books: Books, world: World): Parameters<typeof applied>[1] {
  return {
    groups: books.groups.map(group => ({ ...group, models: ["m"], description: null, accounts: null })),
    plans: books.plans.map(plan => ({
      ...{ id: plan.id, name: plan.name, quota: plan.quota, window: plan.period },
      groups: plan.groups.map(place => at(books.groups, place).name),
    })),
    accounts: books.accounts.map(({ id, email, limits }, place) => ({
      ...{ id, ledgerId: newId("led"), email, role: "holder", limits },
      balance: at(world.accounts, place).balance,
      subscriptions: books.subscriptions
        .filter(({ account }) => account === place)
        .map(one => ({
          ...{ subscriptionId: one.id, plan: at(books.plans, one.plan).name, untilMs: one.untilMs },
        })),
    })),
    keys: books.keys.map(key => ({
      ...{ id: key.id, email: at(books.accounts, key.account).email, name: key.name },
      ...{ group: at(books.groups, key.group).name, quota: key.quota, expiresAtMs: key.expiresAtMs },
      ...key.limits,
      secret: { hash: `hash of ${key.name}`, preview: key.name, sealed: null, custom: false },
    })),
  };
}
