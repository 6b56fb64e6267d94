import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Id } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import { type Command, decodeCommands, encodeCommands } from "./command.ts";
import type { Settlement } from "./store.ts";

const OWNER_ONLY = 0o600;
const SUFFIX = ".journal";

/**
 * Where settlements wait while the database is away: one file for each process, a line for each settlement, on the
 * disk before anything else happens to it. A settlement is applied once, by its id, however often it is replayed.
 */
export type Journal = {
  keep: (settlements: readonly Settlement[]) => void;
  /** These are in the database now. */
  settled: (ids: readonly Id<"req">[]) => void;
  /** Resolves when what was kept so far is on the disk. */
  synced: () => Promise<void>;
};

export type JournalOptions = { folder: string; bootId: Id<"boot">; log: Log };

export function openJournal({ folder, bootId, log }: JournalOptions): Journal {
  const path = join(folder, `${bootId}${SUFFIX}`);
  const waiting = new Set<Id<"req">>();
  let unwritten: Settlement[] = [];
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const settlements = unwritten;
    unwritten = [];
    if (settlements.length === 0) return;
    const lines = settlements.map(settlement => `${encodeCommands([{ do: "settle", settlement }])}\n`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = await open(path, "a", OWNER_ONLY);
    try {
      await file.appendFile(lines.join(""));
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  function later(work: () => Promise<void>): void {
    writing = writing.then(work).catch((error: unknown) => {
      log("error", "journal.failed", { why: error instanceof Error ? error.message : String(error) });
    });
  }

  return {
    keep: settlements => {
      if (settlements.length === 0) return;
      for (const { id } of settlements) waiting.add(id);
      unwritten.push(...settlements);
      later(write);
    },
    settled: ids => {
      for (const id of ids) waiting.delete(id);
      if (waiting.size === 0)
        later(async () => (waiting.size === 0 ? rmSync(path, { force: true }) : undefined));
    },
    synced: () => writing,
  };
}

/** What processes that are no more left in the folder; a line that was cut by the crash was never promised. */
export function readJournals(folder: string, isGone: (bootId: Id<"boot">) => boolean): Leftover[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter(name => name.endsWith(SUFFIX) && isGone(name.slice(0, -SUFFIX.length) as Id<"boot">))
    .map(name => ({ path: join(folder, name), settlements: readLines(join(folder, name)) }));
}

export type Leftover = { path: string; settlements: Settlement[] };

export function removeJournal({ path }: Leftover): void {
  rmSync(path, { force: true });
}

function readLines(path: string): Settlement[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap(line => {
      try {
        return line === "" ? [] : decodeCommands(line);
      } catch {
        return [] as Command[];
      }
    })
    .flatMap(command => (command.do === "settle" ? [command.settlement] : []));
}
