import { Database } from "bun:sqlite";
import { join } from "node:path";

/** `bun age-proofs.ts DIR EMAIL`: lets the quarter of an hour after a sign-in pass, beside the running server. */
const [dir = "", email = ""] = process.argv.slice(2);
const db = new Database(join(dir, "wicketgate.db"));
db.run("pragma busy_timeout = 5000");
db.run(
  "update sessions set proved_at_ms = proved_at_ms - 1000000 where account_id = (select id from accounts where email = ?)",
  [email],
);
db.close();
