import { catalogue, type Reason } from "../../domain/errors.ts";
import type { Id } from "../../domain/ids.ts";
import type { Answer, Command } from "../command.ts";
import { interrupted } from "../hold-rows.ts";
import { Ledger } from "../ledger.ts";
import { id } from "../rows.ts";
import { KnownSeries } from "../usage-sums.ts";
import type { Connection, Pool } from "./connect.ts";
import { inTransaction } from "./database.ts";
import { Loader } from "./load.ts";
import { type SaverOptions, statementsOf } from "./save.ts";

const RECOVERED_PER_BATCH_MAX = 500;
/** Any fixed number; with a boot id it is the name of a lock. */
const BATCH_LOCK = 52_831;

/** One admission and settlement transaction after another, as on SQLite; those of other instances run beside. */
export class Batcher {
  readonly #pool: Pool;
  readonly #options: SaverOptions;
  readonly #loader = new Loader();
  readonly #knownSeries = new KnownSeries();

  constructor(pool: Pool, options: SaverOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  async run(commands: readonly Command[], onDecided: (answers: Answer[]) => void): Promise<void> {
    const { answers, writes } = await inTransaction(this.#pool, {
      mode: "batch",
      work: async (_, connection) => {
        // Sent first, and not waited for by itself.
        const turn = this.#turn(connection);
        const [rows] = await Promise.all([this.#loader.rowsFor(connection, commands), turn]);
        const book = new Ledger(rows, this.#bookOptions());
        return { answers: book.run(commands), writes: book.writes };
      },
      writes: decided => statementsOf(decided.writes, this.#saving()),
    });
    this.#loader.remember(writes);
    this.#knownSeries.add(writes.sums);
    onDecided(answers);
  }

  /**
   * Resolves what a process that is no more left open, at what its last checkpoint shows was delivered. One that is
   * only thought to be no more may still write meanwhile, so it is over when nothing of it is found.
   */
  async recover(gone: Id<"boot">): Promise<number> {
    let count = 0;
    for (;;) {
      const { found, resolved } = await this.#recoverSome(gone);
      count += resolved;
      if (found === 0) return count;
    }
  }

  #recoverSome(gone: Id<"boot">): Promise<{ found: number; resolved: number }> {
    return inTransaction(this.#pool, {
      mode: "batch",
      work: async (tx, connection) => {
        const orphans = await tx.all(
          `select id from usage where state = 'open' and boot_id = ? order by id limit ${RECOVERED_PER_BATCH_MAX}`,
          gone,
        );
        const ids = orphans.map(row => id("req", row["id"]));
        const book = new Ledger(await this.#loader.rowsForHolds(connection, ids), this.#bookOptions());
        // Their last checkpoints, read when nobody can write another one.
        const last = "select * from usage where id = any($1::text[]) order by id";
        for (const row of await connection.query(last, [ids])) book.resolve(interrupted(row));
        return { found: orphans.length, resolved: book.writes.updates.length, writes: book.writes };
      },
      writes: ({ writes }) => statementsOf(writes, this.#saving()),
    });
  }

  /**
   * A batch that was given up because the server stood still may be committed when it goes on. The next one waits for
   * it, and finds what it has written: otherwise a hold could appear after the settlement that was to resolve it.
   */
  async #turn(connection: Connection): Promise<void> {
    await connection.query(`select pg_advisory_xact_lock(${BATCH_LOCK}, hashtext($1))`, [
      this.#options.bootId,
    ]);
  }

  #saving() {
    return { ...this.#options, knownSeries: this.#knownSeries };
  }

  #bookOptions() {
    return { nowMs: this.#options.nowMs(), statusOf };
  }
}

function statusOf(reason: string): number {
  return catalogue[reason as Reason].status;
}
