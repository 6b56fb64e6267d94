import type { Answer } from "../../api/client.ts";

export type Webhook = Answer<"GET /operator/webhooks">["webhooks"][number];
export type Delivery = Answer<"GET /operator/webhooks/{id}/deliveries">["deliveries"][number];

/** What stands in the list again after a change of one. */
export const WEBHOOK_PARTS = [
  "GET /operator/webhooks",
  "GET /operator/webhooks/{id}/deliveries",
  "GET /operator/audit",
] as const;

/** A failed delivery in a few words: the server's own sentence, or the status it was answered with. */
export function problemText({ problem, status }: Pick<Delivery, "problem" | "status">): string {
  return problem ?? (status === null ? "–" : String(status));
}

/** As it is read by people; what is no JSON stays as it is. */
export function prettyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
