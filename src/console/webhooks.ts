import type { NoticeEvent } from "../domain/notice.ts";
import type { Claim, Delivery } from "../store/deliveries.ts";
import type { TriedDelivery } from "../store/deliveries-note.ts";
import { StoreProblem } from "../store/store.ts";
import type { Webhook, WebhookChange, WebhookListing } from "../store/webhooks.ts";
import { seal } from "../upstream/seal.ts";
import { newWebhookSecret } from "../upstream/webhook.ts";
import { webhookAddressProblem } from "../upstream/webhook-address.ts";
import { BOUND_TO } from "./bound-to.ts";
import { byOf, type Control } from "./control.ts";
import { type Bring, CLAIM_MS, triedOf } from "./deliver.ts";
import { nameProblem, trimmedName } from "./keys.ts";

/** What webhooks need of the house: the way to them, and what of it is allowed. */
export type WebhookPost = { bring: Bring; privateHosts: readonly string[] };

export type WebhookForm = { name: string; url: string; events: readonly NoticeEvent[] };

const REMOVED_AT_ONCE = 1_000;

/** Makes a webhook; its signing secret is in the answer and nowhere else. */
export async function makeWebhook(
  control: Control,
  form: WebhookForm,
  { privateHosts }: Pick<WebhookPost, "privateHosts">,
): Promise<{ webhook: WebhookListing; secret: string }> {
  const checked = checkedChange(form, privateHosts);
  const id = control.newId("whk");
  const { secret, sealed } = freshSecret(control, id);
  const { name = "", url = "", events = [] } = checked;
  const made = { id, name, url, events, secret: sealed, by: byOf(control) };
  return { webhook: await control.store.run("webhook.create", made), secret };
}

/** Null where there is no such webhook. */
export function editWebhook(
  control: Control,
  { id, change }: { id: string; change: WebhookChange },
  { privateHosts }: Pick<WebhookPost, "privateHosts">,
): Promise<WebhookListing | null> {
  const checked = checkedChange(change, privateHosts);
  return control.store.run("webhook.change", { id, change: checked, by: byOf(control) });
}

function checkedChange(change: WebhookChange, privateHosts: readonly string[]): WebhookChange {
  const checked: WebhookChange = {};
  if (change.name !== undefined) {
    checked.name = trimmedName(change.name);
    const problem = nameProblem(checked.name);
    if (problem !== null) throw new StoreProblem(problem.replace("A key", "A webhook"), { field: "name" });
  }
  if (change.url !== undefined) {
    checked.url = change.url.trim();
    const problem = webhookAddressProblem(checked.url, privateHosts);
    if (problem !== null) throw new StoreProblem(problem, { field: "url" });
  }
  if (change.events !== undefined) checked.events = [...new Set(change.events)];
  if (checked.events?.length === 0) {
    throw new StoreProblem("Choose at least one event that it is told of.", { field: "events" });
  }
  return change.enabled === undefined ? checked : { ...checked, enabled: change.enabled };
}

/** The new one is in the answer and nowhere else; null where there is no such webhook. */
export async function renewSecret(
  control: Control,
  id: string,
): Promise<{ name: string; secret: string; oldSecretUntilMs: number } | null> {
  const { secret, sealed } = freshSecret(control, id);
  const asked = { id, oldId: control.newId("whs"), secret: sealed, by: byOf(control) };
  const renewed = await control.store.run("webhook.secret", asked);
  return renewed === null ? null : { ...renewed, secret };
}

function freshSecret({ randomBytes, secrets }: Control, id: string): { secret: string; sealed: Uint8Array } {
  const secret = newWebhookSecret(randomBytes);
  return { secret, sealed: seal(secret, { key: secrets.seal, boundTo: BOUND_TO.webhooks(id) ?? "" }) };
}

/** With all that was sent to it; null where there is no such webhook. */
export async function dropWebhook(control: Control, id: string): Promise<Webhook | null> {
  for (;;) {
    const asked = { id, rowsMax: REMOVED_AT_ONCE, by: byOf(control) };
    const removed = await control.store.run("webhook.remove", asked);
    if (removed === null || removed.isDone) return removed?.webhook ?? null;
  }
}

/** Sends something now and tells how it went, once: a test is not tried again. Null where there is no such webhook. */
export async function testWebhook(
  control: Control,
  id: Webhook["id"],
  bring: Bring,
): Promise<Delivery | null> {
  const claim = claimOf(control);
  const row = await control.store.run("delivery.test", { webhookId: id, claim });
  if (row === null) return null;
  const { ok, status, problem } = await bring(row);
  return noted(control, claim, { id: row.id, ok, status, problem, nextAtMs: null });
}

export type Again = { webhookId: Webhook["id"]; id: string };

/** Sends it now. What waits goes on waiting where it fails; what was given up stays so. Null where it is not there. */
export async function sendAgain(
  control: Control,
  { webhookId, id }: Again,
  bring: Bring,
): Promise<Delivery | null> {
  const claim = claimOf(control);
  const row = await control.store.run("delivery.again", { webhookId, id, claim });
  if (row === null) return null;
  const random = () => (control.randomBytes(1)[0] ?? 0) / 255;
  const tried = triedOf(row, await bring(row), { nowMs: control.nowMs(), random });
  return noted(control, claim, row.wasWaiting ? tried : { ...tried, nextAtMs: null });
}

/** In a name of its own: whoever asks need not be one of the instances. */
function claimOf({ newId, nowMs }: Control): Claim {
  const now = nowMs();
  return { by: `asked ${newId("dlv")}`, nowMs: now, untilMs: now + CLAIM_MS };
}

async function noted(control: Control, claim: Claim, tried: TriedDelivery): Promise<Delivery | null> {
  const { store } = control;
  const how = { claimedBy: claim.by, tried: [tried], isAsked: true, by: byOf(control) };
  await store.run("deliveries.note", how);
  return store.run("delivery.read", { id: tried.id });
}
