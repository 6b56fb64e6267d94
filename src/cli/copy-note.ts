import { existsSync } from "node:fs";
import type { Config } from "../config.ts";
import { byOf } from "../console/control.ts";
import { secretFile } from "../secret.ts";
import { SCHEMA_NEWEST } from "../store/copy-schema.ts";
import type { CopyNote } from "../store/house.ts";
import type { Call } from "./command.ts";
import { withSession } from "./session.ts";

type Copied = Omit<CopyNote, "by"> & { schema: number };

/**
 * Writes into the audit that the database was copied, or is a copy. It needs the master secret, which a copy does not; and
 * what opens a database brings it up to date, which a copy must not. So where either is not as it should be, it is left.
 */
export async function noteCopied(call: Call, config: Config, copied: Copied): Promise<void> {
  const { schema, ...note } = copied;
  const hasSecret = config.secret !== null || existsSync(secretFile(config));
  if (!hasSecret || schema !== SCHEMA_NEWEST) return;
  try {
    await withSession(call, "refuse", ({ store, control }) =>
      store.run("house.note_copy", { ...note, by: byOf(control) }),
    );
  } catch (error) {
    if (note.action === "restore") return;
    const why = error instanceof Error ? error.message : String(error);
    call.io.stderr(`The copy is made, but it could not be written down in the audit: ${why}\n`);
  }
}
