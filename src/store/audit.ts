import { createHmac } from "node:crypto";
import { isAudited, markAudited } from "./audit-mark.ts";
import { tellOfChanges } from "./notices-audit.ts";
import { text, textOrNull, whole } from "./rows.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";

/** Where a change came through; `house`: nobody asked for it, the house has seen to it itself. */
export type Through = "console" | "token" | "command line" | "apply" | "start" | "house";

/** Who makes a change, from where and when, with the key that the chain is made with. */
export type By = {
  actor: string;
  through: Through;
  address: string | null;
  nowMs: number;
  chainKey: Uint8Array;
};

/** One change: fields as [field, before, after], as a person reads them; secrets never. */
export type Recorded = {
  noun: string;
  name: string;
  id: string | null;
  action: string;
  fields: readonly (readonly [string, string, string])[];
};

export type AuditEntry = Recorded & {
  number: number;
  atMs: number;
  actor: string;
  through: Through;
  address: string | null;
  hash: string;
};

const HEAD = "audit head";
export const START = "start";
/** What follows a head that somebody has removed follows from nothing, and is found for it. */
const LOST = "lost";
const ROWS_PER_INSERT_MAX = 50;

/** Appends to the chain, in the transaction of the change itself: neither is there without the other. */
export async function recordChange(tx: Tx, by: By, change: Recorded): Promise<void> {
  await recordChanges(tx, by, [change]);
}

/** What was done at once, in its order. */
export async function recordChanges(tx: Tx, by: By, changes: readonly Recorded[]): Promise<void> {
  if (changes.length === 0) return;
  const head = await lockHead(tx);
  if (head.number === 0) await markAudited(tx);
  let { number, hash } = head;
  const entries = changes.map((change): AuditEntry => {
    const { noun, name, id, action, fields } = change;
    const { actor, through, address, nowMs: atMs } = by;
    number += 1;
    const entry = { noun, name, id, action, fields, number, atMs, actor, through, address };
    hash = entryHash(by.chainKey, hash, entry);
    return { ...entry, hash };
  });
  for (let from = 0; from < entries.length; from += ROWS_PER_INSERT_MAX) {
    await insertEntries(tx, entries.slice(from, from + ROWS_PER_INSERT_MAX));
  }
  const value = `${number} ${hash} ${headMark(by.chainKey, { number, hash })}`;
  await tx.run("update house set value = ? where name = ?", value, HEAD);
  await tellOfChanges(tx, by, changes);
}

async function insertEntries(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  await tx.run(
    `insert into audit (number, at_ms, actor, through, address, noun, name, thing_id, action, fields, hash)
      values ${entries.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
    ...entries.flatMap((entry): SqlValue[] => [
      ...[entry.number, entry.atMs, entry.actor, entry.through, entry.address, entry.noun, entry.name],
      ...[entry.id, entry.action, JSON.stringify(entry.fields), entry.hash],
    ]),
  );
}

export type Head = { number: number; hash: string };

/** One change of the house at a time passes here, on whichever instance. */
async function lockHead(tx: Tx): Promise<Head> {
  const [row] = await tx.all(`select value from house where name = ?${tx.forUpdate}`, HEAD);
  if (row !== undefined) {
    const [number = "0", hash = START] = text(row["value"]).split(" ");
    return { number: Number(number), hash };
  }
  const [last] = await tx.all("select max(number) as number from audit");
  await tx.run("insert into house (name, value) values (?, ?)", HEAD, "");
  const number = whole(last?.["number"]);
  const isFirst = number === 0 && !(await isAudited(tx));
  return { number, hash: isFirst ? START : LOST };
}

export function entryHash(key: Uint8Array, before: string, entry: Omit<AuditEntry, "hash">): string {
  const { number, atMs, actor, through, address, noun, name, id, action, fields } = entry;
  const told = [number, atMs, actor, through, address, noun, name, id, action, fields];
  return createHmac("sha256", key)
    .update(JSON.stringify([before, ...told]))
    .digest("hex");
}

/** So that the end of the chain cannot be cut off and its head be written anew. */
function headMark(key: Uint8Array, head: Head): string {
  return createHmac("sha256", key).update(`head ${head.number} ${head.hash}`).digest("hex");
}

export type AuditFault = { number: number; problem: string };

const PAGE = 1_000;
const FAULTS_MAX = 20;

/** Walks the whole chain; what does not fit is named by its number. */
export async function verifyAudit(tx: Tx, { chainKey }: { chainKey: Uint8Array }): Promise<AuditFault[]> {
  const faults: AuditFault[] = [];
  let last: Head = { number: 0, hash: START };
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const rows = await tx.all("select * from audit where number > ? order by number limit ?", after, PAGE);
    for (const entry of rows.map(toAuditEntry)) {
      const problem = linkProblem(chainKey, last, entry);
      if (problem !== null) faults.push(problem);
      if (faults.length >= FAULTS_MAX) return faults;
      last = { number: entry.number, hash: entry.hash };
    }
    after = last.number;
    if (rows.length < PAGE) break;
  }
  const headFault = await wrongHead(tx, chainKey, last);
  return headFault === null ? faults : [...faults, headFault];
}

export function linkProblem(chainKey: Uint8Array, last: Head, entry: AuditEntry): AuditFault | null {
  const { number } = entry;
  if (number <= last.number) return { number, problem: "stands before the beginning" };
  if (number !== last.number + 1) return { number: last.number + 1, problem: "is missing" };
  return entryHash(chainKey, last.hash, entry) === entry.hash
    ? null
    : { number, problem: "does not follow from what stands before it" };
}

export async function wrongHead(tx: Tx, chainKey: Uint8Array, last: Head): Promise<AuditFault | null> {
  const { number } = last;
  const [row] = await tx.all("select value from house where name = ?", HEAD);
  if (row === undefined && number === 0) {
    return (await isAudited(tx)) ? { number: 1, problem: "is missing, with all that followed" } : null;
  }
  const value = `${number} ${last.hash} ${headMark(chainKey, last)}`;
  if (row !== undefined && text(row["value"]) === value) return null;
  const [said] = (textOrNull(row?.["value"]) ?? "").split(" ");
  const wanted = Number(said ?? "");
  return wanted > number
    ? { number: number + 1, problem: "is missing, with all that followed" }
    : { number, problem: "is not the end that was recorded" };
}

export function toAuditEntry(row: SqlRow): AuditEntry {
  return {
    number: whole(row["number"]),
    atMs: whole(row["at_ms"]),
    actor: text(row["actor"]),
    through: text(row["through"]) as Through,
    address: textOrNull(row["address"]),
    noun: text(row["noun"]),
    name: text(row["name"]),
    id: textOrNull(row["thing_id"]),
    action: text(row["action"]),
    fields: JSON.parse(text(row["fields"])) as AuditEntry["fields"],
    hash: text(row["hash"]),
  };
}
