import { freshDatabase } from "../../src/store/postgres/server-test-rig.ts";

/** Prints the address of an empty database on the PostgreSQL that `run.ts` names; Node has no client for it. */
process.stdout.write(await freshDatabase());
process.exit(0);
