import type { z } from "zod";
import { type Id, isId } from "../../../domain/ids.ts";
import type { Delivery } from "../../../store/deliveries.ts";
import type { WebhookChange, WebhookListing } from "../../../store/webhooks.ts";
import type { delivery, webhook, webhookEndpoints } from "../../contract/operator/webhooks.ts";
import {
  dropWebhook,
  editWebhook,
  makeWebhook,
  renewSecret,
  sendAgain,
  testWebhook,
} from "../../webhooks.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers } from "../visit.ts";

const LIMIT_DEFAULT = 50;

export const webhookHandlers = {
  "GET /operator/webhooks": async ({ desk }) => ({
    webhooks: (await desk.store.report("webhooks", {})).map(webhookView),
  }),

  "POST /operator/webhooks": async ({ control, desk }, { body }) => {
    const made = await makeWebhook(control, body, desk.webhooks);
    return { webhook: webhookView(made.webhook), secret: made.secret };
  },

  "PATCH /operator/webhooks/{id}": async ({ control, desk }, { params, body }) => {
    const { name, url, events, enabled } = body;
    const change: WebhookChange = {
      ...(name === undefined ? {} : { name }),
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events }),
      ...(enabled === undefined ? {} : { enabled }),
    };
    const changed = await editWebhook(control, { id: idOf(params.id), change }, desk.webhooks);
    if (changed === null) throw noSuchWebhook();
    return webhookView(changed);
  },

  "POST /operator/webhooks/{id}/secret": async ({ control }, { params }) => {
    const renewed = await renewSecret(control, idOf(params.id));
    if (renewed === null) throw noSuchWebhook();
    return { secret: renewed.secret, old_secret_until: timeOf(renewed.oldSecretUntilMs) };
  },

  "DELETE /operator/webhooks/{id}": async ({ control }, { params }) => {
    if ((await dropWebhook(control, idOf(params.id))) === null) throw noSuchWebhook();
    return { done: true };
  },

  "POST /operator/webhooks/{id}/test": async ({ control, desk }, { params }) => {
    const sent = await testWebhook(control, idOf(params.id), desk.webhooks.bring);
    if (sent === null) throw noSuchWebhook();
    return deliveryView(sent);
  },

  "GET /operator/webhooks/{id}/deliveries": async ({ desk }, { params, query }) => {
    const webhookId = idOf(params.id);
    const { limit = LIMIT_DEFAULT, before = null, state = null } = query;
    const known = await desk.store.report("webhooks", {});
    if (!known.some(({ id }) => id === webhookId)) throw noSuchWebhook();
    // One more than is shown tells whether there is another page.
    const rows = await desk.store.report("deliveries.page", { webhookId, before, state, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    return {
      deliveries: shown.map(deliveryView),
      next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  },

  "POST /operator/webhooks/{id}/deliveries/{delivery}/again": async ({ control, desk }, { params }) => {
    const again = { webhookId: idOf(params.id), id: params.delivery };
    const sent = await sendAgain(control, again, desk.webhooks.bring);
    if (sent === null) {
      throw new ConsoleProblem("not_found", "There is no such delivery of this webhook, or no longer.");
    }
    return deliveryView(sent);
  },
} satisfies Pick<Handlers, keyof typeof webhookEndpoints>;

function idOf(id: string): Id<"whk"> {
  if (!isId("whk", id)) throw noSuchWebhook();
  return id;
}

function noSuchWebhook(): ConsoleProblem {
  return new ConsoleProblem("not_found", "There is no such webhook, or no longer.");
}

function webhookView(one: WebhookListing): z.output<typeof webhook> {
  const { id, name, url, events, enabled, createdAtMs, failingSinceMs, oldSecretUntilMs, last } = one;
  return {
    ...{ id, name, url, events: [...events], enabled },
    created_at: timeOf(createdAtMs),
    failing_since: timeOrNull(failingSinceMs),
    old_secret_until: timeOrNull(oldSecretUntilMs),
    last_delivery: last === null ? null : { at: timeOf(last.atMs), state: last.state, status: last.status },
  };
}

function deliveryView(one: Delivery): z.output<typeof delivery> {
  const { id, event, createdAtMs, tries, state, status, problem, triedAtMs, nextAtMs, body } = one;
  return {
    ...{ id, event, created_at: timeOf(createdAtMs), tries, state, status, problem },
    tried_at: timeOrNull(triedAtMs),
    next_try_at: timeOrNull(nextAtMs),
    body,
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeOf(ms);
}
