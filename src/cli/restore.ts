import { basename, resolve } from "node:path";
import { CopyFile } from "../store/copy-file.ts";
import type { CopySummary } from "../store/copy-format.ts";
import { openCopyTarget, type Place, placeName } from "../store/copy-open.ts";
import { CopyFindings, checkCopy, loadCopy, mustBeLoadable } from "../store/copy-read.ts";
import { SCHEMA_NEWEST } from "../store/copy-schema.ts";
import { StoreFailure, StoreProblem } from "../store/store.ts";
import { type Finding, INVARIANTS } from "../store/verify.ts";
import { isSystemError } from "./backup.ts";
import { type Call, type Command, EXIT_FAILED, EXIT_OK, printJson, printLine } from "./command.ts";
import { noteCopied } from "./copy-note.ts";
import { count, type Watch, withProgress } from "./copy-progress.ts";
import { configuredPlace, secretPlace } from "./copy-settings.ts";
import { Failure } from "./problem.ts";
import { clock } from "./session.ts";
import { readSettings } from "./settings.ts";

export const restoreCommand: Command = {
  name: "restore",
  summary: "load a copy into an empty database, and verify it",
  positionals: ["FILE"],
  options: {
    "accept-findings": { meaning: "keep what was loaded even where its ledger does not verify" },
  },
  details: `The database is the one of the settings (DATABASE_URL or WICKETGATE_DATA_DIR). The whole file is checked first:
one that is cut off, altered or too new is refused, and then nothing is written. It is loaded all or nothing.`,
  run: restore,
};

async function restore(call: Call): Promise<number> {
  const config = readSettings(call.io);
  const place = configuredPlace(config);
  const acceptFindings = call.flag("accept-findings");
  return withProgress(
    call,
    async watch => {
      const file = call.positionals[0] ?? "";
      const loaded = await loadInto(call, { file, place, watch, acceptFindings });
      const note = { file: basename(file), rows: loaded.summary.rows, schema: SCHEMA_NEWEST };
      await noteCopied(call, config, { action: "restore", ...note });
      return loaded;
    },
    loaded => {
      if (!call.json) {
        printLine(call, `${told(loaded)} are in the ${placeName(place)} now.`);
        printLine(
          call,
          `${call.paint.yellow("The master secret was not in the copy.")} Before the server starts, make sure that ${secretPlace(config)} is the one of the installation that was copied. It does not start with another one, for then no key would be known and no upstream credential would open.`,
        );
      } else printJson(call, toJson(loaded));
      return reportFindings(call, loaded.findings);
    },
  );
}

export type Loaded = { summary: CopySummary; findings: readonly Finding[] };
type Loading = { file: string; place: Place; watch: Watch; acceptFindings: boolean };

/** Checks the whole file, and only then opens the target. */
export async function loadInto(call: Call, { file, place, watch, acceptFindings }: Loading): Promise<Loaded> {
  const copy = await openCopy(resolve(call.io.cwd ?? ".", file), file);
  try {
    const summary = await checkCopy(copy, watch("Checking"));
    mustBeLoadable(summary.header);
    const target = await openCopyTarget(place);
    try {
      const load = { file: copy, rowsAll: summary.rows, nowMs: clock.nowMs(), acceptFindings };
      return { summary, findings: await loadCopy(target, { ...load, onProgress: watch("Loading") }) };
    } finally {
      await target.close();
    }
  } catch (error) {
    if (error instanceof CopyFindings) throw refuseFindings(call, error);
    if (error instanceof StoreProblem) throw new Failure(`${error.message} Nothing was written.`);
    throw error instanceof StoreFailure ? brokenOff(error) : error;
  } finally {
    await copy.close();
  }
}

/** A connection that is lost at the very end does not say whether the transaction was kept. */
function brokenOff({ message }: StoreFailure): Failure {
  return new Failure(
    `The load broke off: ${message}. It is all or nothing: try again, and if the target is not empty then, all of it is there.`,
  );
}

function refuseFindings(call: Call, { message, findings }: CopyFindings): Failure {
  if (call.json) printJson(call, { clean: false, findings });
  reportFindings(call, findings);
  return new Failure(
    `${message} Nothing was written. To load it all the same: wicketgate restore FILE --accept-findings`,
  );
}

async function openCopy(path: string, name: string): Promise<CopyFile> {
  try {
    return await CopyFile.open(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const missing = "code" in error && error.code === "ENOENT";
    throw new Failure(
      missing ? `There is no file ${name}.` : `The file ${name} cannot be read: ${error.message}.`,
    );
  }
}

export function told({ summary }: Loaded): string {
  const madeAt = new Date(summary.header.made_at_ms).toISOString();
  return `${count(summary.rows)} rows, as they were at ${madeAt},`;
}

export function toJson({ summary, findings }: Loaded) {
  const { header, rows, counts } = summary;
  const madeAt = new Date(header.made_at_ms).toISOString();
  const about = { rows, tables: counts, schema: header.schema, made_at: madeAt };
  return { ...about, clean: findings.length === 0, findings, secret_included: false };
}

export function reportFindings(call: Call, findings: readonly Finding[]): number {
  const clean = findings.length === 0;
  if (call.json) return clean ? EXIT_OK : EXIT_FAILED;
  if (clean) printLine(call, call.paint.green(`clean: ${INVARIANTS} invariants hold`));
  for (const { invariant, row, found } of findings) {
    printLine(call, `${call.paint.red("broken")}: ${invariant}; not so at ${row} (${found})`);
  }
  return clean ? EXIT_OK : EXIT_FAILED;
}
