import { accountByEmail, ledgerPage, listAccounts } from "./accounts.ts";
import { codesPage } from "./codes.ts";
import { listKeys } from "./keys.ts";
import { receiptCount, receiptPage } from "./receipts.ts";
import type { Tx } from "./tx.ts";
import { usagePage } from "./usage.ts";
import { verifyLedger } from "./verify.ts";

/** Everything that only reads, and may take its time: run apart from the writer. */
export const reports = {
  accounts: (tx: Tx, _args: Record<string, never>) => listAccounts(tx),
  account: (tx: Tx, args: { email: string }) => accountByEmail(tx, args.email),
  ledger: ledgerPage,
  codes: codesPage,
  keys: listKeys,
  usage: usagePage,
  verify: verifyLedger,
  receipts: receiptPage,
  "receipts.count": receiptCount,
} as const;

export type Reports = typeof reports;
