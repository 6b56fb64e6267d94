import type { z } from "zod";
import type { Price } from "../../domain/model.ts";
import { formatPricePerMillion, formatUsd, type Picos } from "../../domain/money.ts";
import type { Usage } from "../../domain/usage.ts";
import { pricesAt } from "../../pricing/price.ts";
import type { UsageReceipt } from "../../store/usage-receipt.ts";
import { multiplierText } from "../api/groups-prices.ts";
import type { receipt } from "../contract/usage.ts";
import { explain } from "./explain.ts";
import { instantOf, rowView } from "./row.ts";

export type ReceiptView = z.output<typeof receipt>;
type Line = ReceiptView["lines"][number];
type Part = { kind: Line["kind"]; quantity: number; picos: Picos };

const PICOS_PER_USD = 1_000_000_000_000n;
const PICO_DIGITS = 12;

/** Everything that makes up what a request cost, in the order in which it is worked out. */
export function receiptView(found: UsageReceipt): ReceiptView {
  const { row, price, multiplier, hold, pocket } = found;
  const isCharged = row.state === "settled" || row.state === "interrupted";
  const parts = price === null || !isCharged ? [] : partsOf(row.usage, price);
  const sum = parts.reduce((total, { quantity, picos }) => total + BigInt(quantity) * picos, 0n);
  return {
    row: rowView(row),
    agent: found.agent,
    lines: parts.map(lineOf),
    price_usd: picosText(sum),
    group: found.group,
    multiplier: multiplier === null ? null : multiplierText(multiplier),
    cost_usd: formatUsd(row.cost),
    refunded_usd: formatUsd(found.refunded),
    pocket: pocket === null || row.cost === 0n ? null : pocket,
    held_usd: formatUsd(hold),
    held_at: multiplier === null ? null : instantOf(row.startedAtMs),
    settled_at: settledAt(found),
    source: row.source,
    price_version: price === null ? null : { id: price.id, since: instantOf(price.createdAtMs) },
    refusal: explain({ ...row, particulars: found.particulars, group: found.group }),
  };
}

/** As `cost` of pricing works it out; what is none is left out. */
function partsOf(usage: Usage, price: Price): Part[] {
  const prices = pricesAt(price, usage);
  const parts: Part[] = [
    { kind: "input", quantity: usage.input, picos: prices.inputPicos },
    { kind: "cache_read", quantity: usage.cacheRead, picos: prices.cacheReadPicos },
    { kind: "cache_write_5m", quantity: usage.cacheWrite5m, picos: prices.cacheWrite5mPicos },
    { kind: "cache_write_1h", quantity: usage.cacheWrite1h, picos: prices.cacheWrite1hPicos },
    { kind: "output", quantity: usage.output, picos: prices.outputPicos },
    { kind: "request", quantity: price.requestPicos === 0n ? 0 : 1, picos: price.requestPicos },
  ];
  return parts.filter(({ quantity }) => quantity > 0);
}

function lineOf({ kind, quantity, picos }: Part): Line {
  const each = kind === "request" ? picosText(picos) : formatPricePerMillion(picos);
  return { kind, quantity, price_usd: each, amount_usd: picosText(BigInt(quantity) * picos) };
}

/** USD to the last pico-dollar, because rounding comes after the multiplier. */
function picosText(picos: Picos): string {
  const fraction = (picos % PICOS_PER_USD).toString().padStart(PICO_DIGITS, "0").replace(/0+$/, "");
  return `${picos / PICOS_PER_USD}.${fraction.padEnd(2, "0")}`;
}

/** When the charge was written; where nothing was charged, when the request ended. */
function settledAt({ row, chargedAtMs }: UsageReceipt): string | null {
  if (row.state === "open" || row.state === "refused") return null;
  if (chargedAtMs !== null) return instantOf(chargedAtMs);
  return row.durationMs === null ? null : instantOf(row.startedAtMs + row.durationMs);
}
