import type { Price } from "../../../domain/model.ts";
import { formatUsd, parseMultiplier } from "../../../domain/money.ts";
import type { Calls } from "../../contract/contract.ts";
import { repriced, type Supposed } from "../../what-if.ts";
import { fieldProblem } from "../keys-form.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers, SignedIn } from "../visit.ts";
import { notThere, readOne, writtenPrice } from "./catalogue-form.ts";

type WhatIf = Calls["POST /operator/what-if"]["answer"];
type Asked = Calls["POST /operator/what-if"]["body"];

const DAYS = 7;
/** So many lines of a list are read by nobody. */
const LINES_MAX = 50;

export const whatIfHandlers = {
  "POST /operator/what-if": async (visit, { body }) => {
    const { days = DAYS } = body;
    const found = await repriced({ ...visit.desk, days }, await supposed(visit, body));
    const emails = await visit.desk.store.report("what_if.emails", { ids: [...found.accounts.keys()] });
    return {
      from: new Date(found.fromMs).toISOString(),
      to: new Date(found.toMs).toISOString(),
      requests: found.requests,
      sample: found.parts === found.partsAll ? null : { parts: found.parts, of: found.partsAll },
      before_usd: formatUsd(found.before),
      after_usd: formatUsd(found.after),
      by_account: lines(found.accounts).map(([id, sums]) => ({ email: emails.get(id) ?? id, ...sums })),
      by_model: lines(found.models).map(([model, sums]) => ({ model, ...sums })),
    };
  },
} satisfies Pick<Handlers, "POST /operator/what-if">;

async function supposed(visit: SignedIn, { group, model }: Asked): Promise<Supposed> {
  if (group === undefined && model === undefined) {
    throw new ConsoleProblem("invalid", "Say what would change: a group's multiplier, or a model's price.");
  }
  const { groups, models } = await visit.desk.store.run("catalogue.read", {});
  const known = [...models.values()].find(one => one.id === model?.id);
  if (model !== undefined && known === undefined) throw notThere("model");
  const found = [...groups.values()].find(one => one.id === group?.id);
  if (group !== undefined && found === undefined) throw notThere("group");
  const multiplier = group === undefined ? 0 : parseMultiplier(group.multiplier);
  if (multiplier === null) throw fieldProblem("group.multiplier", "Enter a factor such as 1.5, below 10000.");
  const price = model === undefined ? null : readPrice(visit, model);
  return {
    group: found === undefined ? null : { id: found.id, multiplier },
    model: known === undefined || price === null ? null : { name: known.name, price },
  };
}

function readPrice({ control }: SignedIn, model: NonNullable<Asked["model"]>): Price | null {
  return readOne(control, "models", { name: "any", price: writtenPrice(model.price) }).price;
}

type Sums = { before: bigint; after: bigint };

/** Those first for whom most would change. */
function lines(
  sums: ReadonlyMap<string, Sums>,
): [string, Pick<WhatIf["by_account"][number], "before_usd" | "after_usd">][] {
  const size = ({ before, after }: Sums) => (after > before ? after - before : before - after);
  return [...sums]
    .sort(([, one], [, other]) => (size(other) > size(one) ? 1 : size(other) < size(one) ? -1 : 0))
    .slice(0, LINES_MAX)
    .map(([name, { before, after }]) => {
      return [name, { before_usd: formatUsd(before), after_usd: formatUsd(after) }];
    });
}
