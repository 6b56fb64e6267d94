import type { z } from "zod";
import { ConsoleProblem } from "./problem.ts";

type Field = { path: string; message: string };
type Issue = z.core.$ZodIssue;

const FIELDS_MAX = 20;
const PATH_CHARACTERS_MAX = 100;

/** What was given, checked; a 400 that names each field at fault. */
export function readFields<S extends z.ZodObject>(schema: S, given: unknown): z.output<S> {
  const read = schema.safeParse(given, { reportInput: true });
  if (read.success) return read.data;
  const fields = read.error.issues.flatMap(fieldsOf).slice(0, FIELDS_MAX);
  const [first] = fields;
  const message = first === undefined ? "What was sent is not right." : sentence(first);
  throw new ConsoleProblem("invalid", message, { fields });
}

function sentence({ path, message }: Field): string {
  return path === "" ? `What was sent ${message}.` : `“${path}” ${message}.`;
}

function fieldsOf(issue: Issue): Field[] {
  const path = issue.path.map(String).join(".").slice(0, PATH_CHARACTERS_MAX);
  if (issue.code !== "unrecognized_keys") return [{ path, message: clause(issue) }];
  return issue.keys.map(key => {
    const whole = path === "" ? key : `${path}.${key}`;
    return { path: whole.slice(0, PATH_CHARACTERS_MAX), message: "is not a field that is known here" };
  });
}

/** The rest of a sentence that begins with the field's name. */
function clause(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is needed" : `must be ${withArticle(issue.expected)}`;
    case "too_small":
      return `must ${measure(issue.origin, "at least", Number(issue.minimum))}`;
    case "too_big":
      return `must ${measure(issue.origin, "at most", Number(issue.maximum))}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      if (issue.format === "datetime") return "must be a time in UTC such as 2027-01-31T12:00:00Z";
      return issue.message.startsWith("must ") ? issue.message : "is not well formed";
    default:
      return issue.message.startsWith("must ") ? issue.message : "is not right";
  }
}

function measure(origin: string, bound: string, count: number): string {
  if (origin === "string") return `have ${bound} ${count} ${count === 1 ? "character" : "characters"}`;
  return origin === "array" ? `have ${bound} ${count} entries` : `be ${bound} ${count}`;
}

function withArticle(expected: string): string {
  if (expected === "int") return "a whole number";
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}
