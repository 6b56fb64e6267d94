import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Gateway, wicketgate } from "./gateway.ts";
import type { Sent } from "./measure.ts";
import type { Site } from "./site.ts";

/** What the stopped gateway's books say about the requests that wrk counted. */
export type Books = {
  answered: number;
  cutOffMax: number;
  rows: number;
  rowsByState: Record<string, number>;
};

/** The ledger must be clean, no hold left open, and every request that was answered settled in its usage row. */
export async function checkBooks(
  site: Site,
  { gateway, sent }: { gateway: Gateway; sent: Sent },
): Promise<Books> {
  await wicketgate(site, ["verify"]);
  const rowsByState = countRows(gateway.dataDir);
  const rows = Object.values(rowsByState).reduce((sum, count) => sum + count, 0);
  const { answered, cutOffMax } = sent;
  const { open = 0, settled = 0 } = rowsByState;
  if (open > 0 || settled < answered || rows > answered + cutOffMax) {
    throw new Error(
      `The usage log does not match: ${JSON.stringify(rowsByState)} for ${answered} answered requests and at most ${cutOffMax} that wrk cut off.`,
    );
  }
  return { answered, cutOffMax, rows, rowsByState };
}

/** No command prints the number of rows, so they are counted in the file, which nobody has open any more. */
function countRows(dataDir: string): Record<string, number> {
  const file = readdirSync(dataDir).find(name => /\.(sqlite3?|db)$/.test(name));
  if (file === undefined) throw new Error(`There is no SQLite file in ${dataDir}.`);
  const database = new Database(join(dataDir, file), { readonly: true });
  const counts = database
    .query<{ state: string; count: number }, []>("select state, count(*) as count from usage group by state")
    .all();
  database.close();
  return Object.fromEntries(counts.map(({ state, count }) => [state, count]));
}
