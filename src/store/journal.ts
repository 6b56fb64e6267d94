import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Id } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import { type Command, decodeCommands, encodeCommands } from "./command.ts";

const OWNER_ONLY = 0o600;
const FOLDER_OWNER_ONLY = 0o700;
const SUFFIX = ".journal";
const BOOT_SUFFIX = ".boot";

/** What nobody waits for, and what must not be lost for that: ends of requests, and how far streams are. */
export type Kept = Extract<Command, { do: "settle" | "checkpoint" }>;

/**
 * Where settlements wait while the database is away: one file for each process, a line for each settlement, on the
 * disk before anything else happens to it. A settlement is applied once, by its id, however often it is replayed.
 */
export type Journal = {
  /** A settlement that is kept already is not kept twice. */
  keep: (commands: readonly Kept[]) => void;
  /** Whether anything was kept that may still be needed. */
  isInUse: () => boolean;
  /** These are in the database now. */
  settled: (ids: readonly Id<"req">[]) => void;
  /** Resolves when what was kept so far is on the disk; a journal that nobody needs is gone then. */
  close: () => Promise<void>;
};

export type JournalOptions = { folder: string; bootId: Id<"boot">; log: Log };

export function openJournal({ folder, bootId, log }: JournalOptions): Journal {
  const path = join(folder, `${bootId}${SUFFIX}`);
  const waiting = new Set<Id<"req">>();
  let inUse = false;
  let unwritten: Kept[] = [];
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const commands = unwritten;
    unwritten = [];
    if (commands.length === 0) return;
    mkdirSync(folder, { recursive: true, mode: FOLDER_OWNER_ONLY });
    const file = await open(path, "a", OWNER_ONLY);
    try {
      const isNew = (await file.stat()).size === 0;
      await file.appendFile(commands.map(command => `${encodeCommands([command])}\n`).join(""));
      await file.datasync();
      if (isNew) syncFolder(folder);
    } finally {
      await file.close();
    }
  }

  async function empty(): Promise<void> {
    if (waiting.size > 0) return;
    rmSync(path, { force: true });
    inUse = false;
  }

  function later(work: () => Promise<void>): void {
    writing = writing.then(work).catch((error: unknown) => {
      log("error", "journal.failed", { why: error instanceof Error ? error.message : String(error) });
    });
  }

  return {
    keep: commands => {
      const fresh = commands.filter(one => one.do === "checkpoint" || !waiting.has(one.settlement.id));
      if (fresh.length === 0) return;
      for (const command of fresh) if (command.do === "settle") waiting.add(command.settlement.id);
      inUse = true;
      unwritten.push(...fresh);
      later(write);
    },
    isInUse: () => inUse,
    settled: ids => {
      for (const id of ids) waiting.delete(id);
      if (waiting.size === 0) later(empty);
    },
    close: async () => {
      await writing;
      if (waiting.size === 0) rmSync(path, { force: true });
    },
  };
}

/** The name of a file is a part of its folder, which the sync of the file need not write. */
function syncFolder(folder: string): void {
  const itself = openSync(folder, "r");
  fsyncSync(itself);
  closeSync(itself);
}

/**
 * A mark that this process runs on this folder: whoever starts here after it has whatever it left, and need not wait
 * for it to come back.
 */
export function markBoot(folder: string, bootId: Id<"boot">): void {
  mkdirSync(folder, { recursive: true, mode: FOLDER_OWNER_ONLY });
  closeSync(openSync(join(folder, `${bootId}${BOOT_SUFFIX}`), "a", OWNER_ONLY));
  syncFolder(folder);
}

export function markedBoots(folder: string): Id<"boot">[] {
  const names = namesIn(folder).filter(name => name.endsWith(BOOT_SUFFIX));
  return names.map(name => name.slice(0, -BOOT_SUFFIX.length) as Id<"boot">);
}

export function unmarkBoot(folder: string, bootId: Id<"boot">): void {
  rmSync(join(folder, `${bootId}${BOOT_SUFFIX}`), { force: true });
}

export type Leftover = { bootId: Id<"boot">; path: string; commands: Kept[] };

/** What processes that are no more left in the folder; a line that was cut by the crash was never promised. */
export function readJournals(folder: string, isGone: (bootId: Id<"boot">) => boolean): Leftover[] {
  return namesIn(folder)
    .filter(name => name.endsWith(SUFFIX))
    .map(name => ({ bootId: name.slice(0, -SUFFIX.length) as Id<"boot">, path: join(folder, name) }))
    .filter(({ bootId }) => isGone(bootId))
    .map(found => ({ ...found, commands: readLines(found.path) }));
}

export function removeJournal({ path }: Leftover): void {
  rmSync(path, { force: true });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLines(path: string): Kept[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap(line => {
      try {
        return line === "" ? [] : decodeCommands(line);
      } catch {
        return [] as Command[];
      }
    })
    .filter(isKept);
}

export function isKept(command: Command): command is Kept {
  return command.do === "settle" || command.do === "checkpoint";
}
