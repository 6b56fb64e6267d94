import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { idMaker } from "../../domain/ids.ts";
import { tester } from "../audit-test-rig.ts";
import { type Store, StoreProblem } from "../store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const NOW = 1_800_000_000_000;
const here = { nowMs: () => NOW };
const newId = idMaker({ nowMs: () => NOW, randomBytes });

/** Threads of this process that run programs of their own. */
function workers(): number {
  const names = readdirSync("/proc/self/task").map(id =>
    readFileSync(join("/proc/self/task", id, "comm"), "utf8").trim(),
  );
  return names.filter(name => name === "Worker").length;
}

describe("a store of a command, without threads", () => {
  let folder: string;
  let store: Store;
  const open = (clock: Clock | null = here) =>
    openSqliteStore({ file: join(folder, "a.db"), bootId: newId("boot"), log: () => {}, here: clock });
  const add = (email: string) =>
    store.run("account.add", {
      ...{ id: newId("acc"), ledgerId: newId("led"), email, role: "holder", openingBalance: 5n },
      by: tester(NOW),
    });
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "wicketgate-seat-"));
    store = await open();
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("does one thing after the other, whatever is asked at once", async () => {
    const before = workers();
    const names = Array.from({ length: 20 }, (_, at) => `a${at}@example.org`);
    const asked = names.flatMap(email => [add(email), store.report("verify", {})]);
    await Promise.all(asked);
    const known = await store.report("accounts", {});
    expect(known.map(({ email }) => email).toSorted()).toEqual(names.toSorted());
    expect(workers()).toBe(before);
    const server = await open(null);
    expect(workers()).toBe(before + 1);
    await server.close();
  });

  test("says what is wrong as a problem, and goes on", async () => {
    await expect(add("a1@example.org")).rejects.toBeInstanceOf(StoreProblem);
    await add("later@example.org");
  });

  test("takes what it is given as it was when it was given", async () => {
    const given = {
      ...{ id: newId("acc"), ledgerId: newId("led"), email: "first@example.org", role: "holder" as const },
      ...{ openingBalance: 5n, by: tester(NOW) },
    };
    const adding = store.run("account.add", given);
    given.email = "changed@example.org";
    await adding;
    const emails = (await store.report("accounts", {})).map(({ email }) => email);
    expect(emails).toContain("first@example.org");
    expect(emails).not.toContain("changed@example.org");
  });

  test("is opened again with what it has", async () => {
    await store.close();
    store = await open();
    expect(await store.report("verify", {})).toEqual([]);
    expect((await store.report("accounts", {})).length).toBeGreaterThan(20);
  });

  test("says why a file is none of its own", async () => {
    const file = join(folder, "other.db");
    await Bun.write(file, "this is no database, and long enough to be looked at as one ".repeat(80));
    const opening = openSqliteStore({ file, bootId: newId("boot"), log: () => {}, here });
    await expect(opening).rejects.toThrow("not a database");
  });
});
