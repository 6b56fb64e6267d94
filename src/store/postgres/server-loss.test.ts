import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openPool, type Pool } from "./connect.ts";
import { inTransaction } from "./database.ts";
import { PostgresFailure } from "./failure.ts";
import { type Postgres, startPostgres } from "./server-test-rig.ts";

/** A server that goes away, on a server of its own. */

let server: Postgres;
let pool: Pool;

beforeAll(async () => {
  server = await startPostgres();
  pool = openPool({
    url: await server.freshDatabase(),
    connectionsMax: 3,
    connectMsMax: 1_000,
    statementMsMax: 300,
  });
  await write("create table kept (id bigint primary key)");
});
afterAll(async () => {
  await pool.close();
  await server.stop();
});

function write(sql: string, ...params: bigint[]): Promise<void> {
  return inTransaction(pool, { mode: "write", work: tx => tx.run(sql, ...params) });
}

async function kept(): Promise<number[]> {
  const rows = await inTransaction(pool, {
    mode: "read",
    work: tx => tx.all("select id from kept order by id"),
  });
  return rows.map(row => Number(row["id"]));
}

async function failureOf(work: Promise<unknown>): Promise<PostgresFailure> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PostgresFailure)) throw new Error(`not a failure: ${String(error)}`);
  return error;
}

const insertThenWait = () =>
  inTransaction(pool, {
    mode: "write",
    work: async tx => {
      await tx.run("insert into kept (id) values (?)", 99n);
      await tx.run("select pg_sleep(0.25)");
    },
  });

describe("a server that is killed", () => {
  test("fails what is under way at once, refuses what comes, and is used again when it is back", async () => {
    await write("insert into kept (id) values (?)", 1n);
    const under = failureOf(insertThenWait());
    await Bun.sleep(50);
    await server.kill();
    expect(await under).toMatchObject({ lost: true, sqlState: null });
    const since = performance.now();
    expect(await failureOf(kept())).toMatchObject({ lost: true });
    expect(performance.now() - since).toBeLessThan(1_000);
    await server.restart();
    expect(await kept()).toEqual([1]);
    await write("insert into kept (id) values (?)", 2n);
    expect(await kept()).toEqual([1, 2]);
  });

  test("and comes back between two requests is not even noticed", async () => {
    await server.kill();
    await server.restart();
    expect(await kept()).toEqual([1, 2]);
  });

  test("is told from one that shuts down in good order by its code", async () => {
    const under = failureOf(insertThenWait());
    await Bun.sleep(50);
    await server.shutDown();
    expect(await under).toMatchObject({ lost: true, sqlState: "57P01" });
    await server.restart();
    expect(await kept()).toEqual([1, 2]);
  });
});

describe("a server that stands still", () => {
  test("is given up after the time of a statement, and used again when it goes on", async () => {
    const under = failureOf(insertThenWait());
    await Bun.sleep(50);
    server.pause();
    const since = performance.now();
    expect((await under).message).toContain("no answer");
    // Idle connections look well, and new ones are never answered.
    const later = await Promise.all([1, 2, 3, 4].map(() => failureOf(kept())));
    expect(performance.now() - since).toBeLessThan(8_000);
    expect(later.every(failure => failure.late || failure.lost)).toBeTrue();
    server.resume();
    expect(await kept()).toEqual([1, 2]);
    await write("insert into kept (id) values (?)", 3n);
    expect(await kept()).toEqual([1, 2, 3]);
  });
});
