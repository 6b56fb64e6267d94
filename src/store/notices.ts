import { randomBytes } from "node:crypto";
import { type Id, idMaker } from "../domain/ids.ts";
import type { NoticeEvent } from "../domain/notice.ts";
import { id, text } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** Something that happened, for whoever wants to be told. Secrets never stand in it. */
export type Notice = {
  event: NoticeEvent;
  /** The id of what it is about. */
  about: string;
  data: Readonly<Record<string, unknown>>;
  atMs: number;
  /** Who is told by e-mail, beside the webhooks. */
  mailTo?: string;
};

/**
 * Puts it into the outbox, in the transaction of what happened: neither is there without the other. Where nobody wants to
 * know, nothing is written.
 */
export async function notify(tx: Tx, notice: Notice): Promise<void> {
  const { event, about, data, atMs, mailTo } = notice;
  const body = noticeBody({ type: event, atMs, data });
  for (const webhookId of await wantedBy(tx, event)) {
    await insertDelivery(tx, { ...{ webhookId, recipient: null, event, about, body }, nowMs: atMs });
  }
  if (mailTo === undefined) return;
  await insertDelivery(tx, { ...{ webhookId: null, recipient: mailTo, event, about, body }, nowMs: atMs });
}

/** What is sent, exactly: the same at every try. */
export function noticeBody({ type, atMs, data }: { type: string; atMs: number; data: unknown }): string {
  return JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data });
}

/** The webhooks that want to be told of it: those that are on. */
export async function wantedBy(tx: Tx, event: NoticeEvent): Promise<Id<"whk">[]> {
  const rows = await tx.all("select id, events from webhooks where enabled = 1 order by id");
  return rows
    .filter(row => (JSON.parse(text(row["events"])) as string[]).includes(event))
    .map(row => id("whk", row["id"]));
}

export type NewDelivery = {
  webhookId: Id<"whk"> | null;
  recipient: string | null;
  event: string;
  about: string;
  body: string;
  nowMs: number;
};

/** One maker for all, so that what is told within a millisecond keeps its order. */
const time = { nowMs: 0 };
const newId = idMaker({ nowMs: () => time.nowMs, randomBytes });

/** Due at once. */
export async function insertDelivery(tx: Tx, made: NewDelivery): Promise<Id<"dlv">> {
  const { webhookId, recipient, event, about, body, nowMs } = made;
  time.nowMs = nowMs;
  const deliveryId = newId("dlv");
  await tx.run(
    `insert into deliveries (id, webhook_id, recipient, event, about, body, state, tries, created_at_ms, next_at_ms)
      values (?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?)`,
    ...[deliveryId, webhookId, recipient, event, about, body, nowMs, nowMs],
  );
  return deliveryId;
}
