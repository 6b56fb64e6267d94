/** What the operator's side of the console needs: the audit, settings, tokens, webhooks, and who may use what. */
export const operatorTables: readonly string[] = [
  // Every change of the house, in one chain: each hash covers the entry and the hash before it, under a key that is
  // not in the database. `fields` is a JSON list of [field, before, after]; secrets never stand in it.
  `create table audit (
    number $int primary key, at_ms $int not null, actor text not null, through text not null, address text,
    noun text not null, name text not null, thing_id text, action text not null, fields text not null,
    hash text not null)`,
  `create index audit_by_noun on audit (noun, number)`,
  `create index audit_by_actor on audit (actor, number)`,
  // Set in the console; the environment wins over it. A secret is sealed, and its value here is empty.
  `create table settings (
    name text primary key, value text not null, sealed $bytes, changed_at_ms $int not null)`,
  `create table tokens (
    id text primary key, hash text not null unique, account_id text not null references accounts (id),
    name text not null, preview text not null, scope text not null, created_at_ms $int not null,
    expires_at_ms $int not null, last_used_at_ms $int)`,
  `create table webhooks (
    id text primary key, url text not null, events text not null, secret $bytes not null, enabled $int not null,
    created_at_ms $int not null)`,
  `create table deliveries (
    id text primary key, webhook_id text not null references webhooks (id), event text not null,
    body text not null, state text not null, tries $int not null, status $int, problem text,
    created_at_ms $int not null, tried_at_ms $int, next_at_ms $int)`,
  `create index deliveries_of_webhook on deliveries (webhook_id, id)`,
  `create index deliveries_waiting on deliveries (next_at_ms) where state = 'waiting'`,
  `alter table groups add column description text not null default ''`,
  // The ids of the accounts that may use it, as JSON; null is everybody.
  `alter table groups add column accounts text`,
  // What is removed stays as a row, under another name, because keys, usage and subscriptions name it for good.
  ...["groups", "models", "plans"].map(table => `alter table ${table} add column removed_at_ms $int`),
  `alter table upstreams add column paused $int not null default 0`,
  // What it asks of us, in basis points of the list price.
  `alter table upstreams add column cost $int not null default 10000`,
  // What the upstream asked of us for it, as it was at the time; null while it is open, and of an older version.
  `alter table usage add column our_cost $int`,
  `alter table usage_sums add column our_cost $int not null default 0`,
  `alter table usage_rolled add column our_cost $int not null default 0`,
  // Requests that went on to another upstream: few, and asked for by the operator's pages.
  `create index usage_with_attempts on usage (id) where attempts is not null`,
];
