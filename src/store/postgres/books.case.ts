import { type Books, time } from "../bank.case.ts";
import { Batcher } from "./batch.ts";
import { openPool } from "./connect.ts";
import { inTransaction, migrate } from "./database.ts";
import { dropDatabase, freshDatabase } from "./server-test-rig.ts";

export async function postgresBooks(): Promise<Books> {
  const url = await freshDatabase();
  const pool = openPool({ url, connectionsMax: 2 });
  await migrate(pool);
  return {
    teller: bootId => new Batcher(pool, { bootId, nowMs: () => time.nowMs }),
    job: work => inTransaction(pool, { mode: "write", work }),
    close: async () => {
      await pool.close();
      await dropDatabase(url);
    },
  };
}
