import { MULTIPLIER_ONE } from "../domain/money.ts";
import type { Pocket } from "../domain/pocket.ts";
import { parseWindows } from "../domain/spend-window.ts";
import type { OpenHold, Resolution } from "./ledger.ts";
import { big, id, text, textOrNull, whole } from "./rows.ts";
import type { SqlRow } from "./tx.ts";
import { toUsage } from "./usage.ts";

/** The columns of an open usage row that its settlement needs. */
export const HOLD_COLUMNS =
  "id, key_id, hold, multiplier, pocket, windows, input_tokens_guessed, model, tool";

export function toHold(row: SqlRow): OpenHold {
  return {
    id: id("req", row["id"]),
    keyId: id("key", row["key_id"]),
    hold: big(row["hold"]),
    multiplier: whole(row["multiplier"]),
    pocket: (textOrNull(row["pocket"]) ?? "balance") as Pocket,
    windows: parseWindows(textOrNull(row["windows"])),
    inputTokensGuessed: whole(row["input_tokens_guessed"]),
    model: text(row["model"]),
    tool: text(row["tool"]),
  };
}

/** How a row ends whose process is no more: at what its last checkpoint shows was delivered. */
export function interrupted(row: SqlRow): Resolution {
  const cost = big(row["cost"]);
  const multiplier = BigInt(whole(row["multiplier"]));
  return {
    id: id("req", row["id"]),
    state: "interrupted",
    status: null,
    reason: "interrupted",
    upstream: null,
    usage: toUsage(row),
    cost,
    // Who was asked is not known any more: the price itself is the nearest to it.
    ourCost: multiplier === 0n ? 0n : (cost * BigInt(MULTIPLIER_ONE)) / multiplier,
    bound: 0n,
    source: cost > 0n ? "estimated" : null,
    firstByteMs: null,
    durationMs: null,
  };
}
