import type { Change } from "../store/apply.ts";
import { checkAcross, fieldsAt } from "./apply-check.ts";
import type { ExpandEnvironment } from "./apply-expand.ts";
import { type ApplyDocument, applySchema } from "./apply-schema.ts";
import { type GeneratedKey, toApplySpec } from "./apply-spec.ts";
import { type Path, type Place, type PlacedProblem, readYamlTree, type YamlTree } from "./apply-yaml.ts";
import type { Control } from "./control.ts";

export const APPLY_FILE_BYTES_MAX = 4 * 1024 * 1024;

/** A file that holds what it should; what the database makes of it is another matter. */
export type ApplyFile = { document: ApplyDocument; placeOf: (path: Path) => Place };

export type ReadApplyFile = { file: ApplyFile } | { problems: PlacedProblem[] };

export function readApplyFile(bytes: Uint8Array, environment: ExpandEnvironment): ReadApplyFile {
  const source = decode(bytes);
  if ("problem" in source) return { problems: [{ line: 1, column: 1, message: source.problem }] };
  const tree = readYamlTree(source.text, environment);
  // An empty file wants nothing changed.
  const parsed = applySchema.safeParse(tree.value ?? {});
  if (parsed.success) {
    const problems = [...tree.problems, ...checkAcross(tree)];
    return problems.length === 0
      ? { file: { document: parsed.data, placeOf: tree.placeOf } }
      : { problems: inOrder(problems) };
  }
  const problems = [...tree.problems, ...checkAcross(tree)];
  for (const issue of parsed.error.issues) {
    const path = issue.path.map(part => (typeof part === "symbol" ? String(part) : part));
    if (issue.code === "unrecognized_keys") problems.push(...unknownFields(tree, path, issue.keys));
    else if (!tree.isGivenUp(path))
      problems.push({ ...tree.placeOf(path), message: sentence(path, issue.message) });
  }
  return { problems: inOrder(problems) };
}

function decode(bytes: Uint8Array): { text: string } | { problem: string } {
  if (bytes.length > APPLY_FILE_BYTES_MAX) {
    return { problem: `the file is larger than ${APPLY_FILE_BYTES_MAX / 1024 / 1024} MiB` };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "the file is not UTF-8 text" };
  }
}

function unknownFields(tree: YamlTree, path: Path, names: readonly string[]): PlacedProblem[] {
  const { thing, fields } = fieldsAt(path);
  const known = `${thing} has ${fields.join(", ")}`;
  return names.map(name => ({
    ...tree.placeOfName([...path, name]),
    message: `“${name}” is not a field that is known here: ${known}`,
  }));
}

/** The clause of the schema, with the name of the field that it speaks of. */
function sentence(path: Path, clause: string): string {
  const last = path.at(-1);
  const field = path.findLast(part => typeof part === "string");
  if (field === undefined) return `the file ${clause}`;
  return typeof last === "number" ? `an entry of “${field}” ${clause}` : `“${field}” ${clause}`;
}

function inOrder(problems: readonly PlacedProblem[]): PlacedProblem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

export type Applied =
  | { changes: Change[]; keys: GeneratedKey[]; accountOfKey: ReadonlyMap<string, string> }
  | { problems: PlacedProblem[] };

/** All of the file or nothing of it, in one transaction. The strings of new keys are in the answer and nowhere else. */
export async function applyFile(
  control: Control,
  file: ApplyFile,
  { dryRun }: { dryRun: boolean },
): Promise<Applied> {
  const { spec, generated } = toApplySpec(control, file.document, dryRun);
  const { changes, problems } = await control.store.run("apply", spec);
  if (problems.length > 0) {
    return { problems: inOrder(problems.map(({ path, message }) => ({ ...file.placeOf(path), message }))) };
  }
  const created = new Set(changes.filter(change => change.action === "create").map(change => change.id));
  return {
    changes,
    keys: dryRun ? [] : generated.filter(({ id }) => created.has(id)),
    accountOfKey: new Map(spec.keys.map(key => [key.id, key.email])),
  };
}
