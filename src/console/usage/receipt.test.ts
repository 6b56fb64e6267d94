import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Price, TokenPrices } from "../../domain/model.ts";
import { formatUsd, nanosUp } from "../../domain/money.ts";
import { outcomeOf } from "../../domain/outcome.ts";
import type { Usage } from "../../domain/usage.ts";
import { cost } from "../../pricing/price.ts";
import type { UsageReceipt } from "../../store/usage-receipt.ts";
import { receipt as form } from "../contract/usage.ts";
import { receiptView } from "./receipt.ts";

const picos = fc.bigInt(0n, 900_000_000n);
const prices: fc.Arbitrary<TokenPrices> = fc.record({
  inputPicos: picos,
  cacheReadPicos: picos,
  cacheWrite5mPicos: picos,
  cacheWrite1hPicos: picos,
  outputPicos: picos,
});
const price: fc.Arbitrary<Price> = fc
  .record({
    plain: prices,
    requestPicos: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 12n)),
    tiers: fc.array(fc.tuple(fc.integer({ min: 1, max: 300_000 }), prices), { maxLength: 3 }),
  })
  .map(({ plain, requestPicos, tiers }) => ({
    ...plain,
    id: "prc_00000000000000000000000001",
    requestPicos,
    tiers: tiers
      .map(([aboveTokens, of]) => ({ aboveTokens, ...of }))
      .sort((a, b) => a.aboveTokens - b.aboveTokens),
  }));
const tokens = fc.oneof(fc.constant(0), fc.nat(400_000));
const usage: fc.Arbitrary<Usage> = fc.record({
  input: tokens,
  cacheRead: tokens,
  cacheWrite5m: tokens,
  cacheWrite1h: tokens,
  output: tokens,
  reasoning: fc.constant(0),
});

function settled(of: { usage: Usage; price: Price; multiplier: number }): UsageReceipt {
  const charged = cost(of.usage, of.price, of.multiplier);
  return {
    row: {
      ...{ id: "req_00000000000000000000000001", keyId: "key_1", key: "k", model: "m", operation: "chat" },
      ...{ stream: false, tool: "curl", address: "", state: "settled", outcome: outcomeOf("settled", null) },
      ...{ status: 200, reason: null, startedAtMs: 1_000, firstByteMs: 5, durationMs: 10, usage: of.usage },
      ...{ cost: charged, source: "reported", series: null },
    },
    agent: "curl/8.5.0",
    group: "g",
    multiplier: of.multiplier,
    price: { ...of.price, createdAtMs: 1 },
    hold: charged,
    pocket: { kind: "balance", name: "" },
    chargedAtMs: 1_011,
    refunded: 0n,
    particulars: null,
  };
}

/** USD as text to pico-dollars, so that nothing is lost in between. */
function toPicos(usd: string): bigint {
  const [whole = "0", fraction = ""] = usd.split(".");
  return BigInt(whole) * 10n ** 12n + BigInt(fraction.padEnd(12, "0"));
}

describe("a receipt", () => {
  test("multiplies and adds up to what was charged, whatever the prices, tiers and quantities", () => {
    const cases = fc.record({ usage, price, multiplier: fc.integer({ min: 0, max: 50_000 }) });
    fc.assert(
      fc.property(cases, one => {
        const found = settled(one);
        const view = form.parse(receiptView(found));
        for (const { kind, quantity, price_usd, amount_usd } of view.lines) {
          const each = kind === "request" ? toPicos(price_usd) : toPicos(price_usd) / 1_000_000n;
          expect(toPicos(amount_usd)).toBe(BigInt(quantity) * each);
        }
        const sum = view.lines.reduce((total, line) => total + toPicos(line.amount_usd), 0n);
        expect(toPicos(view.price_usd)).toBe(sum);
        const multiplier = Math.round(Number(view.multiplier) * 10_000);
        expect(formatUsd(nanosUp(sum, multiplier))).toBe(view.cost_usd);
        expect(formatUsd(found.row.cost)).toBe(view.cost_usd);
      }),
      { numRuns: 300, seed: 6 },
    );
  });

  test("has no lines where nothing was charged", () => {
    fc.assert(
      fc.property(usage, price, (used, of) => {
        const found = settled({ usage: used, price: of, multiplier: 10_000 });
        const row = { ...found.row, state: "voided", reason: "upstream_failed", cost: 0n } as const;
        const view = receiptView({ ...found, row, chargedAtMs: null });
        expect(view).toMatchObject({ lines: [], price_usd: "0.00", pocket: null });
        expect(view.settled_at).toBe(new Date(1_010).toISOString());
        expect(view.refusal?.message).toBe("The upstream that serves “m” failed to answer this request.");
      }),
      { numRuns: 5, seed: 6 },
    );
  });
});
