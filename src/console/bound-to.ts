import type { SealedTable } from "../store/sealed-rows.ts";

/** What each sealed thing is bound to, so that it does not open in another's place: one list, for sealing anew as well. */
export const BOUND_TO: Readonly<Record<SealedTable, (of: string) => string | null>> = {
  /** By the address of the upstream. */
  credentials: baseUrl => (URL.canParse(baseUrl) ? new URL(baseUrl).origin : null),
  /** By the hash of the key. */
  keys: hash => `key ${hash}`,
  /** By the id of the account. */
  profiles: accountId => `totp ${accountId}`,
  /** By the name of the setting. */
  settings: name => `setting ${name}`,
  /** By the id of the webhook. */
  webhooks: id => `webhook ${id}`,
  /** By the same: it moves here as it is. */
  old_webhook_secrets: webhookId => `webhook ${webhookId}`,
};
