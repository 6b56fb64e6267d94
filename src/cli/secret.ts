import { randomBytes } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { openSecrets } from "../console/house-secrets.ts";
import { type Rotated, rotateSecret } from "../console/rotate-secret.ts";
import { idMaker } from "../domain/ids.ts";
import { deriveSecrets, loadSecrets, readOrCreate, type Secrets, secretFile } from "../secret.ts";
import { isMarkOf } from "../store/audit-mark.ts";
import { openStore } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { Failure, UsageProblem } from "./problem.ts";
import { clock, isMissing, noDatabase } from "./session.ts";
import { readSettings } from "./settings.ts";

export const secretCommands: readonly Command[] = [
  {
    name: "secret rotate",
    summary: "give the database a new master secret, while gateways run",
    positionals: [],
    options: {
      "new-secret-env": { value: "VAR", meaning: "the environment variable that holds the new secret" },
      "new-secret-file": { value: "FILE", meaning: "the file that holds it; made where it is not there" },
    },
    details: `The present secret comes from the settings, as for every command. Where it is in a file and no new one is named, one is
made, and takes its place at the end. Upstream keys, copies of keys and second factors are sealed anew, some at a time.
Interrupted, it goes on when it is called again with the same new secret. Copies (backups) that were made before open with
the old secret only.`,
    run: rotate,
  },
];

const SECRET_CHARACTERS_MIN = 32;
/** Running gateways look five times a second. */
const ANNOUNCED_MS = 1_500;

type NewSecret = {
  next: Secrets /** Takes the place of the present one at the end. */;
  draft: string | null;
};

async function rotate(call: Call): Promise<number> {
  const config = readSettings(call.io);
  if (isMissing(config)) throw new Failure(noDatabase(config));
  const { next, draft } = newSecret(call, config);
  const old = loadSecrets(config);
  if (old.houseMark === next.houseMark) throw new Failure("The new secret is the one that is in force.");
  const newId = idMaker({ ...clock, randomBytes });
  const store = await openStore(config, { ...clock, bootId: newId("boot"), log: () => {} });
  try {
    const { mark } = await store.run("house.keys", {});
    const isDone = mark !== null && isMarkOf(mark, next.houseMark);
    const rotated = isDone ? null : await change(call, { store, old, next });
    if (draft !== null) renameSync(draft, secretFile(config));
    tell(call, { config, rotated, isInPlace: draft !== null });
    return EXIT_OK;
  } finally {
    await store.close();
  }
}

/** What was given is not repeated. */
function newSecret(call: Call, config: Config): NewSecret {
  const variable = call.text("new-secret-env");
  const file = call.text("new-secret-file");
  if (variable !== null && file !== null) {
    throw new UsageProblem("--new-secret-env and --new-secret-file exclude each other.");
  }
  if (variable !== null) {
    const master = call.io.env[variable] ?? "";
    if (master.length < SECRET_CHARACTERS_MIN) {
      throw new UsageProblem(
        `--new-secret-env takes the name of an environment variable that holds at least ${SECRET_CHARACTERS_MIN} characters.`,
      );
    }
    return { next: deriveSecrets(master), draft: null };
  }
  if (file !== null) {
    return { next: deriveSecrets(readOrCreate(resolve(call.io.cwd ?? ".", file))), draft: null };
  }
  if (config.secret !== null) {
    throw new UsageProblem(
      "The present secret is in WICKETGATE_SECRET, so the new one has to be named with --new-secret-env or --new-secret-file.",
    );
  }
  const present = secretFile(config);
  if (!existsSync(present)) throw new Failure(`There is no secret in ${present} that could be changed.`);
  const draft = `${present}.next`;
  return { next: deriveSecrets(readOrCreate(draft)), draft };
}

type Change = { store: Store; old: Secrets; next: Secrets };

async function change(call: Call, { store, old, next }: Change): Promise<Rotated> {
  await openSecrets(store, old);
  const isShown = call.io.isTerminal && !call.json;
  return rotateSecret({
    store,
    old,
    next,
    by: { actor: "command line", through: "command line", address: null, nowMs: clock.nowMs() },
    settle: () => Bun.sleep(ANNOUNCED_MS),
    onProgress: done => {
      if (isShown && done > 0) call.io.stderr(`\r${done} sealed anew`);
    },
  });
}

type Told = { config: Config; rotated: Rotated | null; isInPlace: boolean };

function tell(call: Call, { config, rotated, isInPlace }: Told): void {
  if (call.json) {
    const { resealed = 0, unreadable = 0 } = rotated ?? {};
    printJson(call, { changed: rotated !== null, resealed, unreadable, file_replaced: isInPlace });
    return;
  }
  const count = rotated?.resealed ?? 0;
  printLine(
    call,
    rotated === null
      ? "The database has this master secret already."
      : `The database has its new master secret, and ${count === 1 ? "one thing was" : `${count} things were`} sealed anew.`,
  );
  if ((rotated?.unreadable ?? 0) > 0) {
    printLine(call, `No known secret opens ${rotated?.unreadable} of them, and none did before.`);
  }
  printLine(
    call,
    isInPlace
      ? `It is in ${secretFile(config)}, in the place of the old one: keep a copy of it apart from the data.`
      : "Set WICKETGATE_SECRET or WICKETGATE_SECRET_FILE to it for every instance and command.",
  );
  printLine(
    call,
    "Gateways that run go on, and need the new one at their next start. Copies that were made before open with the old one only.",
  );
}
