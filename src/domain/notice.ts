/** What webhooks can be told of as it happens. */
export const NOTICE_EVENTS = [
  "balance.low",
  "credential.rejected",
  "breaker.opened",
  "key.created",
  "key.deleted",
  "spend.alert",
  /** A role, a sign-in or a second factor of an operator was changed by another one. */
  "operator.changed",
] as const;

export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** What an operator sends to see whether anything arrives. */
export const TEST_EVENT = "webhook.test";

/** What became of one try to bring a notice. */
export type TryOutcome = "delivered" | "failed" | "given_up";

export const DELIVERY_STATES = ["waiting", "delivered", "given_up"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
