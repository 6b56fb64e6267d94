import { type AuditEntry, type Head, linkProblem, START, toAuditEntry, wrongHead } from "./audit.ts";
import { text } from "./rows.ts";
import type { SqlValue, Tx } from "./tx.ts";

export type AuditFilter = {
  /** Who, by whichever of their tokens too. */
  by: string | null;
  noun: string | null;
  /** A part of the name, in capital or small letters. */
  name: string | null;
  fromMs: number | null;
  toMs: number | null;
};

/** Newest first; the next page begins before the last number of this one. */
export async function auditPage(
  tx: Tx,
  page: { filter: AuditFilter; before: number | null; limit: number },
): Promise<AuditEntry[]> {
  const conditions = conditionsOf(page.filter);
  if (page.before !== null) conditions.push(["number < ?", page.before]);
  const where = conditions.length === 0 ? "" : `where ${conditions.map(([sql]) => sql).join(" and ")}`;
  const params = conditions.flatMap(([, ...values]) => values);
  const sql = `select * from audit ${where} order by number desc limit ?`;
  return (await tx.all(sql, ...params, page.limit)).map(toAuditEntry);
}

type Condition = [sql: string, ...params: SqlValue[]];

function conditionsOf({ by, noun, name, fromMs, toMs }: AuditFilter): Condition[] {
  const conditions: Condition[] = [];
  if (by !== null) {
    conditions.push(["(actor = ? or actor like ? escape '!')", by, `${literally(by)} (token %`]);
  }
  if (noun !== null) conditions.push(["noun = ?", noun]);
  if (name !== null) {
    const part = literally(name);
    const sql = "(name like ? escape '!' or lower(name) like ? escape '!')";
    conditions.push([sql, `%${part}%`, `%${part.toLowerCase()}%`]);
  }
  if (fromMs !== null) conditions.push(["at_ms >= ?", fromMs]);
  if (toMs !== null) conditions.push(["at_ms < ?", toMs]);
  return conditions;
}

/** So that a character which stands for others stands for itself. */
function literally(text: string): string {
  return text.replace(/[!%_]/g, "!$&");
}

const NAMES_MAX = 500;

/** Who has changed something, and what kinds of things; a step in an index for each, however many entries there are. */
export async function auditNames(tx: Tx): Promise<{ actors: string[]; nouns: string[] }> {
  const distinct = async (column: "actor" | "noun") => {
    const rows = await tx.all(
      `with recursive names (name) as (select min(${column}) from audit union all
        select (select min(${column}) from audit where ${column} > names.name) from names
          where names.name is not null)
        select name from names where name is not null limit ${NAMES_MAX}`,
    );
    return rows.map(row => text(row["name"]));
  };
  return { actors: await distinct("actor"), nouns: await distinct("noun") };
}

export type ChainAsked = {
  chainKey: Uint8Array;
  /** As far as it was found whole before; null is from the beginning. */
  from: Head | null;
  /** How many entries at most. */
  most: number;
};

export type ChainFound = {
  isWhole: boolean;
  /** Up to where it was looked at. */
  last: Head;
  /** Whether nothing follows there, so that the head was looked at too. */
  isAtEnd: boolean;
};

/** A part of the chain, as `verify` looks at the whole. */
export async function auditChain(tx: Tx, { chainKey, from, most }: ChainAsked): Promise<ChainFound> {
  let last: Head = from ?? { number: 0, hash: START };
  if (from !== null && !(await isThere(tx, from))) return { isWhole: false, last, isAtEnd: false };
  const after = from === null ? Number.MIN_SAFE_INTEGER : last.number;
  const sql = "select * from audit where number > ? order by number limit ?";
  const rows = await tx.all(sql, after, most);
  for (const entry of rows.map(toAuditEntry)) {
    if (linkProblem(chainKey, last, entry) !== null) return { isWhole: false, last, isAtEnd: false };
    last = { number: entry.number, hash: entry.hash };
  }
  if (rows.length === most) return { isWhole: true, last, isAtEnd: false };
  return { isWhole: (await wrongHead(tx, chainKey, last)) === null, last, isAtEnd: true };
}

/** Whoever cut the end off up to there would leave a head that fits what is remembered of it. */
async function isThere(tx: Tx, { number, hash }: Head): Promise<boolean> {
  const found = await tx.all("select number from audit where number = ? and hash = ?", number, hash);
  return found.length > 0;
}
