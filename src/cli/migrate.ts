import { migrations } from "../store/schema.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { withSession } from "./session.ts";

export const SCHEMA_VERSION = migrations.at(-1)?.version ?? 0;

export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the database up to this version's schema (every start does it, too)",
  positionals: [],
  options: {},
  run: migrate,
};

async function migrate(call: Call): Promise<number> {
  await withSession(call, "create", async () => {});
  if (call.json) printJson(call, { schema: SCHEMA_VERSION });
  else
    printLine(
      call,
      `The database has schema ${SCHEMA_VERSION}, which is the newest that this version knows.`,
    );
  return EXIT_OK;
}
