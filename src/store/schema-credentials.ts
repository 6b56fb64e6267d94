/** Several credentials for each upstream, and the record of how upstreams and credentials have been doing. */
export const credentialTables: readonly string[] = [
  // The mark tells a changed credential from the same one sealed again; the preview is what a list may show of it.
  `create table credentials (
    id text primary key, upstream_id text not null references upstreams (id), sealed $bytes not null,
    mark text not null, preview text not null, created_at_ms $int not null)`,
  `create unique index credentials_by_mark on credentials (upstream_id, mark)`,
  `insert into credentials (id, upstream_id, sealed, mark, preview, created_at_ms)
    select 'crd_' || substr(id, 5), id, credential, coalesce(credential_mark, id), '', 0
      from upstreams where credential is not null`,
  `alter table upstreams drop column credential`,
  `alter table upstreams drop column credential_mark`,
  `alter table upstreams add column concurrency_max $int`,
  `alter table upstreams add column probe_minutes $int`,
  `alter table upstreams add column reset_at_ms $int`,
  // Who is left alone by which process, why, since when and until when. An empty model or credential means all of them.
  `create table upstream_states (
    boot_id text not null, upstream_id text not null, model text not null, credential_id text not null,
    state text not null, why text not null, since_ms $int not null, until_ms $int,
    primary key (boot_id, upstream_id, model, credential_id))`,
  // What became of them, bounded for each upstream.
  `create table upstream_events (
    id text primary key, boot_id text not null, upstream_id text not null, model text not null,
    credential_id text not null, state text not null, why text not null, at_ms $int not null, until_ms $int)`,
  `create index upstream_events_of on upstream_events (upstream_id, id)`,
];
