import type { Account } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import { formatUsd, type Nanos } from "../domain/money.ts";
import { BALANCE_MAX_TEXT, BALANCE_NANOS_MAX, lockAccount, writeLine } from "./accounts.ts";
import { type By, recordChange } from "./audit.ts";
import { begun } from "./audit-entries.ts";
import { big, id, text, textOrNull, whole, wholeOrNull } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";

export const CODES_PER_BATCH_MAX = 1000;
export const CODES_PAGE_MAX = 1000;
const CODES_PER_INSERT_MAX = 100;

/** What is kept of a code's string. */
export type CodeSecret = { id: Id<"code">; hash: string; preview: string };

export type NewCodes = {
  codes: readonly CodeSecret[];
  /** What each of them credits. */
  amount: Nanos;
  note: string;
  expiresAtMs: number | null;
  by: By;
};

export type Code = {
  id: Id<"code">;
  preview: string;
  amount: Nanos;
  note: string;
  createdAtMs: number;
  expiresAtMs: number | null;
  redeemedAtMs: number | null;
  /** The e-mail of the account that has it. */
  redeemedBy: string | null;
};

export type CodeState = "unused" | "redeemed" | "expired";

export function codeState(code: Pick<Code, "redeemedAtMs" | "expiresAtMs">, nowMs: number): CodeState {
  if (code.redeemedAtMs !== null) return "redeemed";
  return code.expiresAtMs !== null && code.expiresAtMs <= nowMs ? "expired" : "unused";
}

export async function createCodes(tx: Tx, made: NewCodes): Promise<{ count: number }> {
  const { codes, amount, note, expiresAtMs, by } = made;
  const { nowMs } = by;
  if (codes.length < 1 || codes.length > CODES_PER_BATCH_MAX) {
    throw new StoreProblem(`Codes are made 1 to ${CODES_PER_BATCH_MAX} at a time.`);
  }
  if (amount <= 0n) throw new StoreProblem("A code must be worth more than zero.");
  if (amount > BALANCE_NANOS_MAX) {
    throw new StoreProblem(
      `A code is worth at most ${BALANCE_MAX_TEXT} USD, the most that an account may have.`,
    );
  }
  if (expiresAtMs !== null && expiresAtMs <= nowMs) {
    throw new StoreProblem("The codes would expire before they could be used.");
  }
  for (let from = 0; from < codes.length; from += CODES_PER_INSERT_MAX) {
    const some = codes.slice(from, from + CODES_PER_INSERT_MAX);
    await tx.run(
      `insert into codes (id, hash, preview, amount, note, created_at_ms, expires_at_ms)
        values ${some.map(() => "(?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
      ...some.flatMap((code): SqlValue[] => {
        return [code.id, code.hash, code.preview, amount, note, nowMs, expiresAtMs];
      }),
    );
  }
  await recordChange(tx, by, {
    noun: "code",
    name: codes.length === 1 ? (codes[0]?.preview ?? "") : `${codes.length} codes`,
    id: codes[0]?.id ?? null,
    action: "create",
    fields: begun([
      ["count", String(codes.length)],
      ["amount", formatUsd(amount)],
      ["note", note],
      ["expires_at", time(expiresAtMs)],
    ]),
  });
  return { count: codes.length };
}

export type Redemption = {
  email: string;
  hash: string;
  ledgerId: Id<"led">;
  by: By;
};

/** Credits exactly once, whoever races: the row of the code is taken before the money is given. */
export async function redeemCode(
  tx: Tx,
  redemption: Redemption,
): Promise<{ account: Account; amount: Nanos }> {
  const { hash, ledgerId, by } = redemption;
  const { actor, nowMs } = by;
  const account = await lockAccount(tx, redemption);
  if (!account.enabled) {
    throw new StoreProblem(`The account ${account.email} is disabled, so it cannot redeem a code.`);
  }
  const [row] = await tx.all(`select * from codes where hash = ?${tx.forUpdate}`, hash);
  if (row === undefined) {
    throw new StoreProblem(
      "This code is not known: it is well formed, but was not made by this installation.",
    );
  }
  const code = toCode(row);
  const state = codeState(code, nowMs);
  if (state === "redeemed") throw new StoreProblem("This code has been redeemed already: each credits once.");
  if (state === "expired") throw new StoreProblem(`This code expired at ${time(code.expiresAtMs)}.`);
  await tx.run(
    "update codes set redeemed_at_ms = ?, redeemed_by = ? where id = ?",
    nowMs,
    account.id,
    code.id,
  );
  const { amount } = code;
  const credited = await writeLine(tx, account, {
    ledgerId,
    kind: "redemption",
    amount,
    usageId: null,
    // The database itself refuses a second line. No name that is sent from outside has a character beyond ASCII.
    once: `redemption → ${code.id}`,
    why: `code ${code.preview}`,
    actor,
    nowMs,
  });
  await recordChange(tx, by, {
    ...{ noun: "code", name: code.preview, id: code.id, action: "redeem" },
    fields: [
      ["account", "", account.email],
      ["balance", formatUsd(account.balance), formatUsd(credited.balance)],
    ],
  });
  return { account: credited, amount };
}

/** A code that nobody has used can be used no longer; null where there is no such code. */
export async function revokeCode(tx: Tx, { id: codeId, by }: { id: string; by: By }): Promise<Code | null> {
  const { nowMs } = by;
  const code = await codeById(tx, codeId);
  if (code === null) return null;
  const state = codeState(code, nowMs);
  if (state === "redeemed") {
    throw new StoreProblem(
      `The code ${code.id} was redeemed by ${code.redeemedBy}: what it credited can only be debited again.`,
    );
  }
  if (state === "expired") return code;
  await tx.run("update codes set expires_at_ms = ? where id = ?", nowMs, code.id);
  const fields = [["expires_at", time(code.expiresAtMs), time(nowMs)]] as const;
  await recordChange(tx, by, { noun: "code", name: code.preview, id: code.id, action: "revoke", fields });
  return { ...code, expiresAtMs: nowMs };
}

const CODES_WITH_HOLDER = `select codes.*, accounts.email as email from codes
  left join accounts on accounts.id = codes.redeemed_by`;

/** Newest first; the next page begins before the last id of this one. */
export async function codesPage(
  tx: Tx,
  page: { beforeId: string | null; limit: number; only?: { state: CodeState; nowMs: number } },
): Promise<Code[]> {
  const conditions: [sql: string, ...params: SqlValue[]][] = [];
  if (page.beforeId !== null) conditions.push(["codes.id < ?", page.beforeId]);
  if (page.only !== undefined) conditions.push(stateCondition(page.only));
  const where = conditions.length === 0 ? "" : `where ${conditions.map(([sql]) => sql).join(" and ")}`;
  const params = conditions.flatMap(([, ...values]) => values);
  const sql = `${CODES_WITH_HOLDER} ${where} order by codes.id desc limit ?`;
  return (await tx.all(sql, ...params, Math.min(page.limit, CODES_PAGE_MAX))).map(toCode);
}

/** The same as `codeState` tells of each. */
function stateCondition({ state, nowMs }: { state: CodeState; nowMs: number }): [string, ...SqlValue[]] {
  if (state === "redeemed") return ["redeemed_at_ms is not null"];
  return state === "expired"
    ? ["redeemed_at_ms is null and expires_at_ms <= ?", nowMs]
    : ["redeemed_at_ms is null and (expires_at_ms is null or expires_at_ms > ?)", nowMs];
}

async function codeById(tx: Tx, codeId: string): Promise<Code | null> {
  const [row] = await tx.all(`${CODES_WITH_HOLDER} where codes.id = ?`, codeId);
  return row === undefined ? null : toCode(row);
}

function toCode(row: SqlRow): Code {
  return {
    id: id("code", row["id"]),
    preview: text(row["preview"]),
    amount: big(row["amount"]),
    note: text(row["note"]),
    createdAtMs: whole(row["created_at_ms"]),
    expiresAtMs: wholeOrNull(row["expires_at_ms"]),
    redeemedAtMs: wholeOrNull(row["redeemed_at_ms"]),
    redeemedBy: textOrNull(row["email"]),
  };
}

function time(ms: number | null): string {
  return ms === null ? "" : new Date(ms).toISOString();
}
