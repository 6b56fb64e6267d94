import { type Id, isId } from "../domain/ids.ts";
import type { Call } from "./command.ts";
import { UsageProblem } from "./problem.ts";

/** What was given is not repeated: it may be the key's string, typed in the wrong place. */
export function keyIdOf(call: Call): Id<"key"> {
  const id = call.positionals[0] ?? "";
  if (isId("key", id)) return id;
  throw new UsageProblem(
    "This takes the id of a key, which begins with key_, and not its string or name.",
    "See the ids with: wicketgate key list",
  );
}
