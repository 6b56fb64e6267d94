import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { type ExpandEnvironment, expandVariables } from "./apply-expand.ts";

/** A number as the file wrote it: `0.1` stays one tenth, because no float ever holds it. */
export class NumberText {
  constructor(readonly text: string) {}
}

export type Path = readonly (string | number)[];
export type Place = { line: number; column: number };
export type PlacedProblem = Place & { message: string };

/** Plain values of a file, and where in it each of them stands. */
export type YamlTree = {
  value: unknown;
  problems: PlacedProblem[];
  /** The place of a value, or of the nearest thing around it that exists. */
  placeOf: (path: Path) => Place;
  /** The place of a field's name. */
  placeOfName: (path: Path) => Place;
  /** Whether a value there was given up on already, so that nobody complains of it twice. */
  isGivenUp: (path: Path) => boolean;
};

const NODES_MAX = 200_000;
const DEPTH_MAX = 32;
const ALIASES_MAX = 100;

type Build = {
  document: Document;
  environment: ExpandEnvironment;
  values: Map<string, number>;
  names: Map<string, number>;
  givenUp: Set<string>;
  nodes: number;
  aliases: number;
  report: (offset: number, message: string) => void;
  lineOf: (offset: number) => number;
};

/** Reads one YAML document. Structure comes from the file alone: a variable fills a text and nothing else. */
export function readYamlTree(source: string, environment: ExpandEnvironment): YamlTree {
  const lines = new LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const problems: PlacedProblem[] = [];
  const report = (offset: number, message: string) => void problems.push({ ...place(offset), message });
  const document = parse(source, lines, report);
  const values = new Map<string, number>();
  const names = new Map<string, number>();
  const givenUp = new Set<string>();
  let value: unknown = null;
  if (document !== null && problems.length === 0) {
    const lineOf = (offset: number) => place(offset).line;
    const counts = { nodes: 0, aliases: 0 };
    const build: Build = { document, environment, values, names, givenUp, ...counts, report, lineOf };
    value = plainOf(build, document.contents, []);
  }
  return {
    value,
    problems,
    placeOf: path => place(nearest(values, path)),
    placeOfName: path => place(names.get(nameOf(path)) ?? nearest(values, path)),
    isGivenUp: path => path.some((_, end) => givenUp.has(nameOf(path.slice(0, end + 1)))),
  };
}

function parse(
  source: string,
  lineCounter: LineCounter,
  report: (offset: number, message: string) => void,
): Document | null {
  try {
    // The schema is fixed, so that a %YAML directive in the file cannot bring dates, merge keys or octal numbers back.
    const options = {
      lineCounter,
      schema: "core",
      merge: false,
      uniqueKeys: false,
      prettyErrors: false,
    } as const;
    const document = parseDocument(source, options);
    for (const found of [...document.errors, ...document.warnings]) {
      // What follows the colon repeats the file's own text, which may be a secret.
      const message = found.code === "UNEXPECTED_TOKEN" ? found.message.replace(/: .*$/s, "") : found.message;
      report(found.pos[0], `this is not valid YAML: ${message}`);
    }
    return document;
  } catch {
    report(0, "this is not valid YAML: it is nested too deeply");
    return null;
  }
}

function plainOf(build: Build, node: Node | null, path: Path): unknown {
  const offset = node?.range?.[0] ?? 0;
  build.values.set(nameOf(path), offset);
  build.nodes += 1;
  if (build.nodes > NODES_MAX || path.length > DEPTH_MAX) {
    const tooMuch = build.nodes > NODES_MAX ? `holds more than ${NODES_MAX} values` : "is nested too deeply";
    if (build.nodes <= NODES_MAX + 1) build.report(offset, `the file ${tooMuch}, aliases written out`);
    build.nodes = NODES_MAX + 1;
    return null;
  }
  if (isAlias(node)) {
    build.aliases += 1;
    if (build.aliases > ALIASES_MAX) {
      if (build.aliases === ALIASES_MAX + 1)
        build.report(offset, `the file has more than ${ALIASES_MAX} aliases`);
      return null;
    }
    const value = plainOf(build, node.resolve(build.document) ?? null, path);
    build.values.set(nameOf(path), offset);
    return value;
  }
  if (isMap(node)) return mapOf(build, node.items, path);
  if (isSeq(node)) return node.items.map((item, at) => plainOf(build, item as Node | null, [...path, at]));
  return isScalar(node) ? scalarOf(build, node, path) : null;
}

function mapOf(build: Build, pairs: readonly { key: unknown; value: unknown }[], path: Path): object {
  // Without a prototype, so that a field called __proto__ is a field like any other.
  const fields: Record<string, unknown> = Object.create(null);
  for (const { key, value } of pairs) {
    if (!isScalar(key)) {
      const at = (key as Node | null)?.range?.[0] ?? 0;
      build.report(at, "the name of a field must be a plain text");
      continue;
    }
    const name = typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
    const field = [...path, name];
    const before = build.names.get(nameOf(field));
    const offset = key.range?.[0] ?? 0;
    if (name in fields) {
      build.report(
        offset,
        `“${name}” is written twice here; the first is on line ${build.lineOf(before ?? 0)}`,
      );
      continue;
    }
    build.names.set(nameOf(field), offset);
    fields[name] = plainOf(build, value as Node | null, field);
    if (value === null) build.values.set(nameOf(field), offset);
  }
  return fields;
}

function scalarOf(
  build: Build,
  node: { value: unknown; source?: string; range?: [number, number, number] | null },
  path: Path,
): unknown {
  const { value } = node;
  if (typeof value === "number" || typeof value === "bigint")
    return new NumberText(node.source ?? String(value));
  if (typeof value !== "string") return value;
  const expanded = expandVariables(value, build.environment);
  if ("text" in expanded) return expanded.text;
  build.givenUp.add(nameOf(path));
  for (const problem of expanded.problems) build.report(node.range?.[0] ?? 0, problem);
  return value;
}

function nearest(values: ReadonlyMap<string, number>, path: Path): number {
  for (let length = path.length; length >= 0; length--) {
    const offset = values.get(nameOf(path.slice(0, length)));
    if (offset !== undefined) return offset;
  }
  return 0;
}

function nameOf(path: Path): string {
  return JSON.stringify(path);
}
