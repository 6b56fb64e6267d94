import { expect, test } from "bun:test";
import { copyTables, SCHEMA_NEWEST } from "./copy-schema.ts";
import { SEALED_COLUMNS } from "./sealed-rows.ts";

/** Bytes that are no secret. */
const OPEN = ["passkeys.public_key"];

test("every column that is sealed is sealed anew when the master secret changes", () => {
  const bytes = copyTables(SCHEMA_NEWEST).flatMap(({ name, columns }) =>
    columns.filter(({ type }) => type === "bytes").map(column => `${name}.${column.name}`),
  );
  const sealed = Object.values(SEALED_COLUMNS).map(
    ({ key, bytes: column }) => `${key.split(".")[0]}.${column}`,
  );
  expect([...sealed, ...OPEN].toSorted()).toEqual(bytes.toSorted());
});
