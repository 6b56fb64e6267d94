import type { Draft, SavedModel, SavedUpstream } from "../console/upstreams.ts";
import type { Price } from "../domain/model.ts";
import { formatPricePerMillion } from "../domain/money.ts";
import { type Call, printJson, printLine } from "./command.ts";
import { printable } from "./paint.ts";
import { table } from "./table.ts";

export type Added = { saved: SavedUpstream; source: string; draft: Pick<Draft, "listed" | "unusable"> };

const ROWS_MAX = 50;
const NAMES_MAX = 8;

export function printAdded(call: Call, added: Added): void {
  if (call.json) {
    printJson(call, toJson(added));
    return;
  }
  const { upstream, models } = added.saved;
  const name = printable(upstream.name);
  const count = models.length === 1 ? "one model" : `${models.length} models`;
  printLine(call, `The upstream “${name}” is added, with ${count}.`);
  call.io.stdout(modelTable(call, models.slice(0, ROWS_MAX)));
  if (models.length > ROWS_MAX) printLine(call, `… and ${models.length - ROWS_MAX} more.`);
  const { unusable } = added.draft;
  if (unusable > 0) {
    printLine(call, `Left out, because no client could ask for such names: ${unusable} of those it lists.`);
  }
  for (const line of advice(added)) printLine(call, line);
}

function modelTable(call: Call, models: readonly SavedModel[]): string {
  const columns = [
    { title: "MODEL" },
    { title: "KNOWN THERE AS" },
    ...["INPUT", "OUTPUT", "CACHE READ"].map(title => ({ title, right: true as const })),
    { title: "PRICE" },
  ];
  const rows = models.map(({ name, known, price, isNew }) => [
    name,
    known,
    ...(price === null
      ? ["", "", ""]
      : [price.inputPicos, price.outputPicos, price.cacheReadPicos].map(formatPricePerMillion)),
    price === null ? "none yet" : isNew ? "suggested" : "as it was",
  ]);
  return table(columns, rows, call.paint);
}

function advice({ saved, source }: Added): string[] {
  const { upstream, models, groups } = saved;
  const lines = [];
  if (models.some(({ isNew, price }) => isNew && price !== null)) {
    lines.push(
      `Prices are USD per million tokens, as ${source} has them: check them before you rely on them.`,
    );
  }
  const unpriced = models.filter(({ price }) => price === null);
  const [first] = unpriced;
  if (first !== undefined) {
    lines.push(`Without a price, and refused until they have one: ${names(unpriced)}.`);
    lines.push("Price them with wicketgate apply FILE, where FILE says for example:");
    lines.push(printable(`  models: [{ name: ${first.name}, price: { input: 1.25, output: 10 } }]`));
  }
  lines.push(
    groups.length === 0
      ? "No group has them yet: add their names to the models of a group in your apply file, and run wicketgate apply FILE."
      : `Keys of these groups can use them, or some of them: ${printable(groups.join(", "))}.`,
  );
  lines.push(printable(`Try it with: wicketgate upstream test ${upstream.name}`));
  return lines;
}

function names(models: readonly SavedModel[]): string {
  const shown = models.slice(0, NAMES_MAX).map(({ name }) => name);
  const more = models.length > NAMES_MAX ? ` and ${models.length - NAMES_MAX} more` : "";
  return printable(shown.join(", ")) + more;
}

function toJson({ saved, source, draft }: Added) {
  const { upstream, models, groups } = saved;
  return {
    id: upstream.id,
    name: upstream.name,
    kind: upstream.kind,
    base_url: upstream.baseUrl,
    speaks: upstream.speaks,
    priority: upstream.priority,
    weight: upstream.weight,
    has_credential: upstream.credentials.length > 0,
    credentials: upstream.credentials.length,
    max_concurrency: upstream.concurrencyMax,
    probe_minutes: upstream.probeMinutes,
    listed_models: draft.listed,
    left_out_models: draft.unusable,
    models: models.map(({ name, known, isNew, price }) => {
      return { name, upstream_name: known, new: isNew, price: price === null ? null : priceJson(price) };
    }),
    suggested_prices_of: source,
    groups,
  };
}

function priceJson(price: Price) {
  const { inputPicos, outputPicos, cacheReadPicos, cacheWrite5mPicos, cacheWrite1hPicos, tiers } = price;
  return {
    input: formatPricePerMillion(inputPicos),
    output: formatPricePerMillion(outputPicos),
    cache_read: formatPricePerMillion(cacheReadPicos),
    cache_write_5m: formatPricePerMillion(cacheWrite5mPicos),
    cache_write_1h: formatPricePerMillion(cacheWrite1hPicos),
    tiers: tiers.map(tier => ({
      above: tier.aboveTokens,
      input: formatPricePerMillion(tier.inputPicos),
      output: formatPricePerMillion(tier.outputPicos),
      cache_read: formatPricePerMillion(tier.cacheReadPicos),
    })),
  };
}
