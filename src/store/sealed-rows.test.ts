import { expect, test } from "bun:test";
import { copyTables, SCHEMA_NEWEST } from "./copy-schema.ts";
import { SEALED_COLUMNS } from "./sealed-rows.ts";

/** Bytes that are no secret. */
const OPEN = ["passkeys.public_key"];

test("every column that is sealed is sealed anew when the master secret changes", () => {
  const bytes = copyTables(SCHEMA_NEWEST).flatMap(({ name, columns }) =>
    columns.filter(({ type }) => type === "bytes").map(column => `${name}.${column.name}`),
  );
  const sealed = Object.entries(SEALED_COLUMNS).map(([table, columns]) => `${table}.${columns.bytes}`);
  expect([...sealed, ...OPEN].toSorted()).toEqual(bytes.toSorted());
});
