/** What is left of rows of the usage log that are kept no longer, beside their sums and their lines in the ledger. */
export const retentionTables: readonly string[] = [
  // What they came to, for each series and day: the sums of a day are those of its rows and of these together.
  `create table usage_removed (
    start_ms $int not null, series $int not null, requests $int not null, input $int not null,
    cache_read $int not null, cache_write $int not null, output $int not null, reasoning $int not null,
    cost $int not null, our_cost $int not null, primary key (start_ms, series))`,
  // What they cost, for each window that has not ended: a month may be longer than rows are kept.
  `create table usage_removed_windows (
    owner_id text not null, period text not null, start_ms $int not null, spent $int not null,
    primary key (owner_id, period, start_ms))`,
];
