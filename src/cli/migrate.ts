import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../config.ts";
import {
  openCopySource,
  openCopyTarget,
  type Place,
  placeName,
  readPlace,
  settingFor,
} from "../store/copy-open.ts";
import { isInUse, mustBeEmpty } from "../store/copy-read.ts";
import { schemaVersion } from "../store/copy-write.ts";
import { journalFolder, sqliteFile } from "../store/open.ts";
import { migrations } from "../store/schema.ts";
import { StoreProblem } from "../store/store.ts";
import { copyTo } from "./backup.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { type Watch, withProgress } from "./copy-progress.ts";
import { configuredPlace, secretPlace } from "./copy-settings.ts";
import { Failure, UsageProblem } from "./problem.ts";
import { type Loaded, loadInto, reportFindings, toJson, told } from "./restore.ts";
import { clock, isMissing, noDatabase, withSession } from "./session.ts";
import { readSettings } from "./settings.ts";

export const SCHEMA_VERSION = migrations.at(-1)?.version ?? 0;

export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the database up to this version's schema (every start does it, too), or move it",
  positionals: [],
  options: {
    to: {
      value: "URL",
      meaning: "copy everything into another, empty database: postgres://… or sqlite:PATH",
    },
    "while-running": { meaning: "with --to: copy although a server is running" },
  },
  details: `With --to the present database is left as it is; set the server to the new one afterwards. Stop the server
first: what is spent after the copy would be missing in the new database.`,
  run: migrate,
};

async function migrate(call: Call): Promise<number> {
  const to = call.text("to");
  if (to !== null) return move(call, to);
  if (call.flag("while-running")) throw new UsageProblem("--while-running goes with --to URL.");
  await withSession(call, "create", async () => {});
  if (call.json) printJson(call, { schema: SCHEMA_VERSION });
  else
    printLine(
      call,
      `The database has schema ${SCHEMA_VERSION}, which is the newest that this version knows.`,
    );
  return EXIT_OK;
}

async function move(call: Call, to: string): Promise<number> {
  const config = readSettings(call.io);
  const place = readTarget(call, to);
  return withProgress(
    call,
    watch => moveInto(call, { config, place, watch }),
    loaded => {
      if (call.json) printJson(call, toJson(loaded));
      else {
        printLine(call, `${told(loaded)} are in the ${placeName(place)} now.`);
        printLine(call, `Set ${settingFor(place)}, and start the server.`);
        printLine(
          call,
          `The master secret is not moved: the server needs the same one as before, which is in ${secretPlace(config)}.`,
        );
        printLine(call, `The ${placeName(configuredPlace(config))} is as it was.`);
      }
      return reportFindings(call, loaded.findings);
    },
  );
}

type Move = { config: Config; place: Place; watch: Watch };

/** Looks at both ends before the long part begins. */
async function moveInto(call: Call, { config, place, watch }: Move): Promise<Loaded> {
  await checkSource(config, call.flag("while-running"));
  const target = await openCopyTarget(place);
  await target.write(tx => mustBeEmpty(tx, clock.nowMs())).finally(() => target.close());
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const file = join(config.dataDir, `migrate-${randomBytes(4).toString("hex")}.part`);
  try {
    await copyTo({ config, file, madeAtMs: clock.nowMs(), watch });
    return await loadInto(call, { file, place, watch, acceptFindings: false });
  } finally {
    rmSync(file, { force: true });
  }
}

async function checkSource(config: Config, whileRunning: boolean): Promise<void> {
  if (isMissing(config)) throw new Failure(noDatabase(config));
  if (!whileRunning) mustHaveNothingWaiting(journalFolder(config));
  const source = await openCopySource(configuredPlace(config));
  try {
    await source.read(async tx => {
      const schema = await schemaVersion(tx);
      if (schema < SCHEMA_VERSION) {
        throw new Failure(
          `This database has schema ${schema}, and this version needs ${SCHEMA_VERSION}. Run wicketgate migrate first.`,
        );
      }
      if (whileRunning || !(await isInUse(tx, clock.nowMs()))) return;
      throw new Failure(
        "A server is running on this database, or was until a few seconds ago. Stop it first: what is spent after the copy would be missing in the new database. To copy all the same, give --while-running.",
      );
    });
  } finally {
    await source.close();
  }
}

/** Settlements that the database has not taken yet would be looked for in the new one, or nowhere. */
function mustHaveNothingWaiting(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  throw new Failure(
    `Settlements that are not in the database yet wait in ${folder}. Start the server once, so that they are written, then stop it and try again.`,
  );
}

function readTarget(call: Call, to: string): Place {
  const place = parseTarget(call, to);
  if (place.kind === "postgres" || place.file === sqliteFile({ dataDir: dirname(place.file) })) return place;
  throw new UsageProblem(
    "--to cannot be used. A server opens the SQLite file of a data directory: name the directory.",
  );
}

function parseTarget({ io }: Call, to: string): Place {
  try {
    return readPlace(to, io.cwd ?? ".");
  } catch (error) {
    throw error instanceof StoreProblem ? new UsageProblem(`--to cannot be used. ${error.message}`) : error;
  }
}
