import { afterAll, beforeAll, expect, test } from "bun:test";
import { ask, Bank, type Books, settle, time } from "../bank.case.ts";
import { Batcher } from "./batch.ts";
import { type Connection, openPool, type Pool } from "./connect.ts";
import { inTransaction, migrate } from "./database.ts";
import { PostgresFailure } from "./failure.ts";
import { dropDatabase, freshDatabase } from "./server-test-rig.ts";

/** A server, or its disk, stands still during a commit: we give it up, and later it happens all the same. */

const LATE_MS = 300;

let url = "";
let pool: Pool;
let isLate = false;
let late: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  url = await freshDatabase();
  pool = openPool({ url, connectionsMax: 3 });
  await migrate(pool);
});
afterAll(async () => {
  await pool.close();
  await dropDatabase(url);
});

/** The commit is on its way, and the connection is given up before the answer. */
function losing(connection: Connection): Connection {
  return {
    ...connection,
    script: sql => {
      if (!isLate || sql !== "commit") return connection.script(sql);
      isLate = false;
      late = Bun.sleep(LATE_MS).then(() => connection.script(sql));
      return Promise.reject(new PostgresFailure("PostgreSQL: no answer", { lost: true, late: true }));
    },
    close: async () => void late.finally(() => connection.close()),
  };
}

test("the settlement that follows waits for it, and leaves no hold behind", async () => {
  const slow: Pool = { ...pool, reserve: async limits => losing(await pool.reserve(limits)) };
  const books: Books = {
    teller: bootId => new Batcher(slow, { bootId, nowMs: () => time.nowMs }),
    job: work => inTransaction(pool, { mode: "write", work }),
    close: () => pool.close(),
  };
  const bank = await new Bank(books).open();
  await bank.account("ann@example.org", 1_000n);
  await bank.key("ann@example.org", "laptop");
  const { command, id } = ask("laptop", 100n);
  isLate = true;
  const failed = await bank.run(command).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(PostgresFailure);
  await bank.run(settle(id, 0n, { state: "voided" }));
  await late;
  expect(await bank.one("select state from usage where id = ?", id)).toEqual({ state: "voided" });
  expect(await bank.balance("ann@example.org")).toEqual({ balance: 1_000n, held: 0n });
  expect(await bank.findings()).toEqual([]);
});
