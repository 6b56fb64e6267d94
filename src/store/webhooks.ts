import type { Id } from "../domain/ids.ts";
import type { DeliveryState, NoticeEvent } from "../domain/notice.ts";
import { type By, recordChange } from "./audit.ts";
import { begun, changed, SECRET_AFTER, SECRET_BEFORE } from "./audit-entries.ts";
import { flag, id, text, whole, wholeOrNull } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { forgetSecretsOf, retireSecret } from "./webhook-secrets.ts";

export type Webhook = {
  id: Id<"whk">;
  name: string;
  url: string;
  events: readonly NoticeEvent[];
  enabled: boolean;
  createdAtMs: number;
  /** Since when nothing has arrived; of one that is off, why the house has switched it off. */
  failingSinceMs: number | null;
  /** Until when the secret before the newest signs, too; null where none does. */
  oldSecretUntilMs: number | null;
};

/** With what was sent last. */
export type WebhookListing = Webhook & {
  last: { atMs: number; state: DeliveryState; status: number | null } | null;
};

export type NewWebhook = Pick<Webhook, "id" | "name" | "url" | "events"> & { secret: Uint8Array; by: By };

export const WEBHOOKS_MAX = 50;

export async function createWebhook(tx: Tx, made: NewWebhook): Promise<WebhookListing> {
  const { id: webhookId, name, url, events, secret, by } = made;
  const [row] = await tx.all("select count(*) as count from webhooks");
  if (whole(row?.["count"]) >= WEBHOOKS_MAX) {
    throw new StoreProblem(
      `There are ${WEBHOOKS_MAX} webhooks, which is the most: remove one that is not used.`,
    );
  }
  await tx.run(
    `insert into webhooks (id, name, url, events, secret, enabled, created_at_ms) values (?, ?, ?, ?, ?, 1, ?)`,
    ...[webhookId, name, url, JSON.stringify(events), secret, by.nowMs],
  );
  const fields = begun([
    ["url", shownUrl(url)],
    ["events", events.join(", ")],
  ]);
  await recordChange(tx, by, { noun: "webhook", name, id: webhookId, action: "create", fields });
  return { ...(await demandWebhook(tx, webhookId)), last: null };
}

export type WebhookChange = Partial<Pick<Webhook, "name" | "url" | "events" | "enabled">>;

/** What is not named stays as it is; null where there is no such webhook. */
export async function changeWebhook(
  tx: Tx,
  { id: webhookId, change, by }: { id: string; change: WebhookChange; by: By },
): Promise<WebhookListing | null> {
  const before = await readWebhook(tx, webhookId);
  if (before === null) return null;
  const after = { ...before, ...change };
  await tx.run(
    "update webhooks set name = ?, url = ?, events = ? where id = ?",
    ...[after.name, after.url, JSON.stringify(after.events), webhookId],
  );
  if (after.enabled !== before.enabled) {
    await switchWebhook(tx, { id: before.id, enabled: after.enabled, nowMs: by.nowMs });
    // Whoever switches it knows how it stands; from here on it is judged anew.
    await tx.run("update webhooks set failing_since_ms = null where id = ?", webhookId);
  }
  const [was, is] = [shownUrl(before.url), shownUrl(after.url)];
  const fields = changed([
    ["name", before.name, after.name],
    ["url", was, after.url !== before.url && was === is ? `${is} (another)` : is],
    ["events", before.events.join(", "), after.events.join(", ")],
    ["enabled", String(before.enabled), String(after.enabled)],
  ]);
  if (fields.length > 0) {
    await recordChange(tx, by, {
      noun: "webhook",
      name: after.name,
      id: webhookId,
      action: "update",
      fields,
    });
  }
  const [listed] = await listings(tx, "where webhooks.id = ?", webhookId);
  return listed ?? null;
}

/** What waits for one that is off has no time at which it is due, and is due at once when it is on again. */
export async function switchWebhook(
  tx: Tx,
  { id: webhookId, enabled, nowMs }: { id: Id<"whk">; enabled: boolean; nowMs: number },
): Promise<void> {
  await tx.run("update webhooks set enabled = ? where id = ?", flag(enabled), webhookId);
  await tx.run(
    "update deliveries set next_at_ms = ? where webhook_id = ? and state = 'waiting'",
    ...[enabled ? nowMs : null, webhookId],
  );
}

/** The old one signs beside it for a day. Null where there is no such webhook. */
export async function renewWebhookSecret(
  tx: Tx,
  { id: webhookId, oldId, secret, by }: { id: string; oldId: Id<"whs">; secret: Uint8Array; by: By },
): Promise<{ name: string; oldSecretUntilMs: number } | null> {
  const webhook = await readWebhook(tx, webhookId);
  if (webhook === null) return null;
  const oldSecretUntilMs = await retireSecret(tx, { oldId, webhookId, nowMs: by.nowMs });
  await tx.run("update webhooks set secret = ? where id = ?", secret, webhookId);
  const { name } = webhook;
  const fields = [["secret", SECRET_BEFORE, SECRET_AFTER]] as const;
  await recordChange(tx, by, { noun: "webhook", name, id: webhookId, action: "new secret", fields });
  return { name, oldSecretUntilMs };
}

/**
 * Goes with all that was sent to it, so many rows at a time that nobody has to wait; called until it is done. Null where
 * there is no such webhook.
 */
export async function removeWebhook(
  tx: Tx,
  { id: webhookId, rowsMax, by }: { id: string; rowsMax: number; by: By },
): Promise<{ webhook: Webhook; isDone: boolean } | null> {
  const webhook = await readWebhook(tx, webhookId);
  if (webhook === null) return null;
  if (webhook.enabled) await switchWebhook(tx, { id: webhook.id, enabled: false, nowMs: by.nowMs });
  const rows = await tx.all(
    "select id from deliveries where webhook_id = ? order by id limit ?",
    webhookId,
    rowsMax,
  );
  const last = rows.at(-1);
  const sql = "delete from deliveries where webhook_id = ? and id <= ?";
  if (last !== undefined) await tx.run(sql, webhookId, text(last["id"]));
  if (rows.length === rowsMax) return { webhook, isDone: false };
  await forgetSecretsOf(tx, webhookId);
  await tx.run("delete from webhooks where id = ?", webhookId);
  const { name, url } = webhook;
  const fields = [["url", shownUrl(url), ""]] as const;
  await recordChange(tx, by, { noun: "webhook", name, id: webhookId, action: "delete", fields });
  return { webhook, isDone: true };
}

export function listWebhooks(tx: Tx): Promise<WebhookListing[]> {
  return listings(tx, "");
}

export async function readWebhook(tx: Tx, webhookId: string): Promise<Webhook | null> {
  const [row] = await tx.all(`select *, ${OLD_UNTIL} from webhooks where id = ?`, webhookId);
  return row === undefined ? null : toWebhook(row);
}

export async function demandWebhook(tx: Tx, webhookId: string): Promise<Webhook> {
  const webhook = await readWebhook(tx, webhookId);
  if (webhook === null) throw new StoreProblem("There is no such webhook, or no longer.");
  return webhook;
}

export type FailingWebhook = { id: string; name: string; sinceMs: number; isOff: boolean };

/** Those that the house has switched off, and those that have failed for a while. */
export async function failingWebhooks(tx: Tx, { beforeMs }: { beforeMs: number }): Promise<FailingWebhook[]> {
  const rows = await tx.all(
    `select *, ${OLD_UNTIL} from webhooks where failing_since_ms is not null and (enabled = 0 or failing_since_ms <= ?)
      order by id`,
    beforeMs,
  );
  return rows.map(toWebhook).map(({ id: webhookId, name, enabled, failingSinceMs }) => {
    return { id: webhookId, name, sinceMs: failingSinceMs ?? 0, isOff: !enabled };
  });
}

/** Of many receivers the path is the secret: the record names the place and not the way in. */
export function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? origin : `${origin}/…`;
}

const OLD_UNTIL = `(select max(until_ms) from old_webhook_secrets where webhook_id = webhooks.id) as old_secret_until_ms`;
const NEWEST = "(select max(id) from deliveries where deliveries.webhook_id = webhooks.id)";

async function listings(tx: Tx, where: string, ...params: string[]): Promise<WebhookListing[]> {
  const rows = await tx.all(
    `select webhooks.*, ${OLD_UNTIL}, newest.state as last_state, newest.status as last_status,
        coalesce(newest.tried_at_ms, newest.created_at_ms) as last_at_ms
      from webhooks left join deliveries as newest on newest.id = ${NEWEST} ${where} order by webhooks.id`,
    ...params,
  );
  return rows.map(row => ({ ...toWebhook(row), last: lastOf(row) }));
}

function lastOf(row: SqlRow): WebhookListing["last"] {
  const atMs = wholeOrNull(row["last_at_ms"]);
  if (atMs === null) return null;
  return { atMs, state: text(row["last_state"]) as DeliveryState, status: wholeOrNull(row["last_status"]) };
}

function toWebhook(row: SqlRow): Webhook {
  return {
    id: id("whk", row["id"]),
    name: text(row["name"]),
    url: text(row["url"]),
    events: JSON.parse(text(row["events"])) as NoticeEvent[],
    enabled: whole(row["enabled"]) === 1,
    createdAtMs: whole(row["created_at_ms"]),
    failingSinceMs: wholeOrNull(row["failing_since_ms"]),
    oldSecretUntilMs: wholeOrNull(row["old_secret_until_ms"]),
  };
}
