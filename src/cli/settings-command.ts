import { resolve } from "node:path";
import { changeSettings, listSettings, removeSealedCopies, type SettingView } from "../console/settings.ts";
import { SETTING_KEYS, settingKey, settingName, settings } from "../domain/settings.ts";
import { LOGO_BYTES_MAX } from "../domain/settings-logo.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { nearest } from "./nearest.ts";
import { printable } from "./paint.ts";
import { Failure, UsageProblem } from "./problem.ts";
import { withSession } from "./session.ts";
import { table } from "./table.ts";

const STDIN_BYTES_MAX = 128 * 1024;

/** What is set while the house runs; the console does the same by the same rule. */
export const settingsCommands: readonly Command[] = [
  {
    name: "settings list",
    summary: "list what can be set while it runs, its value and where that comes from",
    positionals: [],
    options: {},
    details: "The environment wins over what is set here or in the console. Secrets are never shown.",
    run: list,
  },
  {
    name: "settings set",
    summary: "set something; running gateways hear of it at once",
    positionals: ["NAME", "VALUE"],
    options: {
      "remove-copies": { meaning: "with sealed_copies off: remove the copies that are kept, too" },
    },
    details:
      "Where VALUE is - it is read from standard input, as every secret has to be, because other programs can read arguments. For logo, VALUE is a PNG, JPEG or WebP file.",
    run: set,
  },
  {
    name: "settings reset",
    summary: "give something back the value that it began with",
    positionals: ["NAME"],
    options: {},
    run: reset,
  },
];

async function list(call: Call): Promise<number> {
  const all = await withSession(call, "refuse", ({ control }) => listSettings(control));
  if (call.json) {
    printJson(call, all);
    return EXIT_OK;
  }
  const columns = ["SETTING", "VALUE", "DEFAULT", "SOURCE", "VARIABLE"].map(title => ({ title }));
  const rows = all.map(setting => [
    ...[setting.name, printable(shownValue(setting)), setting.default, setting.from, setting.variable],
  ]);
  call.io.stdout(table(columns, rows, call.paint));
  return EXIT_OK;
}

function shownValue({ kind, value, is_set: isSet }: SettingView): string {
  if (kind === "secret") return isSet ? "(set)" : "";
  return kind === "image" && isSet ? "(a picture)" : value;
}

async function set(call: Call): Promise<number> {
  const [name = "", given = ""] = call.positionals;
  const isRemoving = call.flag("remove-copies");
  demandName(name);
  const value = await givenValue(call, name, given);
  if (value === "")
    throw new UsageProblem(`There is no value. To take ${name} back: wicketgate settings reset ${name}`);
  if (isRemoving && (name !== "sealed_copies" || value !== "off")) {
    throw new UsageProblem("--remove-copies goes with sealed_copies off alone.");
  }
  const removed = await change(call, { name, value, isRemoving });
  if (call.json) printJson(call, { name, set: true, ...(isRemoving ? { copies_removed: removed } : {}) });
  else {
    printLine(call, `${name} is set.`);
    if (isRemoving) printLine(call, `${removed} ${removed === 1 ? "copy is" : "copies are"} removed.`);
  }
  return EXIT_OK;
}

async function reset(call: Call): Promise<number> {
  const [name = ""] = call.positionals;
  demandName(name);
  await change(call, { name, value: null, isRemoving: false });
  if (call.json) printJson(call, { name, set: false });
  else printLine(call, `${name} is as it began.`);
  return EXIT_OK;
}

type Change = { name: string; value: string | null; isRemoving: boolean };

/** What was given is not repeated: it may be a secret in the wrong place. */
async function change(call: Call, { name, value, isRemoving }: Change): Promise<number> {
  return withSession(call, "refuse", async ({ control }) => {
    const [problem] = await changeSettings(control, { [name]: value });
    if (problem !== undefined) throw new Failure(`${problem.name} ${problem.problem}. Nothing is changed.`);
    return isRemoving ? removeSealedCopies(control) : 0;
  });
}

function demandName(name: string): void {
  if (settingKey(name) !== null) return;
  const meant = nearest(name, SETTING_KEYS.map(settingName));
  throw new UsageProblem(
    "There is no setting of this name.",
    meant === null ? "See them all with: wicketgate settings list" : `Did you mean ${meant}?`,
  );
}

async function givenValue(call: Call, name: string, given: string): Promise<string> {
  const key = settingKey(name);
  const isSecret = key !== null && settings[key].secret === true;
  if (isSecret && given !== "-") {
    throw new UsageProblem(
      `${name} is a secret, and other programs can read arguments: write - and send it to standard input.`,
    );
  }
  if (name === "logo" && !given.startsWith("data:") && given !== "-") return pictureIn(call, given);
  if (given !== "-") return given;
  if (call.io.isTerminal) call.io.stderr("Paste the value, then press Enter and Ctrl-D.\n");
  const bytes = (await call.io.readStdin?.()) ?? new Uint8Array();
  if (bytes.length > STDIN_BYTES_MAX) throw new Failure("What came from standard input is too long.");
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, "");
}

/** Its bytes say what it is; the name of the kind here is only what a data URL needs. */
async function pictureIn(call: Call, path: string): Promise<string> {
  const file = Bun.file(resolve(call.io.cwd ?? ".", path)).slice(0, LOGO_BYTES_MAX + 1);
  const bytes = await file.bytes().catch(() => null);
  if (bytes === null)
    throw new Failure("The picture cannot be read: VALUE is the path of a PNG, JPEG or WebP file.");
  return `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
}
