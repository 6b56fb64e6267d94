import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Config } from "../config.ts";
import { CopyFile } from "../store/copy-file.ts";
import { openCopySource } from "../store/copy-open.ts";
import { checkCopy } from "../store/copy-read.ts";
import { type WrittenCopy, writeCopy } from "../store/copy-write.ts";
import { StoreProblem } from "../store/store.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { noteCopied } from "./copy-note.ts";
import { count, size, type Watch, withProgress } from "./copy-progress.ts";
import { configuredPlace, secretPlace } from "./copy-settings.ts";
import { Failure } from "./problem.ts";
import { clock, isMissing, noDatabase } from "./session.ts";
import { readSettings } from "./settings.ts";
import { VERSION } from "./version.ts";

export const backupCommand: Command = {
  name: "backup",
  summary: "write a consistent copy of the database to a file, while the server runs",
  positionals: ["FILE"],
  options: { force: { meaning: "replace FILE if it exists" } },
  details: `The copy is compressed and fits SQLite and PostgreSQL alike; wicketgate restore loads it. The master secret is
not in it: keep that, too, apart from the copy.`,
  run: backup,
};

async function backup(call: Call): Promise<number> {
  const config = readSettings(call.io);
  const name = call.positionals[0] ?? "";
  const file = resolve(call.io.cwd ?? ".", name);
  mustBeWritable(file, call.flag("force"));
  const madeAtMs = clock.nowMs();
  return withProgress(
    call,
    async watch => {
      const written = await writeChecked({ config, file, madeAtMs, watch, force: call.flag("force") });
      const { rows, schema } = written;
      await noteCopied(call, config, { action: "backup", file: basename(file), rows, schema });
      return written;
    },
    written => {
      report(call, { config, file: name, written, madeAtMs });
      return EXIT_OK;
    },
  );
}

type Backup = { config: Config; file: string; madeAtMs: number; watch: Watch; force: boolean };

/** The file has its name only once it is whole, on the disk, and has been read back. */
async function writeChecked({ config, file, madeAtMs, watch, force }: Backup): Promise<WrittenCopy> {
  const draft = `${file}.${randomBytes(4).toString("hex")}.part`;
  try {
    const written = await copyTo({ config, file: draft, madeAtMs, watch });
    await readBack(draft, watch);
    mustBeWritable(file, force);
    renameSync(draft, file);
    syncDirectory(dirname(file));
    return written;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The new name must outlast a power cut, too. */
function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Copies the configured database into a new file. */
export async function copyTo({ config, file, madeAtMs, watch }: Omit<Backup, "force">): Promise<WrittenCopy> {
  if (isMissing(config)) throw new Failure(noDatabase(config));
  const source = await openCopySource(configuredPlace(config));
  try {
    return await writeCopy(source, { file, wicketgate: VERSION, madeAtMs, onProgress: watch("Copying") });
  } catch (error) {
    throw isSystemError(error) ? new Failure(`The copy cannot be written: ${error.message}.`) : error;
  } finally {
    await source.close();
  }
}

async function readBack(draft: string, watch: Watch): Promise<void> {
  const copy = await CopyFile.open(draft);
  try {
    await checkCopy(copy, watch("Reading back"));
  } catch (error) {
    if (!(error instanceof StoreProblem)) throw error;
    throw new Failure(`The copy could not be read back, so it is thrown away. ${error.message}`);
  } finally {
    await copy.close();
  }
}

function mustBeWritable(file: string, force: boolean): void {
  if (!existsSync(dirname(file))) throw new Failure(`There is no directory ${dirname(file)}.`);
  if (!existsSync(file)) return;
  if (!statSync(file).isFile()) throw new Failure(`${file} is there already, and is not a file.`);
  if (!force) throw new Failure(`${file} is there already. Give another name, or --force to replace it.`);
}

export function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}

type Report = { config: Config; file: string; written: WrittenCopy; madeAtMs: number };

function report(call: Call, { config, file, written, madeAtMs }: Report): void {
  const { bytes, rows, counts, schema } = written;
  const madeAt = new Date(madeAtMs).toISOString();
  const secret = secretPlace(config);
  if (call.json) {
    const about = { file, bytes, rows, tables: counts, schema, made_at: madeAt };
    printJson(call, { ...about, secret_included: false, secret_is_in: secret });
    return;
  }
  const tables = Object.keys(counts).length;
  printLine(
    call,
    `${count(rows)} rows of ${tables} tables, as of ${madeAt}, are in ${file} (${size(bytes)}).`,
  );
  printLine(
    call,
    `${call.paint.yellow("The master secret is NOT in it.")} It is in ${secret}: keep that safe, too, and apart from the copy. Without it the keys and the upstream credentials in the copy cannot be used.`,
  );
}
