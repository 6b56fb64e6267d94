import type { Database } from "bun:sqlite";
import { catalogue, type Reason } from "../../domain/errors.ts";
import type { Id } from "../../domain/ids.ts";
import type { Answer, Command } from "../command.ts";
import { interrupted, toHold } from "../hold-rows.ts";
import { Ledger } from "../ledger.ts";
import type { SqlRow, SqlValue } from "../tx.ts";
import { Loader } from "./load.ts";
import { Saver, type SaverOptions } from "./save.ts";

const RECOVERED_PER_BATCH_MAX = 500;

/** One admission and settlement transaction after another, each for all the commands that came while the last ran. */
export class Batcher {
  readonly #db: Database;
  readonly #options: SaverOptions;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  readonly #readOrphans;
  readonly #loader: Loader;
  readonly #saver: Saver;

  constructor(db: Database, options: SaverOptions) {
    const query = (sql: string) => db.query<SqlRow, SqlValue[]>(sql);
    this.#db = db;
    this.#options = options;
    this.#begin = query("begin immediate");
    this.#commit = query("commit");
    this.#rollback = query("rollback");
    this.#readOrphans = query(
      `select * from usage where state = 'open' and boot_id = ? order by id limit ${RECOVERED_PER_BATCH_MAX}`,
    );
    this.#loader = new Loader(db);
    this.#saver = new Saver(db, options);
  }

  /** Answered when it is committed: in the file, if not yet on the disk. */
  run(commands: readonly Command[], onDecided: (answers: Answer[]) => void): void {
    const { answers, writes } = this.#transaction(() => {
      const book = new Ledger(this.#loader.rowsFor(commands), this.#bookOptions());
      const decided = book.run(commands);
      this.#saver.save(book.writes);
      return { answers: decided, writes: book.writes };
    });
    this.#loader.remember(writes);
    this.#saver.remember(writes);
    onDecided(answers);
  }

  /** Resolves what a process that is no more left open, at what its last checkpoint shows was delivered. */
  recover(gone: Id<"boot">): number {
    let count = 0;
    for (;;) {
      const found = this.#transaction(() => this.#recoverSome(gone));
      count += found;
      if (found < RECOVERED_PER_BATCH_MAX) return count;
    }
  }

  #recoverSome(gone: Id<"boot">): number {
    const orphans = this.#readOrphans.all(gone);
    const book = new Ledger(this.#loader.rowsForHolds(orphans.map(toHold)), this.#bookOptions());
    for (const row of orphans) book.resolve(interrupted(row));
    this.#saver.save(book.writes);
    return orphans.length;
  }

  #bookOptions() {
    return { nowMs: this.#options.nowMs(), statusOf };
  }

  #transaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      const value = work();
      this.#commit.run();
      return value;
    } catch (error) {
      this.#loader.forget();
      if (this.#db.inTransaction) this.#rollback.run();
      throw error;
    }
  }
}

function statusOf(reason: string): number {
  return catalogue[reason as Reason].status;
}
