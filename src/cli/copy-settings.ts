import { join } from "node:path";
import type { Config } from "../config.ts";
import { type Place, readPlace } from "../store/copy-open.ts";
import { sqliteFile } from "../store/open.ts";

/** The database that the settings name. */
export function configuredPlace(config: Config): Place {
  const { databaseUrl, dataDir } = config;
  return databaseUrl === null
    ? { kind: "sqlite", file: sqliteFile(config) }
    : readPlace(databaseUrl, dataDir);
}

/** Where the master secret of this installation is, for a sentence. */
export function secretPlace({ secret, secretFile, dataDir }: Config): string {
  if (secret !== null) return "the setting WICKETGATE_SECRET";
  return `the file ${secretFile ?? join(dataDir, "secret")}`;
}
