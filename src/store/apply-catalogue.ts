import type { Price, TokenPrices } from "../domain/model.ts";
import { formatPricePerMillion, formatUsd } from "../domain/money.ts";
import {
  type ApplyContext,
  type GroupSpec,
  type ModelSpec,
  noteCreated,
  noteDifference,
  type PlanSpec,
  type UpstreamSpec,
} from "./apply.ts";
import { currentPrices } from "./catalogue.ts";
import { LIMIT_CHANGES, LIMIT_COLUMNS, LIMIT_PLACES, limitDifferences, limitValues } from "./limits.ts";
import { insertPrice } from "./prices.ts";
import { flag, id, textOrNull, toGroup, toPlan, toUpstream, wholeOrNull } from "./rows.ts";

export async function applyUpstream(context: ApplyContext, spec: UpstreamSpec, at: number): Promise<void> {
  const { tx } = context;
  const [row] = await tx.all("select * from upstreams where name = ?", spec.name);
  const speaks = JSON.stringify(spec.speaks);
  const models = JSON.stringify(spec.models);
  const values = [spec.kind, spec.baseUrl, speaks, spec.priority, spec.weight, models];
  if (row === undefined) {
    await tx.run(
      `insert into upstreams (kind, base_url, speaks, priority, weight, models, id, name, credential, credential_mark)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...values,
      ...[spec.id, spec.name, spec.credential?.sealed ?? null, spec.credential?.mark ?? null],
    );
    return noteCreated(context, { noun: "upstream", name: spec.name, id: spec.id });
  }
  const old = toUpstream(row);
  const staysAtAddress = spec.baseUrl === null || old.baseUrl === spec.baseUrl;
  if (spec.credential === null && old.credential !== null && !staysAtAddress) {
    const message = `the address of “${spec.name}” changes, and its credential is bound to the old one: give api_key again`;
    context.problems.push({ path: ["upstreams", at, "base_url"], message });
    return;
  }
  // Without an address there is nowhere to send a credential, so none is kept.
  const kept =
    spec.baseUrl === null ? null : { sealed: old.credential, mark: textOrNull(row["credential_mark"]) };
  const credential = spec.credential ?? kept;
  const newMark = credential?.mark ?? null;
  const differs = noteDifference(context, { noun: "upstream", name: spec.name, id: old.id }, [
    ["kind", old.kind, spec.kind],
    ["base_url", old.baseUrl ?? "", spec.baseUrl ?? ""],
    ["speaks", old.speaks.join(", "), spec.speaks.join(", ")],
    ["priority", String(old.priority), String(spec.priority)],
    ["weight", String(old.weight), String(spec.weight)],
    ["models", mapping([...old.models]), mapping(spec.models)],
    [
      "api_key",
      "(as it was)",
      newMark === textOrNull(row["credential_mark"])
        ? "(as it was)"
        : newMark === null
          ? "none"
          : "(a new one)",
    ],
  ]);
  if (!differs) return;
  await tx.run(
    `update upstreams set kind = ?, base_url = ?, speaks = ?, priority = ?, weight = ?, models = ?, credential = ?,
       credential_mark = ? where id = ?`,
    ...values,
    ...[credential?.sealed ?? null, newMark, old.id],
  );
}

function mapping(models: readonly (readonly [string, string])[]): string {
  return models.map(([name, known]) => (name === known ? name : `${name}: ${known}`)).join(", ");
}

export async function applyModel(context: ApplyContext, spec: ModelSpec): Promise<void> {
  const { tx } = context;
  const [row] = await tx.all("select * from models where name = ?", spec.name);
  const modelId = row === undefined ? spec.id : id("mdl", row["id"]);
  const old = (await currentPrices(tx)).get(modelId) ?? null;
  if (row === undefined) {
    await tx.run(
      "insert into models (id, name, context_tokens, output_tokens_max, created_at_ms) values (?, ?, ?, ?, ?)",
      ...[spec.id, spec.name, spec.contextTokens, spec.outputTokensMax, context.spec.nowMs],
    );
    noteCreated(context, { noun: "model", name: spec.name, id: spec.id });
  } else {
    const differs = noteDifference(context, { noun: "model", name: spec.name, id: modelId }, [
      ["context_tokens", number(wholeOrNull(row["context_tokens"])), number(spec.contextTokens)],
      ["max_output_tokens", number(wholeOrNull(row["output_tokens_max"])), number(spec.outputTokensMax)],
      ["price", describePrice(old), spec.price === null ? describePrice(old) : describePrice(spec.price)],
    ]);
    if (!differs) return;
    const sql = "update models set context_tokens = ?, output_tokens_max = ? where id = ?";
    await tx.run(sql, spec.contextTokens, spec.outputTokensMax, modelId);
  }
  if (spec.price === null || describePrice(spec.price) === describePrice(old)) return;
  await insertPrice(tx, { price: spec.price, modelId, nowMs: context.spec.nowMs });
}

function number(value: number | null): string {
  return value === null ? "" : String(value);
}

/** As the apply file writes it; two prices are equal where this is. */
function describePrice(price: Price | null): string {
  if (price === null) return "none";
  const tiers = price.tiers.map(tier => `, above ${tier.aboveTokens} (${describeTokenPrices(tier)})`);
  return `${describeTokenPrices(price)}, request ${formatUsd(price.requestPicos / 1000n)}${tiers.join("")}`;
}

function describeTokenPrices(prices: TokenPrices): string {
  const parts = [
    ["input", formatPricePerMillion(prices.inputPicos)],
    ["cache_read", formatPricePerMillion(prices.cacheReadPicos)],
    ["cache_write_5m", formatPricePerMillion(prices.cacheWrite5mPicos)],
    ["cache_write_1h", formatPricePerMillion(prices.cacheWrite1hPicos)],
    ["output", formatPricePerMillion(prices.outputPicos)],
  ];
  return parts.map(([name, value]) => `${name} ${value}`).join(", ");
}

export async function applyGroup(context: ApplyContext, spec: GroupSpec): Promise<void> {
  const { tx } = context;
  const [row] = await tx.all("select * from groups where name = ?", spec.name);
  const values = [
    ...[flag(spec.enabled), spec.multiplier, JSON.stringify(spec.models), spec.billing],
    ...limitValues(spec.limits),
  ];
  if (row === undefined) {
    await tx.run(
      `insert into groups (enabled, multiplier, models, billing, ${LIMIT_COLUMNS}, id, name)
         values (?, ?, ?, ?, ${LIMIT_PLACES}, ?, ?)`,
      ...values,
      ...[spec.id, spec.name],
    );
    return noteCreated(context, { noun: "group", name: spec.name, id: spec.id });
  }
  const old = toGroup(row);
  const differs = noteDifference(context, { noun: "group", name: spec.name, id: old.id }, [
    ["enabled", String(old.enabled), String(spec.enabled)],
    ["multiplier", String(old.multiplier / 10_000), String(spec.multiplier / 10_000)],
    ["models", old.models.join(", "), spec.models.join(", ")],
    ["billing", old.billing, spec.billing],
    ...limitDifferences(old.limits, spec.limits),
  ]);
  if (!differs) return;
  await tx.run(
    `update groups set enabled = ?, multiplier = ?, models = ?, billing = ?, ${LIMIT_CHANGES} where id = ?`,
    ...values,
    old.id,
  );
}

export async function applyPlan(context: ApplyContext, spec: PlanSpec, at: number): Promise<void> {
  const { tx } = context;
  for (const [place, name] of spec.groups.entries()) {
    const [group] = await tx.all("select id from groups where name = ?", name);
    if (group !== undefined) continue;
    context.problems.push({ path: ["plans", at, "groups", place], message: `there is no group “${name}”` });
  }
  const [row] = await tx.all("select * from plans where name = ?", spec.name);
  const values = [JSON.stringify(spec.groups), spec.quota, spec.window];
  if (row === undefined) {
    const sql = "insert into plans (groups, quota, time_window, id, name) values (?, ?, ?, ?, ?)";
    await tx.run(sql, ...values, spec.id, spec.name);
    return noteCreated(context, { noun: "plan", name: spec.name, id: spec.id });
  }
  const old = toPlan(row);
  const differs = noteDifference(context, { noun: "plan", name: spec.name, id: old.id }, [
    ["groups", old.groups.join(", "), spec.groups.join(", ")],
    ["quota", formatUsd(old.quota), formatUsd(spec.quota)],
    ["window", old.period, spec.window],
  ]);
  if (!differs) return;
  const sql = "update plans set groups = ?, quota = ?, time_window = ? where id = ?";
  await tx.run(sql, ...values, old.id);
}
