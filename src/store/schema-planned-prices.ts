/** Prices that begin later. One that begins leaves this table and becomes a version like any other. */
export const plannedPriceTables: readonly string[] = [
  `create table planned_prices (
    id text primary key, model_id text not null references models (id), starts_at_ms $int not null,
    planned_by text not null, input $int not null, cache_read $int not null, cache_write_5m $int not null,
    cache_write_1h $int not null, output $int not null, request $int not null, tiers text not null)`,
  `create index planned_prices_start on planned_prices (starts_at_ms, id)`,
];
