import { shortId } from "../domain/catalogue.ts";
import { notify, wantedBy } from "./notices.ts";
import { text, whole } from "./rows.ts";
import type { SqlValue, Tx } from "./tx.ts";
import type { UpstreamEvent, UpstreamState } from "./upstream-record.ts";

type Subject = Pick<UpstreamState, "upstreamId" | "model" | "credentialId">;
type Trouble = "credential.rejected" | "breaker.opened";

/** What is still so after this long is told again. */
const SILENT_MS = 3_600_000;

/**
 * Tells of upstreams that are left alone and of credentials that are refused: once, however many instances find it out,
 * until it was well again everywhere.
 */
export async function tellOfUpstreams(
  tx: Tx,
  { events, states }: { events: readonly UpstreamEvent[]; states: readonly UpstreamState[] },
): Promise<void> {
  for (const event of events) {
    const trouble = event.state === "resting" ? troubleOf(event) : null;
    if (trouble !== null) await tellOnce(tx, trouble, event);
  }
  for (const state of states) {
    const trouble = state.state === "open" ? troubleOf(state) : null;
    if (trouble !== null) await forgetIfWell(tx, trouble, state);
  }
}

/** A credential that rests for one model alone is only asked too much. */
function troubleOf({ credentialId, model }: Subject): Trouble | null {
  if (credentialId === null) return "breaker.opened";
  return model === null ? "credential.rejected" : null;
}

async function tellOnce(tx: Tx, trouble: Trouble, event: UpstreamEvent): Promise<void> {
  if ((await wantedBy(tx, trouble)).length === 0) return;
  const key = markOf(trouble, event);
  const [mark] = await tx.all(
    "select at_ms from alerts where kind = ? and thing_id = ? and period = ''",
    ...key,
  );
  if (mark !== undefined && event.atMs - whole(mark["at_ms"]) < SILENT_MS) return;
  await tx.run(
    `insert into alerts (kind, thing_id, period, level, at_ms) values (?, ?, '', 1, ?)
      on conflict (kind, thing_id, period) do update set at_ms = excluded.at_ms`,
    ...[...key, event.atMs],
  );
  const { upstreamId, model, credentialId, why, atMs, untilMs } = event;
  const [row] = await tx.all("select name from upstreams where id = ?", upstreamId);
  const data = {
    upstream: { id: upstreamId, name: text(row?.["name"]) },
    ...(credentialId === null
      ? { model }
      : { credential: { id: credentialId, short: shortId(credentialId) } }),
    why: why ?? "",
    until: untilMs === null ? null : new Date(untilMs).toISOString(),
  };
  await notify(tx, { event: trouble, about: upstreamId, data, atMs });
}

/** States have been written by now: what another instance still leaves alone is not well. */
async function forgetIfWell(tx: Tx, trouble: Trouble, subject: Subject): Promise<void> {
  const { upstreamId, model, credentialId } = subject;
  await tx.run(
    `delete from alerts where kind = ? and thing_id = ? and period = '' and not exists
      (select 1 from upstream_states where upstream_id = ? and model = ? and credential_id = ?)`,
    ...[...markOf(trouble, subject), upstreamId, model ?? "", credentialId ?? ""],
  );
}

function markOf(trouble: Trouble, { upstreamId, model, credentialId }: Subject): SqlValue[] {
  return [trouble, [upstreamId, model ?? "", credentialId ?? ""].join(" ")];
}
