import type { Price } from "../domain/model.ts";
import type { BasisPoints, Nanos } from "../domain/money.ts";
import { big, text, textOrNull, toPrice, whole, wholeOrNull } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { readRows, type UsageRow } from "./usage-lines.ts";

/** Everything that is known of what one request cost, and why. */
export type UsageReceipt = {
  row: UsageRow;
  /** The client's user agent, whole. */
  agent: string;
  group: string;
  multiplier: BasisPoints | null;
  price: (Price & { createdAtMs: number }) | null;
  hold: Nanos;
  pocket: { kind: "balance" | "subscription"; name: string } | null;
  /** When the charge was written; null where nothing was charged. */
  chargedAtMs: number | null;
  refunded: Nanos;
  /** What fills the sentence of its refusal. */
  particulars: Record<string, string | number> | null;
};

/** Null where the account, or for an operator nobody, has such a request. */
export async function usageReceipt(
  tx: Tx,
  { accountId, id }: { accountId: string; id: string },
): Promise<UsageReceipt | null> {
  const [row] = await readRows(tx, { ids: [id], accountId });
  const [more] = await tx.all(
    `select usage.tool as agent, usage.multiplier as multiplier, usage.price_id as price_id, usage.hold as hold,
      usage.pocket as pocket, usage.particulars as particulars, groups.name as group_name from usage
      join groups on groups.id = usage.group_id where usage.id = ? and usage.account_id = ?`,
    ...[id, accountId],
  );
  if (row === undefined || more === undefined) return null;
  const charge = await ledgerOf(tx, { accountId, id });
  const particulars = textOrNull(more["particulars"]);
  return {
    row,
    agent: text(more["agent"]),
    group: text(more["group_name"]),
    multiplier: wholeOrNull(more["multiplier"]),
    price: await priceOf(tx, textOrNull(more["price_id"])),
    hold: big(more["hold"]),
    pocket: await pocketOf(tx, textOrNull(more["pocket"])),
    ...charge,
    particulars: particulars === null ? null : (JSON.parse(particulars) as Record<string, string | number>),
  };
}

async function priceOf(tx: Tx, priceId: string | null): Promise<UsageReceipt["price"]> {
  if (priceId === null) return null;
  const [row] = await tx.all("select * from prices where id = ?", priceId);
  return row === undefined ? null : { ...toPrice(row), createdAtMs: whole(row["created_at_ms"]) };
}

async function pocketOf(tx: Tx, pocket: string | null): Promise<UsageReceipt["pocket"]> {
  if (pocket === null) return null;
  if (pocket === "balance") return { kind: "balance", name: "" };
  const sql = `select plans.name as name from subscriptions join plans on plans.id = subscriptions.plan_id
    where subscriptions.id = ?`;
  const [plan] = await tx.all(sql, pocket);
  return { kind: "subscription", name: text(plan?.["name"]) };
}

type Ledger = { chargedAtMs: number | null; refunded: Nanos };

/** The charge's line has the name of its request; refunds name it. */
async function ledgerOf(tx: Tx, { accountId, id }: { accountId: string; id: string }): Promise<Ledger> {
  const lineId = id.replace("req_", "led_");
  const [charge]: (SqlRow | undefined)[] = await tx.all(
    "select created_at_ms from ledger where account_id = ? and id = ? and kind = 'charge'",
    ...[accountId, lineId],
  );
  const [refunds] = await tx.all(
    "select coalesce(sum(amount), 0) as amount from ledger where kind = 'refund' and usage_id = ? and account_id = ?",
    ...[id, accountId],
  );
  return {
    chargedAtMs: charge === undefined ? null : whole(charge["created_at_ms"]),
    refunded: big(refunds?.["amount"]),
  };
}
