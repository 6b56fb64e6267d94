import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import {
  copyOf,
  databases,
  everyRow,
  freshPath,
  freshSqlite,
  furnish,
  inside,
  NOW_MS,
  problemOf,
  restoreTo,
  TABLES,
  writeFrom,
} from "./copy-database.case.ts";
import { openCopySource, openCopyTarget, type Place, placeName, readPlace } from "./copy-open.ts";
import type { Tx } from "./tx.ts";

async function furnished(from: Place = freshSqlite(), rows?: number): Promise<Place> {
  await inside(from, tx => furnish(tx, rows));
  return from;
}

for (const [source, freshSource] of databases) {
  for (const [target, freshTarget] of databases) {
    test(`from ${source} to ${target} every value of every table arrives`, async () => {
      const [from, to] = [await furnished(await freshSource()), await freshTarget()];
      const before = await inside(from, everyRow);
      for (const { name } of TABLES) expect(before[name]?.length).toBeGreaterThan(0);
      const file = await copyOf(from);
      await restoreTo(to, file, true);
      expect(await inside(to, everyRow)).toEqual(before);
      // Both databases sort texts by their bytes, so a copy of the copy is the same file.
      expect(await Bun.file(await copyOf(to)).bytes()).toEqual(await Bun.file(file).bytes());
    });
  }
}

describe("a copy", () => {
  test("is for its owner alone, and is never written over another file", async () => {
    const from = await furnished();
    const file = await copyOf(from);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const source = await openCopySource(from);
    expect(await problemOf(writeFrom(source, file, () => {}))).toContain("EEXIST");
    await source.close();
  });

  test("is read in pages, across more than one, also where the key has two columns", async () => {
    const from = await furnished(freshSqlite(), 2_345);
    const to = freshSqlite();
    const source = await openCopySource(from);
    const largest = { rows: 0 };
    const counting = (tx: Tx): Tx => ({
      ...tx,
      all: async (sql, ...params) => {
        const rows = await tx.all(sql, ...params);
        largest.rows = Math.max(largest.rows, rows.length);
        return rows;
      },
    });
    const file = freshPath(".copy");
    const paged = {
      ...source,
      read: <T>(work: (tx: Tx) => Promise<T>) => source.read(tx => work(counting(tx))),
    };
    await writeFrom(paged, file, () => {});
    await source.close();
    expect(largest.rows).toBe(1_000);
    await restoreTo(to, file, true);
    expect(await inside(to, everyRow)).toEqual(await inside(from, everyRow));
  });

  test("that breaks off leaves the source free", async () => {
    const from = await furnished();
    const stop = () => {
      throw new Error("enough");
    };
    expect(await problemOf(copyOf(from, stop))).toBe("enough");
    await inside(from, tx => tx.run("update revision set revision = 1"));
  });
});

describe.each([...databases])("on %s", (_name, fresh) => {
  test("a copy is the database at one moment while others write, and its books agree", async () => {
    const from = await fresh();
    await inside(from, async tx => {
      for (let at = 0; at < ACCOUNTS; at++) await addAccount(tx, at);
    });
    const before = await inside(from, everyRow);
    const writer = await openCopyTarget(from);
    let moves = 0;
    let written = Promise.resolve();
    const file = await copyOf(from, () => {
      moves += 1;
      const move = moves;
      // From an account at the start to one at the end: half of it in the copy would be money made or lost.
      written = written.then(() => writer.write(tx => moveMoney(tx, move)));
    });
    await written;
    await writer.close();
    expect(moves).toBeGreaterThan(3);
    const to = await fresh();
    expect(await restoreTo(to, file)).toEqual([]);
    expect(await inside(to, everyRow)).toEqual(before);
    expect(await inside(from, everyRow)).not.toEqual(before);
  });

  test("an empty copy loads into a database that was only made", async () => {
    const [from, to] = [await fresh(), await fresh()];
    for (const place of [from, to]) await inside(place, async () => {});
    expect(await restoreTo(to, await copyOf(from))).toEqual([]);
    expect(await inside(to, everyRow)).toEqual(await inside(from, everyRow));
  });

  test("the target must be empty", async () => {
    const [from, to] = [await furnished(), await fresh()];
    await inside(to, tx => addAccount(tx, 1));
    const before = await inside(to, everyRow);
    expect(await problemOf(restoreTo(to, await copyOf(from), true))).toContain("rows in accounts, ledger");
    expect(await inside(to, everyRow)).toEqual(before);
  });

  test("the target must not have a server on it", async () => {
    const [from, to] = [await furnished(), await fresh()];
    await inside(to, tx =>
      tx.run("insert into instances values ('boot_1', 'host', 1, '', ?)", BigInt(NOW_MS - 14_000)),
    );
    const file = await copyOf(from);
    expect(await problemOf(restoreTo(to, file, true))).toContain("A server is running");
    await inside(to, tx => tx.run("update instances set seen_at_ms = ?", BigInt(NOW_MS - 16_000)));
    expect(await problemOf(restoreTo(to, file, true))).toBe("none");
  });

  test("the target stays empty where the books of the copy do not agree", async () => {
    const [from, to] = [freshSqlite(), await fresh()];
    await inside(from, tx => addAccount(tx, 1));
    await inside(from, tx => tx.run("update accounts set balance = 101"));
    const file = await copyOf(from);
    expect(await problemOf(restoreTo(to, file))).toContain("The ledger in this copy breaks once.");
    expect((await inside(to, everyRow))["accounts"]).toEqual([]);
    expect(await restoreTo(to, file, true)).toHaveLength(1);
    expect((await inside(to, everyRow))["accounts"]).toHaveLength(1);
  });

  test("the target stays empty where a row is not taken", async () => {
    const [from, to] = [freshSqlite(), await fresh()];
    await inside(from, async tx => {
      await addAccount(tx, 1);
      await tx.run("pragma ignore_check_constraints = on");
      await tx.run("update accounts set held = -1");
    });
    expect(await problemOf(restoreTo(to, await copyOf(from), true))).toMatch(/check constraint/i);
    expect((await inside(to, everyRow))["accounts"]).toEqual([]);
  });
});

const ACCOUNTS = 2_500;
const account = (at: number) => `acc_${String(at).padStart(6, "0")}`;

async function addAccount(tx: Tx, at: number): Promise<void> {
  await tx.run(
    `insert into accounts (id, email, role, enabled, balance, held, created_at_ms) values (?, ?, 'holder', 1, 100, 0, 0)`,
    ...[account(at), `${at}@example.org`],
  );
  await addLine(tx, { at, id: "led_1", amount: 100 });
}

async function addLine(
  tx: Tx,
  { at, id, amount }: { at: number; id: string; amount: number },
): Promise<void> {
  await tx.run(
    `insert into ledger (account_id, id, kind, amount, actor, why, created_at_ms) values (?, ?, 'credit', ?, 'test', '', 0)`,
    ...[account(at), id, amount],
  );
}

async function moveMoney(tx: Tx, move: number): Promise<void> {
  for (const [at, amount] of [
    [0, -1],
    [ACCOUNTS - 1, 1],
  ] as const) {
    await tx.run("update accounts set balance = balance + ? where id = ?", amount, account(at));
    await addLine(tx, { at, id: `led_2${String(move).padStart(6, "0")}`, amount });
  }
}

describe("a place", () => {
  test("is read from a URL or a path, and told without its password", () => {
    const file = (text: string) => readPlace(text, "/home");
    expect(file("sqlite:x.db")).toEqual({ kind: "sqlite", file: "/home/x.db" });
    expect(file("sqlite:///srv/x.db")).toEqual({ kind: "sqlite", file: "/srv/x.db" });
    expect(file("/srv/wicketgate-nowhere")).toEqual({
      kind: "sqlite",
      file: "/srv/wicketgate-nowhere/wicketgate.db",
    });
    const postgres = file("postgres://ann:hidden@db.example.org:5433/gate?sslmode=require");
    expect(placeName(postgres)).toBe("PostgreSQL database gate on db.example.org:5433");
    for (const wrong of ["", "mysql://a/b", "sqlite:", "http://x"])
      expect(() => file(wrong)).toThrow("postgres://");
  });
});
