import type { z } from "zod";
import type { ApplySpec } from "../../../store/apply.ts";
import { applySchema } from "../../apply-schema.ts";
import { toApplySpec } from "../../apply-spec.ts";
import type { listPrice } from "../../contract/operator/catalogue.ts";
import type { Control } from "../../control.ts";
import { ConsoleProblem } from "../problem.ts";

type ListPrice = z.output<typeof listPrice>;
type Section = "models" | "groups" | "plans";

/** What the console calls a field, where the apply file calls it otherwise. */
const CONSOLE_NAMES: Readonly<Record<string, string>> = {
  above: "above_tokens",
  quota: "quota_usd",
  spend_per_day: "spend_per_day_usd",
  spend_per_week: "spend_per_week_usd",
  spend_per_month: "spend_per_month_usd",
};

/** One thing by the rules of the apply file, so that both refuse the same and make the same. */
export function readOne<S extends Section>(
  control: Control,
  section: S,
  item: Record<string, unknown>,
): ApplySpec[S][number] {
  const parsed = applySchema.safeParse({ [section]: [item] });
  if (!parsed.success) {
    const fields = parsed.error.issues.map(issue => {
      const path = issue.path.slice(2).map(part => CONSOLE_NAMES[String(part)] ?? String(part));
      return { path: path.join("."), message: issue.message };
    });
    const [first] = fields;
    throw new ConsoleProblem("invalid", `“${first?.path}” ${first?.message}.`, { fields });
  }
  const made = toApplySpec(control, parsed.data, false).spec[section][0];
  if (made === undefined) throw new Error("the one thing that was read is not there");
  return made as ApplySpec[S][number];
}

/** A price as the apply file writes it. */
export function writtenPrice({ tiers, ...price }: ListPrice) {
  return {
    ...price,
    ...(tiers.length === 0
      ? {}
      : { tiers: tiers.map(({ above_tokens, ...tier }) => ({ above: String(above_tokens), ...tier })) }),
  };
}

/** A count as the apply file writes it; null takes it away. */
export function writtenCount(count: number | null | undefined): string | undefined {
  return count === null || count === undefined ? undefined : String(count);
}

export function given<T extends Record<string, unknown>>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export function notThere(what: string): ConsoleProblem {
  return new ConsoleProblem("not_found", `There is no such ${what}. It may have been removed.`);
}
