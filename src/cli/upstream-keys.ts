import { byOf } from "../console/control.ts";
import { shortId } from "../domain/catalogue.ts";
import { StoreProblem } from "../store/store.ts";
import { type Call, type Command, EXIT_OK, type Option, printJson, printLine } from "./command.ts";
import { printable } from "./paint.ts";
import { Failure, UsageProblem } from "./problem.ts";
import { withSession } from "./session.ts";
import { table } from "./table.ts";

export const KEY_OPTIONS: Readonly<Record<string, Option>> = {
  "api-key-env": { value: "VAR", meaning: "the environment variable that holds its key" },
  "api-key-stdin": { meaning: "read its key from standard input, as is done where a kind needs one" },
};

export const upstreamKeyCommands: readonly Command[] = [
  {
    name: "upstream key add",
    summary: "give an upstream one more key, which requests take turns with",
    positionals: ["NAME"],
    options: KEY_OPTIONS,
    details: "The key is read from standard input or from a variable, never from an argument.",
    run: add,
  },
  {
    name: "upstream key list",
    summary: "list the keys of an upstream by their ids, never the keys themselves",
    positionals: ["NAME"],
    options: {},
    run: list,
  },
  {
    name: "upstream key remove",
    summary: "take a key from an upstream, and forget it",
    positionals: ["NAME", "ID"],
    options: {},
    run: remove,
  },
];

const STDIN_BYTES_MAX = 256 * 1024;

/** What was given is not repeated: it may be the key itself, typed in the wrong place. */
export async function readUpstreamKeys(call: Call, isNeeded: boolean): Promise<string[]> {
  const names = call.text("api-key-env");
  const fromStdin = call.flag("api-key-stdin");
  if (names !== null && fromStdin) {
    throw new UsageProblem("--api-key-env and --api-key-stdin exclude each other.");
  }
  if (names !== null) return names.split(",").map(name => keyInVariable(call, name.trim()));
  if (!isNeeded && !fromStdin) return [];
  if (call.io.isTerminal) {
    call.io.stderr(
      "Paste the key, then press Enter and Ctrl-D. To keep it off the screen use --api-key-env.\n",
    );
  }
  const bytes = (await call.io.readStdin?.()) ?? new Uint8Array();
  const text = bytes.length > STDIN_BYTES_MAX ? "" : new TextDecoder().decode(bytes);
  const keys = text.split(/\r?\n/).flatMap(line => (line.trim() === "" ? [] : [line.trim()]));
  if (keys.length > 0) return keys;
  throw new Failure(
    "There is no key: name the variable that holds it with --api-key-env VAR, or send it to standard input.",
  );
}

function keyInVariable(call: Call, name: string): string {
  const key = call.io.env[name]?.trim() ?? "";
  if (key !== "") return key;
  throw new UsageProblem(
    "--api-key-env takes the name of an environment variable, and there is none of that name, or it is empty.",
  );
}

async function add(call: Call): Promise<number> {
  const { addUpstreamKey } = await import("../console/upstream-credentials.ts");
  const name = call.positionals[0] ?? "";
  const plains = await readUpstreamKeys(call, true);
  const added = await withSession(call, "refuse", async ({ control }) => {
    const listings = [];
    for (const plain of plains) listings.push(await addUpstreamKey(control, { name, plain }));
    return listings;
  });
  if (call.json) {
    printJson(
      call,
      added.map(({ id, preview }) => ({ id, short_id: shortId(id), preview })),
    );
    return EXIT_OK;
  }
  for (const { id } of added) {
    printLine(call, `The upstream “${printable(name)}” has one more key: ${shortId(id)}.`);
  }
  return EXIT_OK;
}

async function list(call: Call): Promise<number> {
  const name = call.positionals[0] ?? "";
  const all = await withSession(call, "refuse", ({ store }) => store.run("upstream.list", {}));
  const upstream = all.find(one => one.name === name);
  if (upstream === undefined) {
    throw new StoreProblem("There is no upstream of this name. See them all with: wicketgate upstream list");
  }
  const keys = upstream.credentials;
  if (call.json) {
    const shown = keys.map(({ id, preview, createdAtMs }) => {
      return {
        id,
        short_id: shortId(id),
        preview,
        created_at: createdAtMs === 0 ? null : isoTime(createdAtMs),
      };
    });
    printJson(call, shown);
  } else if (keys.length === 0) {
    printLine(call, "This upstream has no key.");
  } else {
    const rows = keys.map(({ id, preview, createdAtMs }) => [
      ...[shortId(id), preview, createdAtMs === 0 ? "" : isoTime(createdAtMs)],
    ]);
    const columns = ["ID", "ENDS WITH", "ADDED"].map(title => ({ title }));
    call.io.stdout(table(columns, rows, call.paint));
  }
  return EXIT_OK;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

async function remove(call: Call): Promise<number> {
  const [name = "", ending = ""] = call.positionals;
  const { id, left } = await withSession(call, "refuse", ({ store, control }) =>
    store.run("credential.remove", { name, ending, by: byOf(control) }),
  );
  if (call.json) printJson(call, { id, left });
  else {
    const others = left === 0 ? "it has no other" : left === 1 ? "one is left" : `${left} are left`;
    printLine(call, `The key ${shortId(id)} of “${printable(name)}” is removed; ${others}.`);
  }
  return EXIT_OK;
}
