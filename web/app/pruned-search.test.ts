import { expect, test } from "bun:test";
import { pruned } from "./pruned-search.ts";

test("what is empty is not in the address, and what is no or nothing in number is", () => {
  const given = { q: "", state: undefined, sort: "-spent", page: 0, all: false };
  expect(pruned<{ sort: string; page: number; all: boolean }>(given)).toEqual({
    sort: "-spent",
    page: 0,
    all: false,
  });
});
