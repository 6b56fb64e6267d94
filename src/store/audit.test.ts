import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idMaker } from "../domain/ids.ts";
import { type AuditFault, type By, recordChange, recordChanges, toAuditEntry, verifyAudit } from "./audit.ts";
import { tester } from "./audit-test-rig.ts";
import { Bank, time } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { checkSecret } from "./house.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { freshDatabase } from "./postgres/server-test-rig.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

const MARK = "the mark of a secret";
const by: By = { ...tester(time.nowMs), address: "192.0.2.7" };
const entry = (name: string) => ({
  ...{ noun: "group", name, id: null, action: "update" },
  fields: [["multiplier", "1", name]] as const,
});

describe.each(databases)("the audit on %s", (_, openBooks) => {
  let bank: Bank;
  const job = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => bank.books.job(work);
  const faults = (chainKey = by.chainKey) => job(tx => verifyAudit(tx, { chainKey }));
  const numbers = (found: readonly AuditFault[]) => found.map(({ number }) => number);

  beforeEach(async () => {
    bank = new Bank(await openBooks());
    await job(tx => checkSecret(tx, { mark: MARK }));
  });
  afterEach(() => bank.books.close());

  async function written(count = 5): Promise<void> {
    for (let at = 1; at <= count; at++) await job(tx => recordChange(tx, by, entry(`g${at}`)));
    expect(await faults()).toEqual([]);
  }

  test("of an old installation is empty, which is whole", async () => {
    expect(await faults()).toEqual([]);
  });

  test("keeps who, when, from where and every field, and is whole", async () => {
    await written(2);
    const rows = await bank.rows("select * from audit order by number");
    expect(rows.map(toAuditEntry)).toMatchObject([
      {
        ...{ number: 1, atMs: by.nowMs, actor: "tester", through: "apply", address: "192.0.2.7" },
        ...entry("g1"),
      },
      { number: 2, name: "g2" },
    ]);
  });

  test("of a transaction that is rolled back has nothing of it", async () => {
    const failing = job(async tx => {
      await recordChange(tx, by, entry("never"));
      throw new StoreProblem("no");
    });
    expect(await failing.catch(error => error)).toBeInstanceOf(StoreProblem);
    await written(1);
    expect(await bank.one("select count(*) as entries from audit")).toEqual({ entries: 1n });
  });

  test("takes many at once as it takes them one by one", async () => {
    const many = Array.from({ length: 130 }, (_, at) => entry(`m${at}`));
    await job(tx => recordChanges(tx, by, many));
    await written(1);
    expect(await bank.one("select max(number) as last from audit")).toEqual({ last: 131n });
  });

  test("under another key does not verify", async () => {
    await written(1);
    expect((await faults(new Uint8Array(32))).length).toBeGreaterThan(0);
  });

  const damage: readonly (readonly [string, readonly string[], readonly number[]])[] = [
    ["an edited field", ["update audit set fields = '[]' where number = 3"], [3]],
    ["an edited actor", ["update audit set actor = 'somebody else' where number = 1"], [1]],
    ["an edited time", ["update audit set at_ms = at_ms + 1 where number = 5"], [5]],
    ["an edited hash", ["update audit set hash = 'abc' where number = 2"], [2, 3]],
    ["a removed entry", ["delete from audit where number = 3"], [3]],
    ["a removed first entry", ["delete from audit where number = 1"], [1]],
    [
      "a removed entry whose place was closed",
      [
        "delete from audit where number = 3",
        "update audit set number = 3 where number = 4",
        "update audit set number = 4 where number = 5",
      ],
      [3, 4, 5],
    ],
    [
      "an inserted entry",
      [
        `insert into audit (number, at_ms, actor, through, address, noun, name, thing_id, action, fields, hash)
          select 6, at_ms, actor, through, address, noun, name, thing_id, action, fields, hash from audit where number = 5`,
      ],
      [6, 6],
    ],
    [
      "an entry before the beginning",
      [
        `insert into audit (number, at_ms, actor, through, address, noun, name, thing_id, action, fields, hash)
          select 0, at_ms, actor, through, address, noun, name, thing_id, action, fields, hash from audit where number = 1`,
      ],
      [0, 1],
    ],
    [
      "two entries in another order",
      [
        "update audit set number = 9 where number = 2",
        "update audit set number = 2 where number = 3",
        "update audit set number = 3 where number = 9",
      ],
      [2, 3, 4],
    ],
    ["a cut-off end", ["delete from audit where number > 3"], [4]],
    [
      "a cut-off end and no head",
      ["delete from audit where number > 3", "delete from house where name = 'audit head'"],
      [3],
    ],
    ["everything taken away", ["delete from audit"], [1]],
    [
      "everything taken away, with the head",
      ["delete from audit", "delete from house where name = 'audit head'"],
      [1],
    ],
    [
      "a head that was written anew",
      ["delete from audit where number > 3", "update house set value = '3 x y' where name = 'audit head'"],
      [3],
    ],
  ];

  test.each(damage)("tells of %s", async (_what, statements, expected) => {
    await written();
    await job(async tx => {
      for (const statement of statements) await tx.run(statement);
    });
    const found = await faults();
    expect(numbers(found)).toEqual([...expected]);
    // And it is not made good by what is recorded later.
    await job(tx => recordChange(tx, by, entry("later"))).catch(() => {});
    expect((await faults()).length).toBeGreaterThan(0);
  });

  test("that was taken away cannot be made to look as if there had never been one", async () => {
    await written(1);
    const [mark] = await bank.rows("select value from house where name = 'secret_mark'");
    expect(String(mark?.["value"])).not.toContain(MARK);
    await job(tx => checkSecret(tx, { mark: MARK }));
    await job(tx =>
      tx.run("update house set value = replace(value, 'audited ', '') where name = 'secret_mark'"),
    );
    expect(await job(tx => checkSecret(tx, { mark: MARK })).catch(error => error)).toBeInstanceOf(
      StoreProblem,
    );
  });
});

const folder = mkdtempSync(join(tmpdir(), "wicketgate-audit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const newId = idMaker({ nowMs: Date.now, randomBytes });

test.each(["PostgreSQL", "SQLite"])(
  "200 changes at once through two stores on %s are one unbroken chain",
  async where => {
    const options = { nowMs: Date.now, log: () => {} };
    const url = where === "PostgreSQL" ? await freshDatabase() : "";
    const open = () =>
      where === "PostgreSQL"
        ? openPostgresStore({ ...options, bootId: newId("boot"), url })
        : openSqliteStore({ ...options, bootId: newId("boot"), file: join(folder, "chain.db") });
    const stores = [await open(), await open()];
    const add = (at: number) =>
      stores[at % 2]?.run("account.add", {
        ...{ id: newId("acc"), ledgerId: newId("led"), email: `a${at}@example.org` },
        ...{ role: "holder", openingBalance: 5n, by },
      });
    await Promise.all(Array.from({ length: 200 }, (_, at) => add(at)));
    expect(await stores[0]?.report("audit.verify", { chainKey: by.chainKey })).toEqual([]);
    const listed = await stores[1]?.report("accounts", {});
    expect(listed).toHaveLength(200);
    for (const store of stores) await store.close();
  },
  60_000,
);
