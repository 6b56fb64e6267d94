import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Attempt } from "../domain/usage.ts";
import { ask, Bank, newId, settle } from "./bank.case.ts";
import { decodeCommands, encodeCommands } from "./command.ts";
import { databases } from "./databases.case.ts";
import { usagePage } from "./usage.ts";

/** The upstreams that were asked in vain stand on the row of the request. */

const ANN = "ann@example.org";
const ATTEMPTS: readonly Attempt[] = [
  { upstream: "first", why: "status 529", ms: 12 },
  { upstream: 'the "second"', why: "it's \\ no\u0000 HTTP 🐎\n", ms: 0 },
];

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    bank = await new Bank(await openBooks()).open();
    await bank.account(ANN, 1000n);
    await bank.key(ANN, "laptop");
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  test("each row has its own, in their order, and most have none", async () => {
    const asked = [1, 2, 3].map(() => ask("laptop", 100n));
    await bank.run(...asked.map(({ command }) => command));
    const [plain, moved, lost] = asked.map(({ id }) => id);
    if (plain === undefined || moved === undefined || lost === undefined) throw new Error("there are three");
    const [one] = ATTEMPTS;
    await bank.run(
      settle(plain, 10n),
      settle(moved, 20n, { attempts: JSON.stringify(ATTEMPTS) }),
      settle(lost, 0n, { state: "voided", attempts: JSON.stringify([one]) }),
    );
    const filter = { keyId: null, email: null, beforeId: null, limit: 10 };
    const entries = await bank.books.job(tx => usagePage(tx, filter));
    const found = new Map<string, unknown>(entries.map(({ id, attempts }) => [id, attempts]));
    expect([plain, moved, lost].map(id => found.get(id))).toEqual([[], ATTEMPTS, [one]]);
    expect(await bank.one("select attempts from usage where id = ?", plain)).toEqual({ attempts: null });
    expect((await bank.balance(ANN)).balance).toBe(970n);
  });
});

test("on their way to the store they stay as they are", () => {
  const attempts = JSON.stringify(ATTEMPTS);
  const commands = [settle(newId("req"), 5n, { attempts }), settle(newId("req"), 5n)];
  const text = encodeCommands(commands);
  expect(decodeCommands(text)).toEqual(commands);
  expect(text.split("status 529")).toHaveLength(2);
});
