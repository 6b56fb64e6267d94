/** What is set in the console, and who is told of what happens. */
export const settingsTables: readonly string[] = [
  // The environment wins over it. A secret is sealed, and its value here is empty.
  `create table settings (
    name text primary key, value text not null, sealed $bytes, changed_at_ms $int not null)`,
  `create table webhooks (
    id text primary key, name text not null, url text not null, events text not null, secret $bytes not null,
    enabled $int not null, created_at_ms $int not null, failing_since_ms $int)`,
  // What is to be told to whom: made in the transaction of what happened, brought by whichever instance claims it.
  // `about` is the id of what it is about; a mail has a recipient and no webhook.
  `create table deliveries (
    id text primary key, webhook_id text references webhooks (id), recipient text, event text not null,
    about text not null, body text not null, state text not null, tries $int not null, status $int, problem text,
    created_at_ms $int not null, tried_at_ms $int, next_at_ms $int, claimed_by text, claimed_until_ms $int)`,
  `create index deliveries_of_webhook on deliveries (webhook_id, id)`,
  `create index deliveries_waiting on deliveries (next_at_ms) where state = 'waiting'`,
  `create index deliveries_waiting_of on deliveries (webhook_id, next_at_ms) where state = 'waiting'`,
  // How far an alert has gone (a low balance, a limit that is nearly used up), so that each is told once. Its time is
  // the start of the period that it is about, or when it was told.
  `create table alerts (
    kind text not null, thing_id text not null, period text not null, level $int not null, at_ms $int not null,
    primary key (kind, thing_id, period))`,
];

/** Secrets of webhooks that were the newest before, and sign beside it until their time is over. */
export const oldWebhookSecrets: readonly string[] = [
  `create table old_webhook_secrets (
    id text primary key, webhook_id text not null references webhooks (id), sealed $bytes not null,
    until_ms $int not null)`,
];
