import type { Attempt } from "../domain/usage.ts";
import { big, text, textOrNull } from "./rows.ts";
import type { Tx } from "./tx.ts";
import { type LinesAsked, type UsageLine, type UsageRow, usageLines, usageRows } from "./usage-lines.ts";
import { type UsageReceipt, usageReceipt } from "./usage-receipt.ts";
import { rowsById } from "./usage-walk.ts";

/** What only an operator sees of a request. */
export type HouseRow = {
  accountId: string;
  email: string;
  upstream: string | null;
  /** Those before the last one. */
  attempts: readonly Attempt[];
  ourCost: bigint;
};

export type HouseLines = { lines: (UsageLine & HouseRow)[]; next: string | null };

/** The same lines as the holders see, over every account. */
export async function houseLines(tx: Tx, asked: LinesAsked): Promise<HouseLines> {
  const { lines, next } = await usageLines(tx, asked);
  return { lines: await completed(tx, lines), next };
}

export async function houseRows(
  tx: Tx,
  asked: LinesAsked,
): Promise<{ rows: (UsageRow & HouseRow)[]; next: string | null }> {
  const { rows, next } = await usageRows(tx, asked);
  return { rows: await completed(tx, rows), next };
}

/** Null where there is no such request. */
export async function houseReceipt(
  tx: Tx,
  { id }: { id: string },
): Promise<(UsageReceipt & { house: HouseRow }) | null> {
  const [found] = await tx.all("select account_id from usage where id = ?", id);
  if (found === undefined) return null;
  const receipt = await usageReceipt(tx, { accountId: text(found["account_id"]), id });
  const [house] = await completed(tx, [{ id }]);
  return receipt === null || house === undefined ? null : { ...receipt, house };
}

const COLUMNS = `usage.id as id, usage.account_id as account_id, accounts.email as email,
  usage.upstream as upstream, usage.attempts as attempts, usage.our_cost as our_cost`;
const FROM = "usage join accounts on accounts.id = usage.account_id";

async function completed<R extends { id: string }>(tx: Tx, rows: readonly R[]): Promise<(R & HouseRow)[]> {
  const ids = rows.map(({ id }) => id);
  const found = await rowsById(tx, { ids, columns: COLUMNS, accountId: null, from: FROM });
  const byId = new Map(found.map(row => [text(row["id"]), row]));
  return rows.flatMap(row => {
    const more = byId.get(row.id);
    if (more === undefined) return [];
    return [
      {
        ...row,
        accountId: text(more["account_id"]),
        email: text(more["email"]),
        upstream: textOrNull(more["upstream"]),
        attempts: JSON.parse(textOrNull(more["attempts"]) ?? "[]") as Attempt[],
        ourCost: big(more["our_cost"] ?? 0n),
      },
    ];
  });
}
