import { z } from "zod";
import { DELIVERY_STATES, NOTICE_EVENTS } from "../../../domain/notice.ts";
import type { Endpoint } from "../endpoint.ts";
import { done, instant, pageQuery } from "../form.ts";

export const webhookEvent = z.enum(NOTICE_EVENTS);

const events = z.array(webhookEvent).min(1).max(20);
const name = z.string().min(1).max(100);
const url = z.string().min(1).max(2048);

export const webhook = z.strictObject({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(webhookEvent),
  enabled: z.boolean(),
  created_at: instant,
  /** Since when nothing has arrived, though something was sent. */
  failing_since: instant.nullable(),
  /** Until when the secret before the newest signs, too. */
  old_secret_until: instant.nullable(),
  last_delivery: z
    .strictObject({
      at: instant,
      state: z.enum(DELIVERY_STATES),
      status: z.number().int().nullable(),
    })
    .nullable(),
});

export const delivery = z.strictObject({
  id: z.string(),
  event: z.string(),
  created_at: instant,
  tries: z.number().int(),
  state: z.enum(DELIVERY_STATES),
  /** What the receiver answered, where it did. */
  status: z.number().int().nullable(),
  problem: z.string().nullable(),
  tried_at: instant.nullable(),
  next_try_at: instant.nullable(),
  /** What is sent, exactly. */
  body: z.string(),
});

export const webhookEndpoints = {
  "GET /operator/webhooks": {
    access: "operator",
    summary: "Webhooks",
    answer: z.strictObject({ webhooks: z.array(webhook) }),
  },
  "POST /operator/webhooks": {
    access: "operator-recent",
    summary: "Makes a webhook; its signing secret is in this answer alone",
    body: z.strictObject({ name, url, events }),
    answer: z.strictObject({ webhook, secret: z.string() }),
  },
  "PATCH /operator/webhooks/{id}": {
    access: "operator-recent",
    summary: "Changes a webhook",
    body: z.strictObject({
      name: name.optional(),
      url: url.optional(),
      events: events.optional(),
      enabled: z.boolean().optional(),
    }),
    answer: webhook,
  },
  "POST /operator/webhooks/{id}/secret": {
    access: "operator-recent",
    summary: "Gives it a new signing secret, which is in this answer alone; for a day the old one signs, too",
    body: z.strictObject({}),
    answer: z.strictObject({ secret: z.string(), old_secret_until: instant }),
  },
  "DELETE /operator/webhooks/{id}": { access: "operator-recent", summary: "Removes a webhook", answer: done },
  "POST /operator/webhooks/{id}/test": {
    access: "operator",
    summary: "Sends a test event now, and tells how it went",
    body: z.strictObject({}),
    answer: delivery,
  },
  "GET /operator/webhooks/{id}/deliveries": {
    access: "operator",
    summary: "What was sent, newest first",
    query: z.strictObject({ ...pageQuery, state: delivery.shape.state.optional() }),
    answer: z.strictObject({ deliveries: z.array(delivery), next: z.string().nullable() }),
  },
  "POST /operator/webhooks/{id}/deliveries/{delivery}/again": {
    access: "operator",
    summary: "Sends it again now, and tells how it went",
    body: z.strictObject({}),
    answer: delivery,
  },
} as const satisfies Record<string, Endpoint>;
