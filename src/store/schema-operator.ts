/** What the operator's side of the console needs: the audit, tokens, who may use what, and what it costs us. */
export const operatorTables: readonly string[] = [
  // Every change of the house, in one chain: each hash covers the entry and the hash before it, under a key that is
  // not in the database. `fields` is a JSON list of [field, before, after]; secrets never stand in it.
  `create table audit (
    number $int primary key, at_ms $int not null, actor text not null, through text not null, address text,
    noun text not null, name text not null, thing_id text, action text not null, fields text not null,
    hash text not null)`,
  `create index audit_by_noun on audit (noun, number)`,
  `create index audit_by_actor on audit (actor, number)`,
  `create table tokens (
    id text primary key, hash text not null unique, account_id text not null references accounts (id),
    name text not null, preview text not null, scope text not null, created_at_ms $int not null,
    expires_at_ms $int not null, last_used_at_ms $int)`,
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
