import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Control } from "../console/control.ts";
import { openSecrets } from "../console/house-secrets.ts";
import { keepSettings } from "../console/house-settings.ts";
import type { Clock } from "../domain/clock.ts";
import { idMaker } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import { jsonLog } from "../log.ts";
import { loadSecrets } from "../secret.ts";
import { openStore, sqliteFile } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "./command.ts";
import { Failure } from "./problem.ts";
import { readSettings } from "./settings.ts";

/** The command line's only clock. */
export const clock: Clock = { nowMs: Date.now };

export type Session = { config: Config; store: Store; control: Control };

/** Where there is no database yet: make one, say so, or work on one that is thrown away. */
export type WhereMissing = "create" | "refuse" | "pretend";

/** Works on the database file itself, beside a server that may be running; the server notices what changed. */
export async function withSession<T>(
  call: Pick<Call, "io" | "debug">,
  missing: WhereMissing,
  work: (session: Session) => Promise<T>,
  /** Whether a step of it may take long, and the process must hear signals meanwhile. */
  { isLong = false } = {},
): Promise<T> {
  const configured = readSettings(call.io);
  const pretend = missing === "pretend" && isMissing(configured);
  const config = pretend
    ? { ...configured, dataDir: mkdtempSync(join(tmpdir(), "wicketgate-")) }
    : configured;
  try {
    if (missing === "refuse" && isMissing(config)) throw new Failure(noDatabase(config));
    const session = await openSession(config, { log: logFor(call, config), here: !isLong });
    try {
      return await work(session);
    } finally {
      await session.store.close();
    }
  } finally {
    if (pretend) rmSync(config.dataDir, { recursive: true, force: true });
  }
}

export function databaseFile(config: Pick<Config, "dataDir">): string {
  return sqliteFile(config);
}

/** PostgreSQL is where it is said to be, or it cannot be opened. */
export function isMissing(config: Pick<Config, "dataDir" | "databaseUrl">): boolean {
  return config.databaseUrl === null && !existsSync(databaseFile(config));
}

export function noDatabase(config: Pick<Config, "dataDir">): string {
  return `There is no Wicketgate database in ${config.dataDir} yet. Start the server or add an account first, or set WICKETGATE_DATA_DIR to where the data is.`;
}

/** A command speaks in sentences; the log's lines are for whoever asks for them. */
function logFor({ io, debug }: Pick<Call, "io" | "debug">, config: Config): Log {
  return debug || config.logLevel === "debug" ? jsonLog("debug", io.stderr) : () => {};
}

async function openSession(config: Config, { log, here }: { log: Log; here: boolean }): Promise<Session> {
  const newId = idMaker({ ...clock, randomBytes });
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    const secrets = loadSecrets(config);
    const store = await openStore(config, { ...clock, bootId: newId("boot"), log, here });
    await openSecrets(store, secrets);
    const { fixed } = config;
    const { settings } = await keepSettings({ store, secrets, fixed, log });
    const own = { settings, fixedSettings: fixed };
    const by = { actor: "command line", through: "command line", address: null } as const;
    const control: Control = { store, newId, randomBytes, secrets, ...own, ...by, ...clock };
    return { config, store, control };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const what = config.databaseUrl === null ? `data in ${config.dataDir}` : "database of DATABASE_URL";
    throw new Failure(`The ${what} cannot be opened: ${why.replace(/\.$/, "")}.`);
  }
}
