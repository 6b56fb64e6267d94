import type { Account } from "../domain/account.ts";
import { type Id, isId } from "../domain/ids.ts";
import { formatUsd, type Nanos } from "../domain/money.ts";
import { checkedOnce, type LineBefore, lineOnce, lockAccount, ONCE_TAKEN, writeLine } from "./accounts.ts";
import { type By, recordChange } from "./audit.ts";
import { balanceMoved } from "./audit-entries.ts";
import { big, text } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { keptFrom } from "./usage-kept.ts";

export type Refund = {
  requestId: string;
  ledgerId: Id<"led">;
  /** Null is all that has not been given back yet. */
  amount: Nanos | null;
  why: string;
  by: By;
  once?: string | null;
};

export type Refunded = {
  account: Account;
  amount: Nanos;
  /** What of the request's cost has not been given back. */
  left: Nanos;
  repeated: boolean;
};

/**
 * Gives back to the balance what one request was charged, or a part of it; all refunds of a request together never
 * more than that. What its key has spent stays as it is, and so do the windows of its limits: a quota bounds what was
 * used, and it was used.
 */
export async function refundRequest(tx: Tx, refund: Refund): Promise<Refunded> {
  const { requestId } = refund;
  const once = checkedOnce(refund.once);
  const charged = await chargeOf(tx, requestId);
  const account = await lockAccount(tx, { id: charged.accountId });
  const left = charged.cost - (await refundedOf(tx, charged));
  const before = await lineOnce(tx, once);
  if (before !== null) {
    if (!isSame(refund, before, left)) throw new StoreProblem(ONCE_TAKEN);
    return { account, amount: before.amount, left, repeated: true };
  }
  const amount = refund.amount ?? left;
  refuseBeyond({ ...charged, left, amount });
  const { ledgerId, why, by } = refund;
  const { actor, nowMs } = by;
  const usageId = charged.requestId;
  const line = { ledgerId, kind: "refund", amount, usageId, once, why, actor, nowMs } as const;
  const after = await writeLine(tx, account, line);
  const moved = balanceMoved("refund", { before: account, after, why });
  await recordChange(tx, by, { ...moved, fields: [...moved.fields, ["request", "", usageId]] });
  return { account: after, amount, left: left - amount, repeated: false };
}

type Charged = { requestId: Id<"req">; accountId: string; cost: Nanos };

/** The charge that the balance paid; what cannot be refunded is refused here. */
async function chargeOf(tx: Tx, requestId: string): Promise<Charged> {
  const [row = await chargeAlone(tx, requestId)] = await tx.all(
    "select account_id, state, cost from usage where id = ?",
    requestId,
  );
  if (row === undefined || !isId("req", requestId))
    throw new StoreProblem(`There is no request ${requestId}.`);
  if (text(row["state"]) === "open") {
    throw new StoreProblem(`The request ${requestId} is still running: refund it when it has been charged.`);
  }
  if (big(row["cost"]) === 0n) {
    throw new StoreProblem(`The request ${requestId} cost nothing, so there is nothing to give back.`);
  }
  const accountId = text(row["account_id"]);
  // Settlement names a charge's line after its request.
  const lineId = `led_${requestId.slice("req_".length)}`;
  const find = "select amount, pocket from ledger where account_id = ? and id = ? and kind = 'charge'";
  const [line] = await tx.all(find, accountId, lineId);
  if (line === undefined) throw new Error(`the charge of ${requestId} is missing`);
  if (text(line["pocket"]) !== "balance") {
    throw new StoreProblem(
      `The request ${requestId} was paid by a subscription and not from the balance, so it cannot be refunded to the balance.`,
    );
  }
  return { requestId, accountId, cost: -big(line["amount"]) };
}

/** Of a row that is kept no longer the charge is left; each account is asked for it by the name that it would have. */
async function chargeAlone(tx: Tx, requestId: string): Promise<SqlRow | undefined> {
  const mark = await keptFrom(tx, {});
  if (mark === null || requestId >= mark || !isId("req", requestId)) return undefined;
  const [line] = await tx.all(
    `select ledger.account_id as account_id, 'settled' as state, -ledger.amount as cost from accounts
      cross join ledger where ledger.account_id = accounts.id and ledger.id = ? and ledger.kind = 'charge'`,
    `led_${requestId.slice("req_".length)}`,
  );
  return line;
}

async function refundedOf(tx: Tx, { accountId, requestId }: Charged): Promise<Nanos> {
  const find = "select amount from ledger where account_id = ? and kind = 'refund' and usage_id = ?";
  const lines = await tx.all(find, accountId, requestId);
  return lines.reduce((sum, line) => sum + big(line["amount"]), 0n);
}

/** A refund of all the rest leaves nothing; so one that left nothing is the same as it. */
function isSame({ requestId, amount }: Refund, before: LineBefore, left: Nanos): boolean {
  if (before.kind !== "refund" || before.usageId !== requestId) return false;
  return amount === null ? left === 0n : amount === before.amount;
}

function refuseBeyond({ requestId, cost, left, amount }: Charged & { left: Nanos; amount: Nanos }): void {
  if (left === 0n) throw new StoreProblem(`What the request ${requestId} cost has been given back in full.`);
  if (amount <= 0n) throw new StoreProblem("A refund must be more than zero.");
  if (amount <= left) return;
  const given = left === cost ? "" : `, of which ${formatUsd(cost - left)} USD has been given back`;
  throw new StoreProblem(
    `The request ${requestId} cost ${formatUsd(cost)} USD${given}: ${formatUsd(amount)} USD is more than is left.`,
  );
}
