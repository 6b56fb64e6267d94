import type { Database } from "bun:sqlite";
import { closeSync, fdatasyncSync, openSync } from "node:fs";
import type { Clock } from "../../domain/clock.ts";
import { decodeCommands, encodeAnswers } from "../command.ts";
import { jobs, readingJobs } from "../jobs.ts";
import { tidyWhenQuiet } from "../quiet.ts";
import { StoreProblem } from "../store.ts";
import type { Tx } from "../tx.ts";
import { Batcher } from "./batch.ts";
import { migrate, openDatabase, transactionOf, walOf } from "./database.ts";
import { FAILED, type FromOwner, type ToOwner } from "./wire.ts";

type Table = Readonly<Record<string, (tx: Tx, args: never) => Promise<unknown>>>;

/** Owns a connection: the one writer, or the reader for reports. A batch, and its answers, are a string. */
export class Owner {
  readonly #send: (message: string | FromOwner) => void;
  readonly #clock: Clock;
  readonly #quiet = tidyWhenQuiet();
  #db: Database | null = null;
  #table: Table = jobs;
  #batches: Batcher | null = null;
  #wal: number | null = null;

  constructor(send: (message: string | FromOwner) => void, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
  }

  /** What is sent to it, one after the other; done once it is answered. */
  take(message: string | ToOwner): Promise<void> | void {
    if (typeof message === "string") return this.#runBatch(message);
    return message.kind === "open" ? this.#open(message) : this.#answer(message);
  }

  async #open(message: Extract<ToOwner, { kind: "open" }>): Promise<void> {
    try {
      const db = openDatabase(message.file, message.readOnly);
      this.#db = db;
      // The writer is asked for none of them.
      if (message.readOnly) this.#table = { ...jobs, ...(await import("../reports.ts")).reports };
      else {
        migrate(db);
        this.#wal = openSync(walOf(message.file), "r");
        this.#sync();
        this.#batches = new Batcher(db, { bootId: message.bootId, ...this.#clock });
      }
      this.#send({ kind: "opened" });
    } catch (error) {
      this.#send({ kind: "broken", message: describe(error) });
    }
  }

  #runBatch(text: string): void {
    try {
      demand(this.#batches).run(decodeCommands(text), answers => this.#send(encodeAnswers(answers)));
      this.#quiet.worked();
    } catch (error) {
      this.#send(`${FAILED}${describe(error)}`);
    }
  }

  async #answer(message: Exclude<ToOwner, { kind: "open" }>): Promise<void> {
    try {
      this.#send({ kind: "result", call: message.call, value: await this.#perform(message) });
    } catch (error) {
      const known = error instanceof StoreProblem;
      const field = known ? error.field : null;
      this.#send({ kind: "problem", call: message.call, message: describe(error), known, field });
    }
  }

  async #perform(message: Exclude<ToOwner, { kind: "open" }>): Promise<unknown> {
    const open = demand(this.#db);
    if (message.kind === "recover") {
      const counts = message.bootIds.map(bootId => demand(this.#batches).recover(bootId));
      this.#sync();
      return counts.reduce((sum, count) => sum + count, 0);
    }
    if (message.kind === "close") {
      open.close();
      if (this.#wal !== null) closeSync(this.#wal);
      return null;
    }
    const work = this.#table[message.name];
    if (work === undefined) throw new Error(`no job is called ${message.name}`);
    const writes = message.name in jobs && !readingJobs.has(message.name);
    open.run(writes ? "begin immediate" : "begin");
    try {
      const value = await work(transactionOf(open), message.args as never);
      open.run(wantsRollback(value) ? "rollback" : "commit");
      // Batches are synced by the event loop's end; whoever made a change waits for it here.
      if (writes) this.#sync();
      return value;
    } catch (error) {
      if (open.inTransaction) open.run("rollback");
      throw error;
    }
  }

  #sync(): void {
    if (this.#wal !== null) fdatasyncSync(this.#wal);
  }
}

function wantsRollback(value: unknown): boolean {
  return typeof value === "object" && value !== null && "rollback" in value && value.rollback === true;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function demand<T>(value: T | null): T {
  if (value === null) throw new Error("the database is not open");
  return value;
}
