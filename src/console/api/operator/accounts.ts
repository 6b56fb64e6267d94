import { type Id, isId } from "../../../domain/ids.ts";
import { formatUsd, parseUsd } from "../../../domain/money.ts";
import type { AccountChange, AccountDetail } from "../../../store/account-admin.ts";
import type { Calls } from "../../contract/contract.ts";
import { byOf } from "../../control.ts";
import { ledgerView, subscriptionsView, timeOrNull } from "../account-view.ts";
import { fieldProblem, readSettings } from "../keys-form.ts";
import { limitsView } from "../keys-view.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers, SignedIn } from "../visit.ts";

type Detail = Calls["GET /operator/accounts/{id}"]["answer"];

const SPENT_OVER_MS = 30 * 86_400_000;

export const operatorAccountHandlers = {
  "GET /operator/accounts/{id}": (visit, { params }) => detailView(visit, params.id),

  "PATCH /operator/accounts/{id}": async (visit, { params, body }) => {
    const { person } = await accountOf(visit, params.id);
    const { role, enabled } = body;
    const { limits } = readSettings(limitsGiven(body), visit.nowMs);
    if (enabled === false) demandOther(visit, person.account.id);
    await changeAccount(visit, person.account.id, {
      what: "edit",
      ...(role === undefined ? {} : { role }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    });
    return detailView(visit, params.id);
  },

  "POST /operator/accounts/{id}/balance": async (visit, { params, body }) => {
    const { person } = await accountOf(visit, params.id);
    const amount = parseUsd(body.amount_usd) ?? 0n;
    if (amount === 0n) throw fieldProblem("amount_usd", "Enter an amount other than zero.");
    const { once } = body;
    await changeAccount(visit, person.account.id, { what: "move", amount, why: readReason(body), once });
    return detailView(visit, params.id);
  },

  "POST /operator/accounts/{id}/subscriptions": async (visit, { params, body }) => {
    const { person } = await accountOf(visit, params.id);
    const untilMs = readUntil(body.until, visit.nowMs);
    await changeAccount(visit, person.account.id, { what: "subscribe", planId: body.plan, untilMs });
    return detailView(visit, params.id);
  },

  "DELETE /operator/accounts/{id}/subscriptions/{subscription}": async (visit, { params }) => {
    const { person, pockets } = await accountOf(visit, params.id);
    const { subscription: subscriptionId } = params;
    if (!pockets.subscriptions.some(({ id }) => id === subscriptionId)) {
      throw new ConsoleProblem("not_found", "This account has no such subscription.");
    }
    await changeAccount(visit, person.account.id, { what: "unsubscribe", subscriptionId });
    return detailView(visit, params.id);
  },

  "POST /operator/accounts/{id}/sign-out": async ({ desk, control }, { params }) => {
    const { id } = params;
    const isThere =
      isId("acc", id) && (await desk.store.run("account.sign_out", { accountId: id, by: byOf(control) }));
    if (!isThere) throw noSuchAccount();
    return { done: true };
  },

  "GET /operator/accounts/{id}/ledger": async (visit, { params, query }) => {
    const { person } = await accountOf(visit, params.id);
    return ledgerView(visit.desk, { accountId: person.account.id, ...query });
  },
} satisfies Partial<Handlers>;

export async function accountOf({ desk, nowMs }: SignedIn, id: string): Promise<AccountDetail> {
  const found = isId("acc", id) ? await desk.store.report("account.detail", { accountId: id, nowMs }) : null;
  if (found === null) throw noSuchAccount();
  return found;
}

function noSuchAccount(): ConsoleProblem {
  return new ConsoleProblem("not_found", "There is no such account.");
}

/** Whoever disables their own account could not undo it. */
export function demandOther({ visitor }: SignedIn, id: string): void {
  if (visitor.id !== id) return;
  throw new ConsoleProblem(
    "conflict",
    "This is your own account: you would be signed out and could not enable it again. Ask another operator.",
  );
}

/** An end that lies ahead, or none. */
export function readUntil(until: string | null, nowMs: number): number | null {
  if (until === null) return null;
  const untilMs = Date.parse(until);
  if (untilMs > nowMs) return untilMs;
  throw fieldProblem("until", "This time has passed. Choose a later one, or end the subscription instead.");
}

export function readReason({ reason }: { reason: string }): string {
  const bare = reason.trim();
  if (bare === "") throw fieldProblem("reason", "Say why, because the ledger keeps it.");
  return bare;
}

type Limiting = Parameters<typeof readSettings>[0];

function limitsGiven(body: Calls["PATCH /operator/accounts/{id}"]["body"]): Limiting {
  const { role: _, enabled: __, ...limits } = body;
  return limits;
}

function changeAccount({ desk, control }: SignedIn, id: Id<"acc">, change: AccountChange) {
  const accounts = [{ id, ledgerId: desk.newId("led"), subscriptionId: desk.newId("sub") }];
  return desk.store.run("accounts.change", { accounts, change, by: byOf(control) });
}

async function detailView(visit: SignedIn, id: string): Promise<Detail> {
  const { desk } = visit;
  const { person, pockets, sessions, lastSeenAtMs } = await accountOf(visit, id);
  const { account, profile, createdAtMs, passkeys } = person;
  const nowMs = desk.nowMs();
  const { totals } = await desk.store.report("usage.summary", {
    query: { accountId: account.id, keyId: null, model: null, tool: null, outcome: null },
    ...{ fromMs: nowMs - SPENT_OVER_MS, toMs: nowMs + 1, by: "model", bucket: 24, top: 0 },
  });
  const { email, role, enabled, balance, held } = account;
  return {
    account: {
      ...{ id: account.id, email, role, enabled },
      balance_usd: formatUsd(balance),
      created_at: new Date(createdAtMs).toISOString(),
      last_seen_at: timeOrNull(lastSeenAtMs),
    },
    held_usd: formatUsd(held),
    limits: limitsView(account),
    subscriptions: subscriptionsView(pockets, nowMs),
    sessions,
    has_password: profile.passwordHash !== null,
    has_second_factor: profile.totp !== null || passkeys > 0,
    spent_usd: formatUsd(totals.cost),
  };
}
