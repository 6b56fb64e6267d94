import { startPostgres } from "../src/store/postgres/server-test-rig.ts";

/** A PostgreSQL for whoever starts this: prints the addresses of two empty databases, and ends with its input. */
const server = await startPostgres();
process.stdout.write(`${await server.freshDatabase()} ${await server.freshDatabase()}\n`);
for await (const _ of Bun.stdin.stream());
await server.stop();
