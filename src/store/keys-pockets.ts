import type { Account } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import type { PocketRows } from "../domain/pocket.ts";
import { type SpendWindow, windowKey } from "../domain/spend-window.ts";
import { subscriptionsOf } from "./plans.ts";
import { toAccount, toWindow } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** What an account pays from, whichever key asks. */
export type AccountPockets = { account: Account } & Pick<PocketRows, "subscriptions" | "windows">;

export async function accountPockets(tx: Tx, whose: { accountId: Id<"acc"> }): Promise<AccountPockets> {
  const [account] = await tx.all("select * from accounts where id = ?", whose.accountId);
  if (account === undefined) throw new Error("there is no such account");
  const subscriptions = await subscriptionsOf(tx, whose.accountId);
  const windows = new Map<string, SpendWindow>();
  for (const { id } of subscriptions) {
    const rows = await tx.all("select * from windows where owner_id = ?", id);
    for (const window of rows.map(toWindow)) windows.set(windowKey(window), window);
  }
  return { account: toAccount(account), subscriptions, windows };
}
