import { isId } from "../../../domain/ids.ts";
import { formatUsd, parseUsd } from "../../../domain/money.ts";
import type { Code, CodeState } from "../../../store/codes.ts";
import { makeCodes } from "../../codes.ts";
import { byOf } from "../../control.ts";
import { timeOrNull } from "../account-view.ts";
import { fieldProblem } from "../keys-form.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers } from "../visit.ts";

const LIMIT_DEFAULT = 50;
const STATES = { open: "unused", redeemed: "redeemed", expired: "expired" } as const satisfies Record<
  string,
  CodeState
>;

export const codeHandlers = {
  "GET /operator/codes": async ({ desk, nowMs }, { query }) => {
    const { limit = LIMIT_DEFAULT, before = null, state } = query;
    const only = state === undefined ? {} : { only: { state: STATES[state], nowMs } };
    // One more than is shown tells whether there is another page.
    const codes = await desk.store.report("codes", { beforeId: before, limit: limit + 1, ...only });
    const shown = codes.slice(0, limit);
    return {
      codes: shown.map(codeView),
      next: codes.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  },

  "POST /operator/codes": async ({ control, nowMs }, { body }) => {
    const { count, note, expires_at: expires = null } = body;
    const amount = parseUsd(body.amount_usd) ?? 0n;
    if (amount === 0n) throw fieldProblem("amount_usd", "A code must be worth more than zero.");
    const expiresAtMs = expires === null ? null : Date.parse(expires);
    if (expiresAtMs !== null && expiresAtMs <= nowMs) {
      throw fieldProblem("expires_at", "This time has passed. Choose a later one, or none.");
    }
    return { codes: await makeCodes(control, { count, amount, note: note.trim(), expiresAtMs }) };
  },

  "DELETE /operator/codes/{id}": async ({ desk, control }, { params: { id } }) => {
    const revoked = isId("code", id) ? await desk.store.run("code.revoke", { id, by: byOf(control) }) : null;
    if (revoked === null) throw new ConsoleProblem("not_found", "There is no such code.");
    return { done: true };
  },
} satisfies Partial<Handlers>;

function codeView({ id, preview, amount, note, createdAtMs, expiresAtMs, redeemedAtMs, redeemedBy }: Code) {
  return {
    ...{ id, preview, note },
    amount_usd: formatUsd(amount),
    created_at: new Date(createdAtMs).toISOString(),
    expires_at: timeOrNull(expiresAtMs),
    redeemed_at: timeOrNull(redeemedAtMs),
    redeemed_by: redeemedBy,
  };
}
