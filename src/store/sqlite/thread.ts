import type { Database } from "bun:sqlite";
import { fdatasyncSync, openSync } from "node:fs";
import { decodeCommands, encodeAnswers } from "../command.ts";
import { jobs, readingJobs } from "../jobs.ts";
import { tidyWhenQuiet } from "../quiet.ts";
import { StoreProblem } from "../store.ts";
import type { Tx } from "../tx.ts";
import { Batcher } from "./batch.ts";
import { migrate, openDatabase, transactionOf, walOf } from "./database.ts";
import { FAILED, type FromThread, type ToThread } from "./wire.ts";

/** The thread that owns a connection: the one writer, or the reader for reports. */

declare const self: Worker;

type Table = Readonly<Record<string, (tx: Tx, args: never) => Promise<unknown>>>;

let db: Database | null = null;
let table: Table = jobs;
let batches: Batcher | null = null;
let wal: number | null = null;
const quiet = tidyWhenQuiet();

function sync(): void {
  if (wal !== null) fdatasyncSync(wal);
}

self.onmessage = (event: MessageEvent<string | ToThread>) => {
  const { data } = event;
  if (typeof data === "string") runBatch(data);
  else if (data.kind === "open") void open(data);
  else void answer(data);
};

async function open(message: Extract<ToThread, { kind: "open" }>): Promise<void> {
  try {
    db = openDatabase(message.file, message.readOnly);
    // The writer is asked for none of them.
    if (message.readOnly) table = { ...jobs, ...(await import("../reports.ts")).reports };
    else {
      migrate(db);
      wal = openSync(walOf(message.file), "r");
      sync();
      batches = new Batcher(db, { bootId: message.bootId, nowMs: Date.now });
    }
    reply({ kind: "opened" });
  } catch (error) {
    reply({ kind: "broken", message: describe(error) });
  }
}

function runBatch(text: string): void {
  try {
    demand(batches).run(decodeCommands(text), answers => self.postMessage(encodeAnswers(answers)));
    quiet.worked();
  } catch (error) {
    self.postMessage(`${FAILED}${describe(error)}`);
  }
}

async function answer(message: Exclude<ToThread, { kind: "open" }>): Promise<void> {
  try {
    reply({ kind: "result", call: message.call, value: await perform(message) });
  } catch (error) {
    const known = error instanceof StoreProblem;
    const field = known ? error.field : null;
    reply({ kind: "problem", call: message.call, message: describe(error), known, field });
  }
}

async function perform(message: Exclude<ToThread, { kind: "open" }>): Promise<unknown> {
  const open = demand(db);
  if (message.kind === "recover") {
    const counts = message.bootIds.map(bootId => demand(batches).recover(bootId));
    sync();
    return counts.reduce((sum, count) => sum + count, 0);
  }
  if (message.kind === "close") {
    open.close();
    return null;
  }
  const work = table[message.name];
  if (work === undefined) throw new Error(`no job is called ${message.name}`);
  const writes = message.name in jobs && !readingJobs.has(message.name);
  open.run(writes ? "begin immediate" : "begin");
  try {
    const value = await work(transactionOf(open), message.args as never);
    open.run(wantsRollback(value) ? "rollback" : "commit");
    // Batches are synced by the event loop's end; whoever made a change waits for it here.
    if (writes) sync();
    return value;
  } catch (error) {
    if (open.inTransaction) open.run("rollback");
    throw error;
  }
}

function wantsRollback(value: unknown): boolean {
  return typeof value === "object" && value !== null && "rollback" in value && value.rollback === true;
}

function reply(message: FromThread): void {
  self.postMessage(message);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function demand<T>(value: T | null): T {
  if (value === null) throw new Error("the database is not open");
  return value;
}
