import { describe, expect, test } from "bun:test";
import { freshSqlite, inside } from "./copy-database.case.ts";
import { type CopyTable, copyTables, SCHEMA_NEWEST } from "./copy-schema.ts";
import { freshDatabase } from "./postgres/server-test-rig.ts";
import { migrations } from "./schema.ts";
import type { Tx } from "./tx.ts";

const SQLITE_TYPES: Record<string, string> = { TEXT: "text", INTEGER: "int", BLOB: "bytes" };

/** The tables as SQLite has them, apart from those that are not copied. */
async function liveTables(tx: Tx): Promise<Omit<CopyTable, "refersTo">[]> {
  const names = await tx.all("select name from sqlite_master where type = 'table' order by name");
  const tables = names
    .map(row => String(row["name"]))
    .filter(name => !["instances", "migrations"].includes(name));
  return Promise.all(
    tables.map(async name => {
      const columns = await tx.all("select name, upper(type) as type, pk from pragma_table_info(?)", name);
      const key = columns
        .filter(({ pk }) => Number(pk) > 0)
        .sort((a, b) => Number(a["pk"]) - Number(b["pk"]));
      return {
        name,
        columns: columns.map(column => ({
          name: String(column["name"]),
          type: SQLITE_TYPES[String(column["type"])] as "text" | "int" | "bytes",
        })),
        key: key.map(column => String(column["name"])),
      };
    }),
  );
}

describe("what is copied", () => {
  test("is every table and column that the database has, by type and key", async () => {
    const live = await inside(freshSqlite(), liveTables);
    const copied = copyTables(SCHEMA_NEWEST)
      .map(({ name, columns, key }) => ({ name, columns, key }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(copied).toEqual(live);
    expect(live.length).toBeGreaterThan(10);
  });

  test("is there in PostgreSQL, too, by the same names and types", async () => {
    const url = await freshDatabase();
    const rows = await inside({ kind: "postgres", url }, tx =>
      tx.all(`select table_name::text, column_name::text, data_type::text from information_schema.columns
        where table_schema = 'public' and table_name not in ('instances', 'migrations')`),
    );
    const live = rows.map(row => `${row["table_name"]}.${row["column_name"]} ${row["data_type"]}`);
    const types = { text: "text", int: "bigint", bytes: "bytea" };
    const copied = copyTables(SCHEMA_NEWEST).flatMap(({ name, columns }) =>
      columns.map(column => `${name}.${column.name} ${types[column.type]}`),
    );
    expect(copied.sort()).toEqual(live.sort());
  });

  test("comes after what it refers to, as the database sees it", async () => {
    const seen: string[] = [];
    const wrong = await inside(freshSqlite(), async tx => {
      const found: string[] = [];
      for (const { name } of copyTables(SCHEMA_NEWEST)) {
        const references = await tx.all(`select "table" as name from pragma_foreign_key_list(?)`, name);
        found.push(...references.map(row => String(row["name"])).filter(other => !seen.includes(other)));
        seen.push(name);
      }
      return found;
    });
    expect(wrong).toEqual([]);
    expect(seen.indexOf("keys")).toBeGreaterThan(seen.indexOf("accounts"));
  });

  test("is known for every version of the schema", () => {
    for (const { version } of migrations) expect(copyTables(version).length).toBeGreaterThan(0);
    expect(copyTables(1).find(({ name }) => name === "subscriptions")?.key).toEqual([
      "account_id",
      "plan_id",
    ]);
  });

  test("cannot be guessed from a statement that nobody taught it", () => {
    const odd = (statement: string) => () =>
      copyTables(1, [{ version: 1, name: "odd", statements: [statement] }]);
    expect(odd("create view v as select 1")).toThrow("cannot follow");
    expect(odd("create table t (id uuid primary key)")).toThrow("type of t.id");
    expect(odd("alter table nowhere add column a text")).toThrow("cannot follow");
  });
});
