import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Books, time } from "../bank.case.ts";
import { Batcher } from "./batch.ts";
import { migrate, openDatabase, transactionOf } from "./database.ts";

const folder = mkdtempSync(join(tmpdir(), "wicketgate-ledger-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let files = 0;

export async function sqliteBooks(): Promise<Books> {
  const db = openDatabase(join(folder, `${files++}.db`), false);
  db.run("pragma synchronous = off");
  migrate(db);
  return {
    teller: bootId => {
      const batcher = new Batcher(db, { bootId, nowMs: () => time.nowMs });
      return {
        run: async (commands, onDecided) => batcher.run(commands, onDecided),
        recover: async gone => batcher.recover(gone),
      };
    },
    job: async work => {
      db.run("begin immediate");
      try {
        const value = await work(transactionOf(db));
        db.run("commit");
        return value;
      } catch (error) {
        db.run("rollback");
        throw error;
      }
    },
    close: async () => db.close(),
  };
}
