import type { Clock } from "../domain/clock.ts";
import { withoutCredential } from "../upstream/hear.ts";
import type { Outbound } from "../upstream/http1.ts";
import { type SealKey, unseal } from "../upstream/seal.ts";
import { postWebhook } from "../upstream/webhook.ts";
import { webhookAddressProblem } from "../upstream/webhook-address.ts";
import { BOUND_TO } from "./bound-to.ts";
import type { Bring } from "./deliver.ts";
import { webhookProblem } from "./webhooks-trouble.ts";

export type WebhookWay = Clock & {
  outbound: Pick<Outbound, "send">;
  /** As WICKETGATE_PRIVATE_UPSTREAMS has them. */
  privateHosts: readonly string[];
  secrets: { seal: SealKey };
};

/** The one way in which anything goes to a webhook: by the sender, as a test, or once more. */
export function webhookBring({ outbound, privateHosts, secrets, nowMs }: WebhookWay): Bring {
  return async ({ id, webhookId, webhook, body }) => {
    const failed = (problem: string) => ({ ok: false, status: null, problem });
    if (webhookId === null || webhook === null) return failed("The webhook is not there any more.");
    // What was allowed when it was made need not be allowed now.
    const notThere = webhookAddressProblem(webhook.url, privateHosts);
    if (notThere !== null) return failed(notThere);
    const boundTo = BOUND_TO.webhooks(webhookId) ?? "";
    const secret = unseal(webhook.secret, { key: secrets.seal, boundTo });
    if (secret === null) return failed("Its signing secret cannot be opened: give the webhook a new one.");
    const signing = webhook.oldSecrets.filter(({ untilMs }) => nowMs() < untilMs);
    const old = signing.map(({ sealed }) => unseal(sealed, { key: secrets.seal, boundTo }));
    const signedWith = [secret, ...old.filter(one => one !== null)];
    const url = new URL(webhook.url);
    const answer = await postWebhook(outbound, { url, id, body, secrets: signedWith, nowMs: nowMs() });
    const problem = webhookProblem(answer, url);
    const status = "status" in answer ? answer.status : null;
    const isFinal = status === 410;
    const restMs = "restMs" in answer ? answer.restMs : null;
    if (problem === null) return { ok: true, status, problem };
    return { ok: false, status, problem: signedWith.reduce(withoutCredential, problem), isFinal, restMs };
  };
}
