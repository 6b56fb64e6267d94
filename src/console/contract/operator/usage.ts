import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { usd } from "../form.ts";
import { keptFrom, receipt, usageEndpoints, usageRow, usageSummary } from "../usage.ts";

const wider = { account: z.string().max(64).optional(), upstream: z.string().max(100).optional() };

export const operatorUsageRow = usageRow.extend({
  account: z.strictObject({ id: z.string(), email: z.string() }),
  upstream: z.string().nullable(),
  attempts: z.number().int(),
  /** What the upstream asks for it. */
  our_cost_usd: usd,
});

export const operatorUsageEndpoints = {
  "GET /operator/usage": {
    access: "operator",
    summary: "Every request of every account, newest first",
    query: usageEndpoints["GET /usage"].query.extend(wider),
    answer: z.strictObject({
      rows: z.array(operatorUsageRow),
      next: z.string().nullable(),
      kept_from: keptFrom,
    }),
  },
  "GET /operator/usage/names": {
    access: "operator",
    summary: "What can be filtered by",
    answer: z.strictObject({
      accounts: z.array(z.strictObject({ id: z.string(), email: z.string() })),
      models: z.array(z.string()),
      tools: z.array(z.string()),
      upstreams: z.array(z.string()),
    }),
  },
  "GET /operator/usage/summary": {
    access: "operator",
    summary: "Totals and charts over all accounts, with the margin",
    query: usageEndpoints["GET /usage/summary"].query
      .omit({ by: true })
      .extend({ ...wider, by: z.enum(["account", "model", "upstream"]).optional() }),
    answer: usageSummary.extend({
      our_cost_usd: usd,
      margin_usd: z.string(),
      series: z.array(usageSummary.shape.series.element.extend({ our_cost_usd: z.array(usd) })),
    }),
  },
  "GET /operator/usage/export": {
    access: "operator",
    summary: "The rows as a file that streams",
    query: usageEndpoints["GET /usage/export"].query.extend(wider),
    answer: null,
  },
  "GET /operator/usage/{id}": {
    access: "operator",
    summary: "The receipt of one request, with its attempts",
    answer: receipt.extend({
      account: z.strictObject({ id: z.string(), email: z.string() }),
      upstream: z.string().nullable(),
      our_cost_usd: usd,
      attempts: z.array(z.strictObject({ upstream: z.string(), why: z.string(), ms: z.number() })),
    }),
  },
} as const satisfies Record<string, Endpoint>;
