import { type ApplySpec, applySpec } from "./apply.ts";
import type { By } from "./audit.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

type Sections = Omit<ApplySpec, "by" | "dryRun">;
const NOTHING: Sections = { upstreams: [], models: [], groups: [], plans: [], accounts: [], keys: [] };

/** One change by the rules of the apply file; what is wrong with it is thrown as a sentence. */
export async function applyOne(tx: Tx, by: By, sections: Partial<Sections>): Promise<void> {
  const { problems } = await applySpec(tx, { ...NOTHING, ...sections, by, dryRun: false });
  const [problem] = problems;
  if (problem === undefined) return;
  const { path, message } = problem;
  const field = path[2];
  throw new StoreProblem(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`, {
    field: field === undefined ? null : String(field),
  });
}

/** A name in a list of the console stands for one thing. */
export async function demandFreeName(
  tx: Tx,
  { table, name }: { table: "groups" | "models" | "plans"; name: string },
): Promise<void> {
  const found = await tx.all(`select id from ${table} where name = ?`, name);
  if (found.length === 0) return;
  throw new StoreProblem(`There is a ${table.slice(0, -1)} “${name}” already. Choose another name.`, {
    field: "name",
  });
}
