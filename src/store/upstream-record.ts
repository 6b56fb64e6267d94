import type { Id } from "../domain/ids.ts";
import { tellOfUpstreams } from "./notices-upstream.ts";
import { id, text, whole, wholeOrNull } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";

export type RecordedState = "open" | "resting" | "trying";

/** How an upstream with a model stands at one process, or one of its credentials; null means all of them. */
export type UpstreamState = {
  upstreamId: Id<"ups">;
  model: string | null;
  credentialId: Id<"crd"> | null;
  state: RecordedState;
  why: string | null;
  sinceMs: number;
  untilMs: number | null;
};

/** One change of it. */
export type UpstreamEvent = Omit<UpstreamState, "sinceMs"> & { id: Id<"evt">; atMs: number };

export type RecordUpstreams = {
  bootId: Id<"boot">;
  states: readonly UpstreamState[];
  events: readonly UpstreamEvent[];
};

/** Of each upstream, over all its models, credentials and processes. */
const EVENTS_MAX = 500;
const WHY_CHARACTERS_MAX = 300;

/** What one process has seen. States of processes that are no more are cleared away with it. */
export async function recordUpstreams(tx: Tx, { bootId, states, events }: RecordUpstreams): Promise<void> {
  const there = new Set((await tx.all("select id from upstreams")).map(row => text(row["id"])));
  for (const state of states) if (there.has(state.upstreamId)) await putState(tx, bootId, state);
  const known = events.filter(({ upstreamId }) => there.has(upstreamId));
  for (const event of known) await insertEvent(tx, bootId, event);
  for (const upstreamId of new Set(known.map(event => event.upstreamId))) await trimEvents(tx, upstreamId);
  await tx.run("delete from upstream_states where boot_id not in (select boot_id from instances)");
  await tellOfUpstreams(tx, { events: known, states });
}

async function putState(tx: Tx, bootId: Id<"boot">, state: UpstreamState): Promise<void> {
  const { upstreamId, model, credentialId, why, sinceMs, untilMs } = state;
  const key = [bootId, upstreamId, model ?? "", credentialId ?? ""];
  if (state.state === "open") {
    await tx.run(
      "delete from upstream_states where boot_id = ? and upstream_id = ? and model = ? and credential_id = ?",
      ...key,
    );
    return;
  }
  await tx.run(
    `insert into upstream_states (boot_id, upstream_id, model, credential_id, state, why, since_ms, until_ms)
       values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (boot_id, upstream_id, model, credential_id) do update set state = excluded.state,
         why = excluded.why, since_ms = excluded.since_ms, until_ms = excluded.until_ms`,
    ...key,
    ...[state.state, brief(why), sinceMs, untilMs],
  );
}

async function insertEvent(tx: Tx, bootId: Id<"boot">, event: UpstreamEvent): Promise<void> {
  await tx.run(
    `insert into upstream_events (id, boot_id, upstream_id, model, credential_id, state, why, at_ms, until_ms)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[event.id, bootId, event.upstreamId, event.model ?? "", event.credentialId ?? ""],
    ...[event.state, brief(event.why), event.atMs, event.untilMs],
  );
}

async function trimEvents(tx: Tx, upstreamId: Id<"ups">): Promise<void> {
  await tx.run(
    `delete from upstream_events where upstream_id = ? and id <
       (select min(id) from
         (select id from upstream_events where upstream_id = ? order by id desc limit ${EVENTS_MAX}) as newest)`,
    ...[upstreamId, upstreamId],
  );
}

function brief(why: string | null): string {
  return (why ?? "").slice(0, WHY_CHARACTERS_MAX);
}

/** With the process that says so, of those that run. */
export async function upstreamStates(tx: Tx): Promise<(UpstreamState & { bootId: Id<"boot"> })[]> {
  const rows = await tx.all(
    `select upstream_states.* from upstream_states join instances on instances.boot_id = upstream_states.boot_id
       order by upstream_id, model, credential_id, upstream_states.boot_id`,
  );
  return rows.map(row => ({
    bootId: id("boot", row["boot_id"]),
    ...toSubject(row),
    sinceMs: whole(row["since_ms"]),
  }));
}

export type EventsFilter = { upstreamId: Id<"ups"> | null; limit: number };

/** Newest first. */
export async function upstreamEvents(
  tx: Tx,
  { upstreamId, limit }: EventsFilter,
): Promise<(UpstreamEvent & { bootId: Id<"boot"> })[]> {
  const where = upstreamId === null ? "" : "where upstream_id = ?";
  const rows = await tx.all(
    `select * from upstream_events ${where} order by id desc limit ?`,
    ...(upstreamId === null ? [limit] : [upstreamId, limit]),
  );
  return rows.map(row => ({
    id: id("evt", row["id"]),
    bootId: id("boot", row["boot_id"]),
    ...toSubject(row),
    atMs: whole(row["at_ms"]),
  }));
}

function toSubject(row: SqlRow): Omit<UpstreamState, "sinceMs"> {
  const [model, credential, why] = ["model", "credential_id", "why"].map(name => text(row[name]));
  return {
    upstreamId: id("ups", row["upstream_id"]),
    model: model === "" ? null : (model ?? null),
    credentialId: credential === "" ? null : id("crd", credential),
    state: text(row["state"]) as RecordedState,
    why: why === "" ? null : (why ?? null),
    untilMs: wholeOrNull(row["until_ms"]),
  };
}
