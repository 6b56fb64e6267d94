import type { Account, AccountRole } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import type { Nanos } from "../domain/money.ts";
import { enableAccount, lockAccount, moveBalance } from "./accounts.ts";
import { type AccountSpec, applySpec, type SubscriptionSpec } from "./apply.ts";
import { type By, recordChange } from "./audit.ts";
import { accountEntry } from "./audit-entries.ts";
import { type AccountPockets, accountPockets } from "./keys-pockets.ts";
import { subscriptionsOf } from "./plans.ts";
import { type Person, readPerson } from "./profiles.ts";
import { text, whole, wholeOrNull } from "./rows.ts";
import { endSessions } from "./sessions.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** What operators do to accounts, one or many at once: each change by the rule that command line and `apply` use. */

export type AccountDetail = {
  person: Person;
  pockets: AccountPockets;
  /** Sessions that are not over. */
  sessions: number;
  lastSeenAtMs: number | null;
};

/** Null where there is no such account. */
export async function accountDetail(
  tx: Tx,
  { accountId, nowMs }: { accountId: Id<"acc">; nowMs: number },
): Promise<AccountDetail | null> {
  const person = await readPerson(tx, { id: accountId });
  if (person === null) return null;
  const [row] = await tx.all(
    `select max(seen_at_ms) as seen, sum(case when expires_at_ms > ? then 1 else 0 end) as open
      from sessions where account_id = ?`,
    ...[nowMs, accountId],
  );
  const pockets = await accountPockets(tx, { accountId });
  return { person, pockets, sessions: whole(row?.["open"]), lastSeenAtMs: wholeOrNull(row?.["seen"]) };
}

/** An account, with the ids for what may have to be written for it. */
export type ChangedAccount = { id: Id<"acc">; ledgerId: Id<"led">; subscriptionId: Id<"sub"> };

export type AccountChange =
  | { what: "edit"; role?: AccountRole; enabled?: boolean; limits?: Partial<Limits> }
  /** `once` is the name under which each account's part is known again. */
  | { what: "move"; amount: Nanos; why: string; once: string }
  | { what: "subscribe"; planId: string; untilMs: number | null }
  | { what: "unsubscribe"; subscriptionId: string };

export type AccountsChange = { accounts: readonly ChangedAccount[]; change: AccountChange; by: By };

/** The same for each of them: all of it or none. Gives how many were not so already. */
export async function changeAccounts(tx: Tx, asked: AccountsChange): Promise<{ changed: number }> {
  const { change, by } = asked;
  const isAlone = asked.accounts.length === 1;
  const specs: AccountSpec[] = [];
  const changed = new Set<string>();
  // In one order everywhere, so that nobody waits for somebody who waits.
  for (const one of [...asked.accounts].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const account = await accountOf(tx, one.id);
    if (change.what === "move") {
      const once = isAlone ? change.once : `${change.once} ${account.id}`;
      const { amount, why } = change;
      const move = { email: account.email, ledgerId: one.ledgerId, amount, why, once, by };
      if (!(await moveBalance(tx, move)).repeated) changed.add(account.id);
      continue;
    }
    const spec = await specOf(tx, { account, one, change, nowMs: by.nowMs });
    if (spec !== null) specs.push(spec);
    if (change.what !== "edit" || change.enabled === undefined || change.enabled === account.enabled)
      continue;
    await enableAccount(tx, { email: account.email, enabled: change.enabled, by });
    changed.add(account.id);
  }
  for (const id of await applyAccounts(tx, specs, by)) changed.add(id);
  return { changed: changed.size };
}

async function accountOf(tx: Tx, id: Id<"acc">): Promise<Account> {
  const found = await tx.all("select id from accounts where id = ?", id);
  if (found.length === 0) {
    throw new StoreProblem("One of these accounts is not there any more, so nothing was changed.", {
      field: "ids",
    });
  }
  return lockAccount(tx, { id });
}

type Spelled = { account: Account; one: ChangedAccount; change: AccountChange; nowMs: number };

/** The change as a piece of an apply file would say it; null where such a piece says nothing of it. */
async function specOf(tx: Tx, { account, one, change, nowMs }: Spelled): Promise<AccountSpec | null> {
  const { id, email, role } = account;
  const same = { id, ledgerId: one.ledgerId, email, role, balance: 0n, limits: null, subscriptions: null };
  if (change.what === "edit") {
    if (change.role === undefined && change.limits === undefined) return null;
    const limits = change.limits === undefined ? null : { ...limitsOf(account), ...change.limits };
    return { ...same, role: change.role ?? role, limits };
  }
  const kept = (await subscriptionsOf(tx, id))
    .filter(({ untilMs }) => untilMs === null || untilMs > nowMs)
    .map(found => ({ subscriptionId: found.id, plan: found.plan.name, untilMs: found.untilMs }));
  if (change.what === "subscribe") {
    const plan = await planName(tx, change.planId);
    const given = { subscriptionId: one.subscriptionId, plan, untilMs: change.untilMs };
    return { ...same, subscriptions: [...kept.filter(other => other.plan !== plan), given] };
  }
  return change.what === "unsubscribe" ? { ...same, subscriptions: without(kept, change) } : null;
}

function limitsOf(account: Account): Limits {
  const { requestsPerMinute, tokensPerMinute, concurrency, spendPerDay, spendPerWeek, spendPerMonth } =
    account;
  return { requestsPerMinute, tokensPerMinute, concurrency, spendPerDay, spendPerWeek, spendPerMonth };
}

async function planName(tx: Tx, planId: string): Promise<string> {
  const [plan] = await tx.all("select name from plans where id = ?", planId);
  if (plan !== undefined) return text(plan["name"]);
  throw new StoreProblem("This plan is not there any more. Choose one from the list.", { field: "plan" });
}

function without(kept: readonly SubscriptionSpec[], { subscriptionId }: { subscriptionId: string }) {
  const rest = kept.filter(one => one.subscriptionId !== subscriptionId);
  if (rest.length < kept.length) return rest;
  throw new StoreProblem("This subscription has ended already.");
}

/** Gives the ids of those that were not so already. */
async function applyAccounts(tx: Tx, accounts: readonly AccountSpec[], by: By): Promise<string[]> {
  if (accounts.length === 0) return [];
  const none = { upstreams: [], models: [], groups: [], plans: [], keys: [], dryRun: false };
  const { changes, problems } = await applySpec(tx, { ...none, accounts, by });
  const [problem] = problems;
  if (problem !== undefined) throw new StoreProblem(`Nothing was changed: ${problem.message}.`);
  return changes.map(({ id }) => id);
}

/** Ends every session of an account; false where there is no such account. */
export async function signOutAccount(
  tx: Tx,
  { accountId, by }: { accountId: Id<"acc">; by: By },
): Promise<boolean> {
  const detail = await accountDetail(tx, { accountId, nowMs: by.nowMs });
  if (detail === null) return false;
  await endSessions(tx, { accountId, except: null, nowMs: by.nowMs });
  const fields = [["sessions", String(detail.sessions), "0"]] as const;
  await recordChange(tx, by, accountEntry(detail.person.account, { action: "sign out", fields }));
  return true;
}
