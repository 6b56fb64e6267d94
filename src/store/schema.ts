import { consoleTables } from "./schema-console.ts";
import { credentialTables } from "./schema-credentials.ts";
import { operatorTables } from "./schema-operator.ts";
import { plannedPriceTables } from "./schema-planned-prices.ts";
import { retentionTables } from "./schema-retention.ts";
import { oldWebhookSecrets, settingsTables } from "./schema-settings.ts";
import { usageSums } from "./schema-usage-sums.ts";

/**
 * The tables, as migrations in order: a landed one is never edited. `$int` and `$bytes` are the column types that
 * the databases name differently. Money is nano-dollars, prices pico-dollars, times epoch milliseconds.
 */
export type Migration = { version: number; name: string; statements: readonly string[] };

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "first house",
    statements: [
      `create table revision (one $int primary key check (one = 1), revision $int not null)`,
      `insert into revision (one, revision) values (1, 1)`,
      `create table accounts (
        id text primary key, email text not null unique, role text not null, enabled $int not null,
        balance $int not null, held $int not null, created_at_ms $int not null,
        check (held >= 0))`,
      `create table groups (
        id text primary key, name text not null unique, enabled $int not null, multiplier $int not null,
        models text not null, billing text not null)`,
      `create table models (
        id text primary key, name text not null unique, context_tokens $int, output_tokens_max $int,
        created_at_ms $int not null)`,
      `create table prices (
        id text primary key, model_id text not null references models (id), created_at_ms $int not null,
        input $int not null, cache_read $int not null, cache_write_5m $int not null, cache_write_1h $int not null,
        output $int not null, request $int not null)`,
      `create index prices_of_model on prices (model_id, id)`,
      `create table upstreams (
        id text primary key, name text not null unique, kind text not null, base_url text, speaks text not null,
        credential $bytes, credential_mark text, priority $int not null, weight $int not null, models text not null)`,
      `create table plans (
        id text primary key, name text not null unique, groups text not null, quota $int not null,
        time_window text not null)`,
      `create table subscriptions (
        account_id text not null references accounts (id), plan_id text not null references plans (id),
        until_ms $int, primary key (account_id, plan_id))`,
      `create table keys (
        id text primary key, account_id text not null references accounts (id),
        group_id text not null references groups (id), name text not null, hash text not null unique,
        sealed $bytes, preview text not null, enabled $int not null, created_at_ms $int not null,
        deleted_at_ms $int, expires_at_ms $int, quota $int, spent $int not null, held $int not null,
        requests_per_minute $int, tokens_per_minute $int, concurrency $int, open $int not null,
        arrival_ns $int not null, token_arrival_ns $int not null, last_used_at_ms $int,
        check (held >= 0 and spent >= 0 and open >= 0))`,
      `create unique index keys_live_name on keys (account_id, name) where deleted_at_ms is null`,
      `create table usage (
        id text primary key, account_id text not null, key_id text not null, group_id text not null,
        boot_id text not null, state text not null, reason text, status $int, dialect text not null,
        stream $int not null, model text not null, upstream text, tool text not null, address text not null,
        started_at_ms $int not null, first_byte_ms $int, duration_ms $int, price_id text, multiplier $int,
        hold $int not null, output_tokens_granted $int, input_tokens_guessed $int not null,
        input $int not null, cache_read $int not null, cache_write_5m $int not null, cache_write_1h $int not null,
        output $int not null, reasoning $int not null, cost $int not null, source text, pocket text)`,
      `create index usage_of_key on usage (key_id, id)`,
      `create index usage_open on usage (id) where state = 'open'`,
      `create table ledger (
        account_id text not null, id text not null, kind text not null, amount $int not null, usage_id text,
        actor text not null, why text not null, created_at_ms $int not null, primary key (account_id, id))`,
      `create table instances (
        boot_id text primary key, host text not null, pid $int not null, pid_started text not null,
        seen_at_ms $int not null)`,
    ],
  },
  {
    version: 2,
    name: "pockets and limits",
    statements: [
      // The price above a count of input tokens, as JSON; an empty list is one price for all.
      `alter table prices add column tiers text not null default '[]'`,
      ...limits("groups"),
      ...limits("accounts"),
      ...spendLimits("keys"),
      `alter table accounts add column open $int not null default 0`,
      `alter table accounts add column arrival_ns $int not null default 0`,
      `alter table accounts add column token_arrival_ns $int not null default 0`,
      `update accounts set open =
        (select count(*) from usage where usage.account_id = accounts.id and usage.state = 'open')`,
      // What an owner (a key, an account, a subscription) has spent and holds in the period that began at start_ms.
      `create table windows (
        owner_id text not null, period text not null, start_ms $int not null, spent $int not null,
        held $int not null, clock_back $int not null, primary key (owner_id, period),
        check (spent >= 0 and held >= 0))`,
      // The windows that a row counts in, each with its start; null where nothing limits its spending.
      `alter table usage add column windows text`,
      `create table subscriptions_with_id (
        id text primary key, account_id text not null references accounts (id),
        plan_id text not null references plans (id), until_ms $int, unique (account_id, plan_id))`,
      `insert into subscriptions_with_id (id, account_id, plan_id, until_ms)
        select 'sub_' || substr(account_id, 5) || substr(plan_id, 5), account_id, plan_id, until_ms from subscriptions`,
      `drop table subscriptions`,
      `alter table subscriptions_with_id rename to subscriptions`,
      `alter table ledger add column pocket text not null default 'balance'`,
      // Whoever sends the same change twice sends it with the same name.
      `alter table ledger add column once text`,
      `create unique index ledger_once on ledger (once) where once is not null`,
      `create index ledger_refunds on ledger (usage_id) where kind = 'refund'`,
      // What the database knows of the house that it belongs to.
      `create table house (name text primary key, value text not null)`,
      `create table codes (
        id text primary key, hash text not null unique, preview text not null, amount $int not null,
        note text not null, created_at_ms $int not null, expires_at_ms $int, redeemed_at_ms $int,
        redeemed_by text, check (amount > 0))`,
    ],
  },
  {
    version: 3,
    name: "attempts",
    statements: [
      // The upstreams that were asked before the one that answered, as JSON; null where the first one did.
      `alter table usage add column attempts text`,
    ],
  },
  { version: 4, name: "console", statements: consoleTables },
  { version: 5, name: "usage sums", statements: usageSums },
  { version: 6, name: "credentials", statements: credentialTables },
  { version: 7, name: "operator", statements: operatorTables },
  {
    version: 8,
    name: "settings",
    statements: [...settingsTables, ...retentionTables, ...plannedPriceTables],
  },
  { version: 9, name: "old webhook secrets", statements: oldWebhookSecrets },
];

function limits(table: string): string[] {
  const counts = ["requests_per_minute", "tokens_per_minute", "concurrency"];
  return [...counts.map(name => `alter table ${table} add column ${name} $int`), ...spendLimits(table)];
}

function spendLimits(table: string): string[] {
  const names = ["spend_per_day", "spend_per_week", "spend_per_month"];
  return names.map(name => `alter table ${table} add column ${name} $int`);
}
