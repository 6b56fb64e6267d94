/** Sums of the usage log, kept by settlement, and the indexes by which its pages are read. */
export const usageSums: readonly string[] = [
  // Everything that a request can be filtered by, once for each combination that was seen; the id is a hash of it.
  `create table usage_series (
    id $int primary key, account_id text not null, key_id text not null, model text not null, tool text not null,
    upstream text not null, outcome text not null, reason text not null)`,
  `create index usage_series_of_account on usage_series (account_id)`,
  // What the rows of a series come to within a span of hours that began at start_ms: 1, added to by settlement, and 24,
  // put together from those when the day is over.
  `create table usage_sums (
    series $int not null, span $int not null, start_ms $int not null, requests $int not null, input $int not null,
    cache_read $int not null, cache_write $int not null, output $int not null, reasoning $int not null,
    cost $int not null, primary key (series, span, start_ms))`,
  `create index usage_sums_by_start on usage_sums (span, start_ms)`,
  // The days that have sums. Where is_rolled is 1, those of 24 hours and those of usage_rolled are right.
  `create table usage_days (start_ms $int primary key, is_rolled $int not null)`,
  `create index usage_days_to_roll on usage_days (start_ms) where is_rolled = 0`,
  // A day of an account by key or by model, of each outcome and of all ('') together, for charts that are filtered by
  // nothing else.
  `create table usage_rolled (
    account_id text not null, grain text not null, outcome text not null, start_ms $int not null, name text not null,
    requests $int not null, refused $int not null, failed $int not null, input $int not null,
    cache_read $int not null, cache_write $int not null, output $int not null, reasoning $int not null,
    cost $int not null, primary key (account_id, grain, outcome, start_ms, name))`,
  `create index usage_rolled_by_start on usage_rolled (start_ms)`,
  // Set together with the sums, when a row ends; null while it is open.
  `alter table usage add column series $int`,
  `create index usage_of_series on usage (series, id) where series is not null`,
  // Rows of an older version that are in no sum yet: none, after the first start.
  `create index usage_not_summed on usage (id) where series is null and state <> 'open'`,
  // The particulars of a refusal, as JSON, so that its sentence can be said again.
  `alter table usage add column particulars text`,
  `create index keys_of_account on keys (account_id, id)`,
];
