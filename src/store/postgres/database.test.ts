import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { migrations } from "../schema.ts";
import { StoreProblem } from "../store.ts";
import type { SqlRow, Tx } from "../tx.ts";
import { openPool, type Pool } from "./connect.ts";
import { inTransaction, migrate, type TransactionMode } from "./database.ts";
import { PostgresFailure } from "./failure.ts";
import { freshDatabase } from "./server-test-rig.ts";
import { nativeSchema, numbered } from "./translate.ts";
import type { PostgresValue } from "./values.ts";

let url = "";
let pool: Pool;

beforeAll(async () => {
  url = await freshDatabase();
  pool = openPool({ url, connectionsMax: 4 });
  await migrate(pool);
});
afterAll(() => pool.close());

function within<T>(mode: TransactionMode, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(pool, { mode, work });
}

async function one(sql: string, ...params: PostgresValue[]): Promise<SqlRow> {
  const work = (_: Tx, connection: { query: (sql: string, params: PostgresValue[]) => Promise<SqlRow[]> }) =>
    connection.query(sql, params);
  const [row] = await inTransaction(pool, { mode: "write", work });
  return row ?? {};
}

const revisionNow = async () => (await one("select revision from revision"))["revision"];
const raise = (tx: Tx) => tx.run("update revision set revision = revision + 1");

describe("a statement", () => {
  test("has its placeholders numbered, but not those inside quotes", () => {
    expect(numbered(`select '?', "a?" from t where a = ? and b = 'it''s ?' and c = ?`)).toBe(
      `select '?', "a?" from t where a = $1 and b = 'it''s ?' and c = $2`,
    );
  });

  test("of the schema gets PostgreSQL's types, and texts that sort by their bytes", () => {
    expect(nativeSchema("create table a (id text primary key, n $int, context text, b $bytes)")).toBe(
      `create table a (id text collate "C" primary key, n bigint, context text collate "C", b bytea)`,
    );
    expect(nativeSchema("insert into a (id) values ('text')")).toBe("insert into a (id) values ('text')");
  });
});

describe("a value", () => {
  const limits = [0n, -1n, 2n ** 62n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];

  test("that is whole comes back as bigint, whatever PostgreSQL calls it", async () => {
    for (const value of limits) expect(await one("select $1::bigint as n", value)).toEqual({ n: value });
    expect(
      await one(`select 1 as literal, 2::smallint as small, count(*) as count, sum(revision) as sum,
        sum(9223372036854775807) as large, true as yes, false as no, null::bigint as nothing from revision`),
    ).toEqual({
      ...{ literal: 1n, small: 2n, count: 1n, sum: 1n, large: 9223372036854775807n },
      ...{ yes: 1n, no: 0n, nothing: null },
    });
  });

  test("that is a number is taken as a whole one, and a fraction stays one", async () => {
    expect(await one("select $1 + 0 as n, $2 as m, $3::float8 as f", 5, 2 ** 40, 1.5)).toEqual({
      n: 5n,
      m: 2n ** 40n,
      f: 1.5,
    });
    expect(await one("select 2.5::numeric as n")).toEqual({ n: 2.5 });
  });

  test("of text or bytes comes back as it was", async () => {
    const bytes = new Uint8Array([9, 0, 255, 1]).subarray(1);
    const text = `it's "quoted" \\ {a,NULL}\n é 😀`;
    const row = await one("select $1::text as text, $2::bytea as bytes, $3::text as empty", text, bytes, "");
    expect(row).toEqual({ text, bytes: new Uint8Array([0, 255, 1]), empty: "" });
    expect(row["bytes"]).not.toBeInstanceOf(Buffer);
  });

  test("that PostgreSQL cannot keep in a text is replaced, and the rest of it kept", async () => {
    expect(
      await one("select $1::text as text, $2::text[] = array['c', U&'d\\FFFD'] as same", "a\0b", [
        "c",
        "d\0",
      ]),
    ).toEqual({ text: "a\uFFFDb", same: 1n });
  });

  test("of a type that is not read here is an error, not a surprise", async () => {
    await expect(one("select now() as at")).rejects.toThrow("cast it");
  });

  test("can be a list of a thousand, with nulls", async () => {
    const count = 1_000;
    const texts = Array.from({ length: count }, (_, at) => (at % 3 === 0 ? null : `"${at}\\`));
    const wholes = Array.from({ length: count }, (_, at) => (at % 5 === 0 ? null : 2n ** 62n + BigInt(at)));
    const bytes = Array.from({ length: count }, (_, at) =>
      at % 7 === 0 ? null : new Uint8Array([at % 256, 0]),
    );
    const rows = await inTransaction(pool, {
      mode: "batch",
      work: (_, connection) =>
        connection.query(
          `select * from unnest($1::text[], $2::bigint[], $3::bytea[]) with ordinality as given (a, b, c, at)
            where at = any($4) order by at`,
          [texts, wholes, bytes, wholes.map((_, at) => at + 1)],
        ),
    });
    expect(rows.map(row => row["a"])).toEqual(texts);
    expect(rows.map(row => row["b"])).toEqual(wholes);
    expect(rows.map(row => row["c"])).toEqual(bytes);
    expect(await one("select count(*) as count from unnest($1::text[])", [])).toEqual({ count: 0n });
  });
});

describe("a transaction", () => {
  test("is kept when the work is done, and undone when it throws or asks for it", async () => {
    const before = Number(await revisionNow());
    await within("write", raise);
    await within("batch", raise);
    const refused = await within("write", async tx => {
      await raise(tx);
      return { rollback: true, why: "a rehearsal" };
    });
    expect(refused.why).toBe("a rehearsal");
    const thrown = within("write", async tx => {
      await raise(tx);
      throw new StoreProblem("No such account.");
    });
    await expect(thrown).rejects.toThrow(StoreProblem);
    expect(Number(await revisionNow())).toBe(before + 2);
  });

  test("that swallowed the error of a statement does not pass for kept", async () => {
    const before = await revisionNow();
    const swallowed = within("write", async tx => {
      await raise(tx);
      await tx.run("select 1 / 0").catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow("rolled back");
    expect(await revisionNow()).toBe(before ?? null);
  });

  test("that writes waits for the others that write, and sees what they did", async () => {
    const before = Number(await revisionNow());
    const bump = async (tx: Tx) => {
      const [row] = await tx.all("select revision from revision");
      await Bun.sleep(2);
      await tx.run("update revision set revision = ?", Number(row?.["revision"]) + 1);
    };
    await Promise.all(Array.from({ length: 12 }, () => within("write", bump)));
    expect(Number(await revisionNow())).toBe(before + 12);
  });

  test("that reads sees one moment, changes nothing and keeps no writer waiting", async () => {
    const { seen, after } = await within("read", async tx => {
      const [first] = await tx.all("select revision from revision");
      await within("write", raise);
      const [second] = await tx.all("select revision from revision");
      return { seen: [first, second], after: await revisionNow() };
    });
    expect(seen[0]).toEqual(seen[1] ?? {});
    expect(after).toBe(BigInt(String(seen[0]?.["revision"])) + 1n);
    const change = within("read", raise);
    await expect(change).rejects.toMatchObject({ sqlState: "25006", lost: false });
  });

  test("locks the rows that it is going to change", async () => {
    const before = Number(await revisionNow());
    const bump = async (tx: Tx) => {
      const [row] = await tx.all(`select revision from revision${tx.forUpdate}`);
      await Bun.sleep(2);
      await tx.run("update revision set revision = ?", Number(row?.["revision"]) + 1);
    };
    await Promise.all(Array.from({ length: 8 }, () => within("batch", bump)));
    expect(Number(await revisionNow())).toBe(before + 8);
  });

  test("runs again after a deadlock", async () => {
    await one("create table pairs (id bigint primary key, n bigint not null)");
    await one("insert into pairs values (1, 0), (2, 0)");
    let runs = 0;
    const both = (first: number, second: number) =>
      within("batch", async tx => {
        runs += 1;
        await tx.run("update pairs set n = n + 1 where id = ?", first);
        await Bun.sleep(50);
        await tx.run("update pairs set n = n + 1 where id = ?", second);
      });
    await Promise.all([both(1, 2), both(2, 1)]);
    expect(runs).toBe(3);
    expect(await one("select sum(n) as sum from pairs")).toEqual({ sum: 4n });
  });

  test("writes all that it has decided together with the commit, or nothing of it", async () => {
    await one("create table chosen (id bigint primary key)");
    const insert = (id: number) => ({ sql: "insert into chosen values ($1::bigint)", values: [id] });
    const batch = (...ids: number[]) =>
      inTransaction(pool, { mode: "batch", work: async () => ids, writes: chosen => chosen.map(insert) });
    expect(await batch(1, 2)).toEqual([1, 2]);
    await expect(batch(3, 2, 4)).rejects.toMatchObject({ sqlState: "23505", lost: false });
    // What cannot be made ready keeps all the rest from being sent.
    const half = inTransaction(pool, {
      mode: "batch",
      work: async () => [5, 6],
      writes: ([first = 0]) => {
        throw new Error(`${insert(first).sql} and no more`);
      },
    });
    await expect(half).rejects.toThrow("and no more");
    const refused = inTransaction(pool, {
      mode: "batch",
      work: async () => ({ rollback: true }),
      writes: () => [insert(7)],
    });
    expect(await refused).toEqual({ rollback: true });
    expect(await one("select string_agg(id::text, ' ' order by id) as ids from chosen")).toEqual({
      ids: "1 2",
    });
    // The connections are good for more.
    await Promise.all([10, 11, 12, 13].map(id => batch(id)));
    expect(await one("select count(*) as count from chosen")).toEqual({ count: 6n });
  });

  test("names the server's code, and goes no further than its time", async () => {
    const twice = one("insert into revision (one, revision) values (1, 1)");
    await expect(twice).rejects.toMatchObject({ sqlState: "23505", lost: false });
    const slow = inTransaction(pool, {
      mode: "read",
      statementMsMax: 50,
      work: tx => tx.all("select 1 as done from pg_sleep(5)"),
    });
    await expect(slow).rejects.toMatchObject({ sqlState: "57014", late: true, lost: false });
  });

  test("that stands idle for too long is ended by the server, with its locks", async () => {
    const idle = inTransaction(pool, {
      mode: "write",
      statementMsMax: 50,
      work: async tx => {
        await Bun.sleep(250);
        await raise(tx);
      },
    });
    await expect(idle).rejects.toMatchObject({ lost: true });
  });

  test("fails in time where every connection is taken", async () => {
    const small = openPool({ url, connectionsMax: 1, statementMsMax: 100 });
    const held = await small.reserve();
    await expect(small.reserve()).rejects.toThrow("no connection was free");
    await held.release();
    expect(await inTransaction(small, { mode: "read", work: tx => tx.all("select 1 as n") })).toEqual([
      { n: 1n },
    ]);
    await small.close();
  });
});

describe("the database", () => {
  test("is the one that the URL names, whatever the environment of the process says", () => {
    const script = `
      import { openPool } from "./connect.ts";
      const pool = openPool({ url: process.argv[1], connectionsMax: 1 });
      const connection = await pool.reserve();
      const [row] = await connection.query("select current_database() as name, $1 = any($2) as listed", ["a", ["a"]]);
      await connection.release();
      await pool.close();
      process.stdout.write(row.name + row.listed);`;
    const env = { ...process.env, PGDATABASE: "postgres", DATABASE_URL: "sqlite:other.db" };
    const address = `${url.replace("postgres://", "postgresql://")}?sslmode=disable`;
    const ran = Bun.spawnSync([process.execPath, "-e", script, address], { cwd: import.meta.dir, env });
    expect(ran.stderr.toString()).toBe("");
    expect(ran.stdout.toString()).toBe(`${new URL(url).pathname.slice(1)}1`);
  });
});

describe("the schema", () => {
  test("is there once, when several processes start at the same time", async () => {
    const fresh = await freshDatabase();
    const pools = Array.from({ length: 4 }, () => openPool({ url: fresh, connectionsMax: 2 }));
    await Promise.all(pools.map(starting => migrate(starting)));
    const [first] = pools;
    const work = (tx: Tx) => tx.all("select version from migrations order by version");
    const versions = first && (await inTransaction(first, { mode: "read", work }));
    expect(versions?.map(row => Number(row["version"]))).toEqual(migrations.map(({ version }) => version));
    await Promise.all(pools.map(started => started.close()));
  });

  test("has no text that sorts by a language", async () => {
    const other = await one(`select count(*) as count from pg_attribute
      join pg_class on pg_class.oid = attrelid join pg_collation on pg_collation.oid = attcollation
      where relnamespace = 'public'::regnamespace and relname <> 'migrations' and collname <> 'C'`);
    expect(other).toEqual({ count: 0n });
  });

  test("of a newer version is refused, and a failing migration leaves nothing behind", async () => {
    const newer = openPool({ url: await freshDatabase(), connectionsMax: 2 });
    await migrate(newer, [{ version: 1, name: "one", statements: ["create table a (id text)"] }]);
    const failing = {
      version: 2,
      name: "two",
      statements: ["create table b (id text)", "create table a (id text)"],
    };
    await expect(migrate(newer, [failing])).rejects.toBeInstanceOf(PostgresFailure);
    await migrate(newer, [{ version: 3, name: "three", statements: ["create table b (id text)"] }]);
    const refused = migrate(newer, [{ version: 2, name: "two", statements: [] }]);
    await expect(refused).rejects.toThrow("newer Wicketgate (schema 3)");
    await newer.close();
  });
});
