import { idTimeMs } from "../domain/id-time.ts";
import { textOrNull } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** Under this name the house knows the id before which rows of the usage log are kept no longer. */
export const KEPT_FROM = "usage kept from";

/** That id in SQL; nothing is before the empty text. */
export const KEPT_FROM_SQL = "coalesce((select value from house where name = 'usage kept from'), '')";

/** Null where every row is kept. */
export async function keptFrom(tx: Tx, _args: Record<string, never>): Promise<string | null> {
  const [row] = await tx.all("select value from house where name = ?", KEPT_FROM);
  return textOrNull(row?.["value"]);
}

/** The time of it; where every row is kept, the beginning of all time. */
export async function keptFromMs(tx: Tx): Promise<number> {
  const mark = await keptFrom(tx, {});
  return mark === null ? 0 : idTimeMs(mark);
}
