import type { Books } from "./bank.case.ts";
import { postgresBooks } from "./postgres/books.case.ts";
import { sqliteBooks } from "./sqlite/books.case.ts";

/** What every test of the books is run on. */
export const databases: readonly (readonly [name: string, open: () => Promise<Books>])[] = [
  ["SQLite", sqliteBooks],
  ["PostgreSQL", postgresBooks],
];
