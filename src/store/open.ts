import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import type { Id } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { WrittenBatch } from "./batch-queue.ts";
import { openJournal } from "./journal.ts";
import type { Store } from "./store.ts";

export type StorePlace = { dataDir: string; databaseUrl: string | null };

export type OpenOptions = Clock & {
  bootId: Id<"boot">;
  log: Log;
  onBatch?: (batch: WrittenBatch) => void;
  /** For a command that does one thing and ends. */
  here?: boolean;
};

/**
 * The database that the settings name: PostgreSQL by its address, else the SQLite file in the data dir. Only that one is
 * loaded: the jobs of SQLite run in its threads, and need no room here.
 */
export async function openStore(place: StorePlace, options: OpenOptions): Promise<Store> {
  const journal = openJournal({ folder: journalFolder(place), bootId: options.bootId, log: options.log });
  if (place.databaseUrl === null) {
    const { openSqliteStore } = await import("./sqlite/sqlite-store.ts");
    const { nowMs } = options;
    const here = options.here === true ? { nowMs } : null;
    return openSqliteStore({ ...options, here, journal, file: sqliteFile(place) });
  }
  const { openPostgresStore } = await import("./postgres/postgres-store.ts");
  return openPostgresStore({ ...options, journal, url: place.databaseUrl });
}

export function sqliteFile({ dataDir }: Pick<StorePlace, "dataDir">): string {
  return join(dataDir, "wicketgate.db");
}

/** On this machine's own disk, whichever the database. */
export function journalFolder({ dataDir }: Pick<StorePlace, "dataDir">): string {
  return join(dataDir, "journal");
}
