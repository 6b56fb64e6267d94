import { firstIdAt } from "../domain/id-time.ts";
import type { Id } from "../domain/ids.ts";
import type { DeliveryState } from "../domain/notice.ts";
import { id, text, textOrNull, whole, wholeOrNull } from "./rows.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";
import { forgetSpentSecrets, hasSpentSecrets, type OldSecret, oldSecretsOf } from "./webhook-secrets.ts";

/** The outbox: what is to be told to whom, and what became of it. Each is brought by one instance, at least once. */

export type Delivery = {
  id: Id<"dlv">;
  webhookId: Id<"whk"> | null;
  /** Of a mail. */
  recipient: string | null;
  event: string;
  about: string;
  body: string;
  state: DeliveryState;
  tries: number;
  status: number | null;
  problem: string | null;
  createdAtMs: number;
  triedAtMs: number | null;
  nextAtMs: number | null;
};

/** Where it goes; the secrets are sealed. */
export type WebhookAddress = {
  url: string;
  secret: Uint8Array;
  oldSecrets: readonly OldSecret[];
  enabled: boolean;
};

/** One that somebody has taken to bring it. */
export type ClaimedDelivery = Delivery & { webhook: WebhookAddress | null };

export type Look = {
  isDue: boolean;
  /** There are some that are kept no longer, or a secret that signs no longer. */
  isOld: boolean;
  wantsBalance: boolean;
  wantsSpend: boolean;
};

export const KEPT_MS = 30 * 86_400_000;

/** What there is to do, in steps along indexes: asked every second by every instance. */
export async function lookAtOutbox(tx: Tx, { nowMs }: { nowMs: number }): Promise<Look> {
  const due = await tx.all(
    "select id from deliveries where state = 'waiting' and next_at_ms <= ? limit 1",
    nowMs,
  );
  const old = await tx.all("select id from deliveries where id < ? limit 1", oldest(nowMs));
  const events = (await tx.all("select events from webhooks where enabled = 1")).flatMap(
    row => JSON.parse(text(row["events"])) as string[],
  );
  return {
    isDue: due.length > 0,
    isOld: old.length > 0 || (await hasSpentSecrets(tx, nowMs)),
    wantsBalance: events.includes("balance.low"),
    wantsSpend: events.includes("spend.alert"),
  };
}

function oldest(nowMs: number): Id<"dlv"> {
  return firstIdAt("dlv", nowMs - KEPT_MS);
}

/** A claim ends with its time, and with the process that made it. */
const UNCLAIMED = `(claimed_until_ms is null or claimed_until_ms <= ? or
  (substr(claimed_by, 1, 5) = 'boot_' and claimed_by not in (select boot_id from instances)))`;

export type DueAsked = {
  nowMs: number;
  /** How many may be under way to one receiver, and how many are. The receiver of mails has the empty name. */
  each: number;
  busy: readonly (readonly [receiver: string, count: number])[];
};

/** A few for each receiver, so that one that hangs keeps nobody waiting but itself. */
export async function dueDeliveries(tx: Tx, { nowMs, each, busy }: DueAsked): Promise<Id<"dlv">[]> {
  const running = new Map(busy);
  const rows = await tx.all("select id from webhooks where enabled = 1 order by id");
  const found: Id<"dlv">[] = [];
  for (const receiver of ["", ...rows.map(row => text(row["id"]))]) {
    const free = each - (running.get(receiver) ?? 0);
    if (free <= 0) continue;
    const whose = receiver === "" ? "webhook_id is null" : "webhook_id = ?";
    const due = await tx.all(
      `select id from deliveries where ${whose} and state = 'waiting' and next_at_ms <= ? and ${UNCLAIMED}
        order by next_at_ms limit ?`,
      ...[...(receiver === "" ? [] : [receiver]), nowMs, nowMs, free],
    );
    found.push(...due.map(row => id("dlv", row["id"])));
  }
  return found;
}

export type Claim = { by: string; nowMs: number; untilMs: number };

/** Those of them that nobody else has taken meanwhile. */
export async function claimDeliveries(
  tx: Tx,
  { ids, claim }: { ids: readonly Id<"dlv">[]; claim: Claim },
): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = [];
  for (const one of ids) {
    const [row] = await tx.all(
      `${CLAIMABLE} where deliveries.id = ? and state = 'waiting' and next_at_ms <= ? and ${UNCLAIMED}`,
      ...[one, claim.nowMs, claim.nowMs],
    );
    if (row === undefined) continue;
    await writeClaim(tx, one, claim);
    claimed.push(await toClaimed(tx, row));
  }
  return claimed;
}

const CLAIMABLE = `select deliveries.*, webhooks.url as url, webhooks.secret as secret, webhooks.enabled as enabled
  from deliveries left join webhooks on webhooks.id = deliveries.webhook_id`;

export async function readClaimable(tx: Tx, deliveryId: string): Promise<ClaimedDelivery | null> {
  const [row] = await tx.all(`${CLAIMABLE} where deliveries.id = ?`, deliveryId);
  return row === undefined ? null : toClaimed(tx, row);
}

export async function isClaimed(tx: Tx, deliveryId: string, nowMs: number): Promise<boolean> {
  const rows = await tx.all(`select id from deliveries where id = ? and ${UNCLAIMED}`, deliveryId, nowMs);
  return rows.length === 0;
}

export async function writeClaim(tx: Tx, deliveryId: string, { by, untilMs }: Claim): Promise<void> {
  const sql = "update deliveries set claimed_by = ?, claimed_until_ms = ? where id = ?";
  await tx.run(sql, by, untilMs, deliveryId);
}

/** What a process that stops leaves to the others. */
export async function releaseDeliveries(tx: Tx, { by }: { by: string }): Promise<void> {
  const sql = "update deliveries set claimed_by = null, claimed_until_ms = null where state = 'waiting'";
  await tx.run(`${sql} and claimed_by = ?`, by);
}

export type DeliveryPage = {
  webhookId: string;
  before: string | null;
  state: DeliveryState | null;
  limit: number;
};

/** Newest first. */
export async function deliveryPage(tx: Tx, page: DeliveryPage): Promise<Delivery[]> {
  const { webhookId, before, state, limit } = page;
  const params: SqlValue[] = [webhookId];
  const where = ["webhook_id = ?"];
  if (before !== null) {
    where.push("id < ?");
    params.push(before);
  }
  if (state !== null) {
    where.push("state = ?");
    params.push(state);
  }
  const sql = `select * from deliveries where ${where.join(" and ")} order by id desc limit ?`;
  return (await tx.all(sql, ...params, limit)).map(toDelivery);
}

export type Tidying = { nowMs: number; rowsMax: number; waitingMax: number };

/** Forgets what is old, and gives up what waits beyond all measure; a little at a time. Gives how many it found. */
export async function tidyDeliveries(tx: Tx, { nowMs, rowsMax, waitingMax }: Tidying): Promise<number> {
  const old = await tx.all(
    "select id from deliveries where id < ? order by id limit ?",
    oldest(nowMs),
    rowsMax,
  );
  const last = old.at(-1);
  if (last !== undefined) await tx.run("delete from deliveries where id <= ?", text(last["id"]));
  await forgetSpentSecrets(tx, nowMs);
  const crowded = await tx.all(
    `select webhook_id, count(*) as n from deliveries where state = 'waiting' and webhook_id is not null
      group by webhook_id having count(*) > ?`,
    waitingMax,
  );
  let count = old.length;
  for (const row of crowded) {
    const most = Math.min(whole(row["n"]) - waitingMax, rowsMax);
    count += most;
    await tx.run(
      `update deliveries set state = 'given_up', problem = ?, next_at_ms = null where id in
        (select id from deliveries where webhook_id = ? and state = 'waiting' order by id limit ?)`,
      ...[`More than ${waitingMax} were waiting for this webhook, so the oldest were given up.`],
      ...[text(row["webhook_id"]), most],
    );
  }
  return count;
}

export function toDelivery(row: SqlRow): Delivery {
  const webhookId = textOrNull(row["webhook_id"]);
  return {
    id: id("dlv", row["id"]),
    webhookId: webhookId === null ? null : id("whk", webhookId),
    recipient: textOrNull(row["recipient"]),
    event: text(row["event"]),
    about: text(row["about"]),
    body: text(row["body"]),
    state: text(row["state"]) as DeliveryState,
    tries: whole(row["tries"]),
    status: wholeOrNull(row["status"]),
    problem: textOrNull(row["problem"]),
    createdAtMs: whole(row["created_at_ms"]),
    triedAtMs: wholeOrNull(row["tried_at_ms"]),
    nextAtMs: wholeOrNull(row["next_at_ms"]),
  };
}

async function toClaimed(tx: Tx, row: SqlRow): Promise<ClaimedDelivery> {
  const delivery = toDelivery(row);
  const { secret } = row;
  if (!(secret instanceof Uint8Array) || delivery.webhookId === null) return { ...delivery, webhook: null };
  const oldSecrets = await oldSecretsOf(tx, delivery.webhookId);
  const enabled = whole(row["enabled"]) === 1;
  return { ...delivery, webhook: { url: text(row["url"]), secret, oldSecrets, enabled } };
}
