import { ConsoleProblem } from "../api/problem.ts";
import { nameProblem, trimmedName } from "../keys.ts";

/** A name as it is kept and shown, by the rule for the names of keys. */
export function shownName(given: string, { what, path }: { what: string; path: string }): string {
  const name = trimmedName(given);
  if (nameProblem(name) === null) return name;
  const clause = "must have 1 to 100 characters, and none that control the text or turn its direction";
  throw new ConsoleProblem("invalid", `${what} ${clause}.`, { fields: [{ path, message: clause }] });
}
