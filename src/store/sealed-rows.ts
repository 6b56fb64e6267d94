import { text } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** Everything that is sealed, and the words by which it is known what each is bound to. */
export const SEALED_TABLES = [
  "credentials",
  "keys",
  "profiles",
  "settings",
  "webhooks",
  // After those, since one that is replaced meanwhile moves here.
  "old_webhook_secrets",
] as const;
export type SealedTable = (typeof SEALED_TABLES)[number];

/** Which column of each, by what it is found, and by what it is known what it is bound to. */
export const SEALED_COLUMNS: Readonly<
  Record<SealedTable, { key: string; bytes: string; bound: string; from: string }>
> = {
  credentials: {
    key: "credentials.id",
    bytes: "sealed",
    bound: "upstreams.base_url",
    from: "credentials join upstreams on upstreams.id = credentials.upstream_id",
  },
  keys: { key: "keys.id", bytes: "sealed", bound: "keys.hash", from: "keys" },
  profiles: { key: "profiles.account_id", bytes: "totp", bound: "profiles.account_id", from: "profiles" },
  settings: { key: "settings.name", bytes: "sealed", bound: "settings.name", from: "settings" },
  webhooks: { key: "webhooks.id", bytes: "secret", bound: "webhooks.id", from: "webhooks" },
  old_webhook_secrets: {
    key: "old_webhook_secrets.id",
    bytes: "sealed",
    bound: "old_webhook_secrets.webhook_id",
    from: "old_webhook_secrets",
  },
};

export type SealedRow = { id: string; bound: string; sealed: Uint8Array };
export type SealedPage = { table: SealedTable; after: string; limit: number };

export async function sealedPage(tx: Tx, { table, after, limit }: SealedPage): Promise<SealedRow[]> {
  const { key, bytes, bound, from } = SEALED_COLUMNS[table];
  const rows = await tx.all(
    `select ${key} as row_id, ${bound} as bound, ${bytes} as sealed from ${from}
       where ${key} > ? and ${bytes} is not null order by ${key} limit ?`,
    ...[after, limit],
  );
  return rows.flatMap(row => {
    const sealed = row["sealed"];
    const found = { id: text(row["row_id"]), bound: text(row["bound"]) };
    return sealed instanceof Uint8Array ? [{ ...found, sealed }] : [];
  });
}

export type Resealed = { id: string; before: Uint8Array; after: Uint8Array };

/** Only where it is still what was read: whoever changed it meanwhile has sealed it with the newest key. */
export async function resealRows(
  tx: Tx,
  { table, rows }: { table: SealedTable; rows: readonly Resealed[] },
): Promise<void> {
  const { key, bytes } = SEALED_COLUMNS[table];
  const column = key.slice(table.length + 1);
  for (const { id, before, after } of rows) {
    await tx.run(
      `update ${table} set ${bytes} = ? where ${column} = ? and ${bytes} = ?`,
      ...[after, id, before],
    );
  }
  if (table === "credentials" && rows.length > 0) {
    await tx.run("update revision set revision = revision + 1");
  }
}
