import { catalogue, type Reason } from "../../domain/errors.ts";
import type { Id } from "../../domain/ids.ts";
import type { Answer, Command } from "../command.ts";
import { interrupted } from "../hold-rows.ts";
import { Ledger } from "../ledger.ts";
import { id } from "../rows.ts";
import { StoreFailure } from "../store.ts";
import type { Pool } from "./connect.ts";
import { inTransaction } from "./database.ts";
import { Loader } from "./load.ts";
import { type SaverOptions, save } from "./save.ts";

const RECOVERED_PER_BATCH_MAX = 500;

/** One admission and settlement transaction after another, as on SQLite; those of other instances run beside. */
export class Batcher {
  readonly #pool: Pool;
  readonly #options: SaverOptions;
  readonly #loader = new Loader();

  constructor(pool: Pool, options: SaverOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  async run(commands: readonly Command[], onDecided: (answers: Answer[]) => void): Promise<void> {
    let told = false;
    const written = await this.#forgetting(() =>
      inTransaction(this.#pool, {
        mode: "batch",
        work: async (_, connection) => {
          // What was told cannot be decided again; the caller is told that it failed.
          if (told) throw new StoreFailure("PostgreSQL undid a batch that was decided");
          const book = new Ledger(await this.#loader.rowsFor(connection, commands), this.#bookOptions());
          const answers = book.run(commands);
          // The decision is true from here on, because the rows are locked; whether it lasts is told by the commit.
          told = true;
          if (answers.length > 0) onDecided(answers);
          await save(connection, book.writes, this.#options);
          return book.writes;
        },
      }),
    );
    this.#loader.remember(written);
  }

  /** Resolves what a process that is no more left open, at what its last checkpoint shows was delivered. */
  async recover(gone: Id<"boot">): Promise<number> {
    let count = 0;
    for (;;) {
      const found = await this.#forgetting(() => this.#recoverSome(gone));
      count += found;
      if (found < RECOVERED_PER_BATCH_MAX) return count;
    }
  }

  #recoverSome(gone: Id<"boot">): Promise<number> {
    return inTransaction(this.#pool, {
      mode: "batch",
      work: async (tx, connection) => {
        const orphans = await tx.all(
          `select * from usage where state = 'open' and boot_id = ? order by id limit ${RECOVERED_PER_BATCH_MAX}`,
          gone,
        );
        const rows = await this.#loader.rowsForHolds(
          connection,
          orphans.map(row => id("req", row["id"])),
        );
        const book = new Ledger(rows, this.#bookOptions());
        for (const row of orphans) book.resolve(interrupted(row));
        await save(connection, book.writes, this.#options);
        return orphans.length;
      },
    });
  }

  #bookOptions() {
    return { nowMs: this.#options.nowMs(), statusOf };
  }

  async #forgetting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#loader.forget();
      throw error;
    }
  }
}

function statusOf(reason: string): number {
  return catalogue[reason as Reason].status;
}
