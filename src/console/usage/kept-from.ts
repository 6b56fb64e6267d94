import { idTimeMs } from "../../domain/id-time.ts";
import { isId } from "../../domain/ids.ts";
import { ConsoleProblem } from "../api/problem.ts";
import type { Desk } from "../api/visit.ts";
import { instantOf } from "./row.ts";

type Asker = Pick<Desk, "store" | "settings">;

/** Since when requests are in the log; null where it has all of them. */
export async function readKeptFrom({ store }: Asker): Promise<string | null> {
  const mark = await store.report("usage.kept_from", {});
  return mark === null ? null : instantOf(idTimeMs(mark));
}

/** The same for one that never was and one that is somebody else's: only its age can tell. */
export async function noSuchRequest(desk: Asker, id: string): Promise<ConsoleProblem> {
  const from = isId("req", id) ? await readKeptFrom(desk) : null;
  if (from === null || idTimeMs(id) >= Date.parse(from))
    return new ConsoleProblem("not_found", "There is no request with this id.");
  const { usageDays } = desk.settings();
  const rule = usageDays === 0 ? "" : `: rows older than ${usageDays} days are not kept`;
  return new ConsoleProblem(
    "not_found",
    `This request is too old: single requests from before ${from.slice(0, 16).replace("T", " ")} UTC are not kept here${rule}. What it cost is still in the ledger and in the charts.`,
  );
}
