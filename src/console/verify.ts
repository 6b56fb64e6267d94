import { cost } from "../pricing/price.ts";
import type { Receipt } from "../store/receipts.ts";
import type { Store } from "../store/store.ts";
import { type Finding, INVARIANTS as LEDGER_INVARIANTS } from "../store/verify.ts";

/** The receipts and the audit are checked beside what the database can check by itself. */
export const INVARIANTS = LEDGER_INVARIANTS + 2;

const AUDIT_INVARIANT = "every entry of the audit follows from the one before it, from the first to the last";

const RECEIPT_INVARIANT = "a row costs its usage at its price and multiplier, up to what was held for it";
const PAGE_ROWS = 5_000;
const FINDINGS_MAX = 20;

export type OnReceipts = (progress: { done: number; all: number; what: string }) => void;

/** Every invariant of the ledger, that each receipt recomputes from what is stored on it, and the chain of the audit. */
export async function verifyBooks(
  { store, chainKey }: { store: Pick<Store, "report">; chainKey: Uint8Array },
  onReceipts: OnReceipts = () => {},
): Promise<Finding[]> {
  const findings = await store.report("verify", {});
  const chain = await auditFindings(store, chainKey);
  return [...findings, ...chain, ...(await receiptFindings(store, onReceipts))];
}

export async function auditFindings(store: Pick<Store, "report">, chainKey: Uint8Array): Promise<Finding[]> {
  const faults = await store.report("audit.verify", { chainKey });
  return faults.map(({ number, problem }) => {
    return { invariant: AUDIT_INVARIANT, row: `entry ${number}`, found: problem };
  });
}

/** A resolved row never changes, so they are read page by page, beside whoever writes new ones. */
async function receiptFindings(store: Pick<Store, "report">, onReceipts: OnReceipts): Promise<Finding[]> {
  const all = await store.report("receipts.count", {});
  const findings: Finding[] = [];
  let done = 0;
  for (let after = ""; findings.length < FINDINGS_MAX; ) {
    const page = await store.report("receipts", { after, limit: PAGE_ROWS });
    findings.push(...page.flatMap(wrong));
    done += page.length;
    onReceipts({ done, all: Math.max(done, all), what: "receipts" });
    after = page.at(-1)?.id ?? "";
    if (page.length < PAGE_ROWS) break;
  }
  return findings.slice(0, FINDINGS_MAX);
}

function wrong(receipt: Receipt): Finding[] {
  const found = fault(receipt);
  return found === null ? [] : [{ invariant: RECEIPT_INVARIANT, row: receipt.id, found }];
}

function fault({ usage, price, priceId, multiplier, hold, cost: stored }: Receipt): string | null {
  if (price === null) return `its price ${priceId === "" ? "has no name" : `${priceId} is not there`}`;
  const priced = cost(usage, price, multiplier);
  const expected = priced > hold ? hold : priced;
  return stored === expected ? null : `stored ${stored}, expected ${expected}`;
}
