import { afterAll, beforeAll, describe, test } from "bun:test";
import fc from "fast-check";
import type { Books } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { play } from "./history.case.ts";
import { proof } from "./history-proof.case.ts";
import { histories } from "./history-world.case.ts";

const STEPS_MAX = 45;
const SECONDS_MAX = 3_600;

/** Whatever happens, in whatever order, the books say what plain arithmetic says; docs/proof.md tells more. */
describe.each(databases)("on %s,", (name, openBooks) => {
  const isPostgres = name === "PostgreSQL";
  let database: Books;
  beforeAll(async () => {
    database = await openBooks();
  });
  afterAll(() => database.close());

  const { runs, seed, path, progress } = proof({ runs: isPostgres ? 60 : 200, runsInFull: 10_000 });

  test(
    `${runs} random histories agree with the model`,
    async () => {
      const options = { database, atOnce: isPostgres, stepsPerLook: isPostgres ? 5 : 1 };
      const told = progress(`histories on ${name}`);
      const agrees = fc.asyncProperty(histories(STEPS_MAX), async history => {
        await play(history, options);
        told.oneMore();
      });
      await fc.assert(agrees, { numRuns: runs, seed, ...path });
      told.end();
    },
    SECONDS_MAX * 1_000,
  );
});
