import { type By, recordChange } from "./audit.ts";
import { SECRET_AFTER, SECRET_BEFORE } from "./audit-entries.ts";
import { auditedMark, isAudited, isMarkOf, SECRET_MARK } from "./audit-mark.ts";
import { text } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

const PEPPERS = "peppers";
const SEAL_KEYS = "seal_keys";

/** What was sealed under the master secret, for whoever knows it; null where there is nothing. */
export type HouseKeys = {
  /** Those of the first master secret, after it was changed: what was hashed with them cannot be hashed anew. */
  peppers: string | null;
  /** While the master secret is being changed: what things are sealed with from now on. */
  sealKeys: string | null;
};

const OTHER_SECRET =
  "This database was made with another master secret: set WICKETGATE_SECRET or WICKETGATE_SECRET_FILE to the one it was made with, or, where it was changed with wicketgate secret rotate, to the new one. All instances of one database share one secret.";

/**
 * The database knows its master secret again by a mark from which nothing can be learned. Under another secret every
 * key would be unknown and no credential could be opened, and nothing would say why.
 */
export async function checkSecret(tx: Tx, { mark }: { mark: string }): Promise<HouseKeys> {
  const house = await readHouse(tx);
  const known = house.get(SECRET_MARK);
  if (known === undefined) {
    await tx.run("insert into house (name, value) values (?, ?)", SECRET_MARK, mark);
  } else if (!isMarkOf(known, mark)) throw new StoreProblem(OTHER_SECRET);
  return keysIn(house);
}

/** The same without a claim. */
export async function houseKeys(
  tx: Tx,
  _args: Record<string, never>,
): Promise<HouseKeys & { mark: string | null }> {
  const house = await readHouse(tx);
  return { mark: house.get(SECRET_MARK) ?? null, ...keysIn(house) };
}

async function readHouse(tx: Tx): Promise<Map<string, string>> {
  const rows = await tx.all("select name, value from house");
  return new Map(rows.map(row => [text(row["name"]), text(row["value"])]));
}

function keysIn(house: ReadonlyMap<string, string>): HouseKeys {
  return { peppers: house.get(PEPPERS) ?? null, sealKeys: house.get(SEAL_KEYS) ?? null };
}

async function put(tx: Tx, name: string, value: string): Promise<void> {
  await tx.run(
    "insert into house (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
    ...[name, value],
  );
}

/** Running gateways read it with the catalogue, and seal with the newest from then on. */
export async function announceSealKeys(
  tx: Tx,
  { mark, sealKeys }: { mark: string; sealKeys: string },
): Promise<void> {
  await checkSecret(tx, { mark });
  await put(tx, SEAL_KEYS, sealKeys);
  await tx.run("update revision set revision = revision + 1");
}

/** From here on the database is the new secret's. */
export async function changeSecret(
  tx: Tx,
  { from, to, peppers, by }: { from: string; to: string; peppers: string; by: By },
): Promise<void> {
  await checkSecret(tx, { mark: from });
  await put(tx, SECRET_MARK, (await isAudited(tx)) ? auditedMark(to) : to);
  await put(tx, PEPPERS, peppers);
  await tx.run("delete from house where name = ?", SEAL_KEYS);
  const fields = [["secret", SECRET_BEFORE, SECRET_AFTER]] as const;
  await recordChange(tx, by, { noun: "secret", name: "master secret", id: null, action: "rotate", fields });
}

const BACKED_UP = "backed up at";

export type CopyNote = { action: "backup" | "restore"; file: string; rows: number; by: By };

/** That the house was copied, or is a copy: for the record, and for whoever asks when it was last. */
export async function noteCopy(tx: Tx, { action, file, rows, by }: CopyNote): Promise<void> {
  if (action === "backup") await put(tx, BACKED_UP, String(by.nowMs));
  const fields = [["rows", "", String(rows)]] as const;
  await recordChange(tx, by, { noun: "copy", name: file, id: null, action, fields });
}

/** When it was last copied; null where never. */
export async function lastBackup(tx: Tx, _args: Record<string, never>): Promise<number | null> {
  const at = (await readHouse(tx)).get(BACKED_UP);
  return at === undefined ? null : Number(at);
}

const VERIFIED = "verified";

/** What came of the last look at the books. */
export type Verified = { atMs: number; findings: number };

export async function noteVerified(tx: Tx, verified: Verified): Promise<void> {
  await put(tx, VERIFIED, JSON.stringify(verified));
}

export async function lastVerified(tx: Tx): Promise<Verified | null> {
  const value = (await readHouse(tx)).get(VERIFIED);
  return value === undefined ? null : (JSON.parse(value) as Verified);
}
