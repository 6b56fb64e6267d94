import { resolve } from "node:path";
import type { Applied } from "../console/apply-file.ts";
import type { Change } from "../store/apply.ts";
import { type Call, type Command, EXIT_FAILED, EXIT_OK, printJson, printLine } from "./command.ts";
import { printable } from "./paint.ts";
import { Failure } from "./problem.ts";
import { withSession } from "./session.ts";

export const applyCommand: Command = {
  name: "apply",
  summary: "make upstreams, models, groups, plans, accounts and keys what a YAML file says",
  positionals: ["FILE"],
  options: { "dry-run": { meaning: "show what would change, and change nothing" } },
  details: `FILE may be - for standard input. It works while the server runs, all of it or nothing, and a second time
changes nothing. What the file does not name stays as it is. \${NAME} in a text is taken from the environment;
write $\${ for the characters themselves. Strings of new keys are printed once, at the end.`,
  run: apply,
};

type Problems = Extract<Applied, { problems: unknown }>["problems"];

async function apply(call: Call): Promise<number> {
  const name = call.positionals[0] ?? "-";
  const dryRun = call.flag("dry-run");
  // Loaded only here: what reads YAML has no place in the memory of a running gateway.
  const { APPLY_FILE_BYTES_MAX, applyFile, readApplyFile } = await import("../console/apply-file.ts");
  const read = readApplyFile(await readBytes(call, name, APPLY_FILE_BYTES_MAX), call.io.env);
  if ("problems" in read) return refuse(call, name, read.problems);
  const applied = await withSession(call, dryRun ? "pretend" : "create", ({ control }) =>
    applyFile({ ...control, through: "apply" }, read.file, { dryRun }),
  );
  if ("problems" in applied) return refuse(call, name, applied.problems);
  if (call.json) {
    const changes = applied.changes.map(change => toJson(change, dryRun));
    const keys = applied.keys.map(({ account, name, id, key }) => ({ account, name, id, key }));
    printJson(call, { changes, keys });
    return EXIT_OK;
  }
  for (const change of applied.changes) printLine(call, describe(call, change, applied.accountOfKey));
  if (applied.changes.length === 0) printLine(call, "nothing to change");
  else if (dryRun) printLine(call, "This was a dry run: nothing is changed.");
  if (applied.keys.length > 0) {
    printLine(call, "This is the only time that the strings of the new keys are shown:");
    for (const { name, key } of applied.keys)
      printLine(call, `key ${printable(name)}  ${call.paint.bold(key)}`);
  }
  return EXIT_OK;
}

async function readBytes({ io }: Call, name: string, bytesMax: number): Promise<Uint8Array> {
  if (name === "-") return (await io.readStdin?.()) ?? new Uint8Array();
  try {
    const file = Bun.file(resolve(io.cwd ?? ".", name));
    // One byte more than may be, so that a file without end is refused and not read.
    return await file.slice(0, bytesMax + 1).bytes();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new Failure(
      `The file ${name} cannot be read: ${READ_PROBLEMS[code] ?? `the system says ${code}`}.`,
    );
  }
}

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "it is not open to this user",
  EPERM: "it is not open to this user",
};

function refuse(call: Call, name: string, problems: Problems): number {
  const file = name === "-" ? "stdin" : name;
  for (const { line, column, message } of problems) {
    call.io.stderr(`${file}:${line}:${column}: ${printable(message)}\n`);
  }
  if (call.json) printJson(call, { problems });
  else {
    const count = problems.length === 1 ? "This problem" : `These ${problems.length} problems`;
    call.io.stderr(`${count} must be solved first; nothing is changed.\n`);
  }
  return EXIT_FAILED;
}

function describe({ paint }: Call, change: Change, accounts: ReadonlyMap<string, string>): string {
  const account = accounts.get(change.id);
  const name = printable(account === undefined ? change.name : `${change.name} of ${account}`);
  if (change.action === "create") return `${paint.green("+")} ${change.noun} ${name}`;
  const fields = change.fields.map(([field, before, after]) => {
    return printable(`${field}: ${before === "" ? "none" : before} → ${after === "" ? "none" : after}`);
  });
  return `${paint.yellow("~")} ${change.noun} ${name}  ${fields.join("; ")}`;
}

function toJson({ noun, name, action, fields, id }: Change, dryRun: boolean) {
  const listed = fields.map(([field, before, after]) => ({ field, before, after }));
  // Nothing has this id yet, and when it is made it will have another.
  return { noun, name, action, fields: listed, ...(dryRun && action === "create" ? {} : { id }) };
}
