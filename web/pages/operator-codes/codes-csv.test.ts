import { expect, test } from "bun:test";
import { codesCsv } from "./codes-csv.ts";

const made = (note: string, expiresAt: string | null = null) => ({
  codes: [{ id: "code_1", code: "wgc_AAAA" }],
  amountUsd: "5",
  note,
  expiresAt,
});

test("each code is a line, under the names of the columns", () => {
  expect(codesCsv(made("spring", "2026-12-31T23:59:59.000Z"))).toBe(
    "code,id,amount_usd,note,expires_at\r\nwgc_AAAA,code_1,5,spring,2026-12-31T23:59:59.000Z\r\n",
  );
});

test("a note stays one cell, and is never a formula", () => {
  expect(codesCsv(made('a "b", c'))).toContain(',"a ""b"", c",');
  expect(codesCsv(made("=1+1"))).toContain(",'=1+1,");
  expect(codesCsv(made("two\nlines"))).toContain(',"two\nlines",');
});
