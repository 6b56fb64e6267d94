import type { Id } from "../domain/ids.ts";
import { TEST_EVENT } from "../domain/notice.ts";
import { type By, recordChange } from "./audit.ts";
import {
  type Claim,
  type ClaimedDelivery,
  type Delivery,
  isClaimed,
  readClaimable,
  toDelivery,
  writeClaim,
} from "./deliveries.ts";
import { insertDelivery, noticeBody } from "./notices.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";
import { demandWebhook, switchWebhook } from "./webhooks.ts";

/** How one try has ended. */
export type TriedDelivery = {
  id: Id<"dlv">;
  ok: boolean;
  status: number | null;
  problem: string | null;
  /** When it is tried again, where it was not brought; null: never. */
  nextAtMs: number | null;
};

export type Noting = {
  claimedBy: string;
  tried: readonly TriedDelivery[];
  by: By;
  /** Somebody asked for it, who sees how it went: days of failure are not counted by that. */
  isAsked?: boolean;
};

/** A receiver that answers so wants nothing any more. */
const GONE = 410;
const FAILING_MS_MAX = 5 * 86_400_000;

/** Writes down how tries have ended. A try whose claim is another's by now is not heard any more. */
export async function noteDeliveries(
  tx: Tx,
  { claimedBy, tried, by, isAsked = false }: Noting,
): Promise<void> {
  for (const one of tried) {
    const row = await readClaimable(tx, one.id);
    const mine = await tx.all("select id from deliveries where id = ? and claimed_by = ?", one.id, claimedBy);
    if (row === null || mine.length === 0) continue;
    await writeTry(tx, { row, tried: one, nowMs: by.nowMs });
    if (row.webhookId !== null) await judgeWebhook(tx, { id: row.webhookId, tried: one, by, isAsked });
  }
}

async function writeTry(
  tx: Tx,
  { row, tried, nowMs }: { row: ClaimedDelivery; tried: TriedDelivery; nowMs: number },
): Promise<void> {
  const { ok, status, problem, nextAtMs } = tried;
  const state = ok ? "delivered" : nextAtMs === null ? "given_up" : "waiting";
  // What waits for a webhook that is off has no time, until it is on again.
  const isOff = row.webhook !== null && !row.webhook.enabled;
  await tx.run(
    `update deliveries set state = ?, tries = tries + 1, status = ?, problem = ?, tried_at_ms = ?, next_at_ms = ?,
      claimed_by = null, claimed_until_ms = null where id = ?`,
    ...[state, status, ok ? null : problem, nowMs, ok || isOff ? null : nextAtMs, tried.id],
  );
}

async function judgeWebhook(
  tx: Tx,
  { id, tried, by, isAsked }: { id: Id<"whk">; tried: TriedDelivery; by: By; isAsked: boolean },
): Promise<void> {
  const webhook = await demandWebhook(tx, id);
  // One that is off keeps what was held against it, so that it is seen why.
  if (!webhook.enabled) return;
  if (tried.ok) {
    await tx.run("update webhooks set failing_since_ms = null where id = ?", id);
    return;
  }
  const sinceMs = webhook.failingSinceMs ?? by.nowMs;
  await tx.run("update webhooks set failing_since_ms = ? where id = ?", sinceMs, id);
  const isGone = tried.status === GONE;
  if (!isGone && (isAsked || by.nowMs - sinceMs < FAILING_MS_MAX)) return;
  await switchWebhook(tx, { id, enabled: false, nowMs: by.nowMs });
  const why = isGone ? "its receiver answers 410 Gone" : "nothing has arrived for five days";
  const fields = [
    ["enabled", "true", "false"],
    ["reason", "", why],
  ] as const;
  await recordChange(tx, by, { noun: "webhook", name: webhook.name, id, action: "disable", fields });
}

export type Testing = { webhookId: Id<"whk">; claim: Claim };

/** Something to send by way of a test, claimed by whoever sends it at once; null where there is no such webhook. */
export async function makeTest(tx: Tx, { webhookId, claim }: Testing): Promise<ClaimedDelivery | null> {
  const [found] = await tx.all("select id, name from webhooks where id = ?", webhookId);
  if (found === undefined) return null;
  const { nowMs } = claim;
  const data = { webhook: { id: webhookId, name: String(found["name"]) } };
  const body = noticeBody({ type: TEST_EVENT, atMs: nowMs, data });
  const made = { webhookId, recipient: null, event: TEST_EVENT, about: webhookId, body, nowMs };
  const id = await insertDelivery(tx, made);
  await writeClaim(tx, id, claim);
  return readClaimable(tx, id);
}

/** Takes one to send it again now, with how it stood; null where this webhook has no such delivery. */
export async function takeAgain(
  tx: Tx,
  { webhookId, id, claim }: Testing & { id: string },
): Promise<(ClaimedDelivery & { wasWaiting: boolean }) | null> {
  const row = await readClaimable(tx, id);
  if (row === null || row.webhookId !== webhookId) return null;
  const wasWaiting = row.state === "waiting";
  if (wasWaiting && (await isClaimed(tx, id, claim.nowMs))) {
    throw new StoreProblem("It is being sent just now. Look again in a moment.");
  }
  // If whoever sends it dies over it, it is tried once more when the claim has run out.
  const sql = "update deliveries set state = 'waiting', next_at_ms = ? where id = ?";
  if (!wasWaiting) await tx.run(sql, claim.untilMs, id);
  await writeClaim(tx, id, claim);
  return { ...row, wasWaiting };
}

export async function readDelivery(tx: Tx, { id }: { id: string }): Promise<Delivery | null> {
  const [row] = await tx.all("select * from deliveries where id = ?", id);
  return row === undefined ? null : toDelivery(row);
}
