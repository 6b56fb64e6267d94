import type { z } from "zod";
import { idTimeMs } from "../../domain/id-time.ts";
import { formatUsd } from "../../domain/money.ts";
import type { Usage } from "../../domain/usage.ts";
import type { UsageLine, UsageRow } from "../../store/usage-lines.ts";
import type { tokens, usageRow } from "../contract/usage.ts";

export type RowView = z.output<typeof usageRow>;

export function rowView(row: UsageRow | UsageLine): RowView {
  return {
    id: row.id,
    at: instantOf(row.startedAtMs),
    key: { id: row.keyId, name: row.key },
    model: row.model,
    operation: row.operation,
    stream: row.stream,
    tool: row.tool,
    address: row.address,
    state: row.state,
    outcome: row.outcome,
    status: row.status,
    reason: row.reason,
    tokens: tokensView(row.usage),
    cost_usd: formatUsd(row.cost),
    is_estimated: row.source === "estimated",
    duration_ms: row.durationMs,
    first_byte_ms: row.firstByteMs,
    repeated: "count" in row && row.count > 1 ? repeated(row) : null,
  };
}

function repeated({ count, oldestId }: UsageLine): RowView["repeated"] {
  return { count, since: instantOf(idTimeMs(oldestId)) };
}

function tokensView(usage: Usage): z.output<typeof tokens> {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  return { input, cache_read: cacheRead, cache_write: cacheWrite5m + cacheWrite1h, output, reasoning };
}

export function instantOf(ms: number): string {
  return new Date(ms).toISOString();
}
