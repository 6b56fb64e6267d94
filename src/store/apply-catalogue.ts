import type { Upstream } from "../domain/catalogue.ts";
import type { Price, TokenPrices } from "../domain/model.ts";
import { formatPricePerMillion, formatUsd, MULTIPLIER_ONE } from "../domain/money.ts";
import {
  type ApplyContext,
  type ModelSpec,
  noteCreated,
  noteDifference,
  type UpstreamSpec,
} from "./apply.ts";
import { paired } from "./audit-entries.ts";
import { currentPrices } from "./catalogue.ts";
import { type CredentialSpec, exchangeCredentials } from "./credentials.ts";
import { insertPrice } from "./prices.ts";
import { flag, id, text, toUpstream, wholeOrNull } from "./rows.ts";

export async function applyUpstream(context: ApplyContext, spec: UpstreamSpec, at: number): Promise<void> {
  const { tx } = context;
  const [row] = await tx.all("select * from upstreams where name = ?", spec.name);
  const old = row === undefined ? null : toUpstream(row);
  const isPaused = spec.isPaused ?? old?.isPaused ?? false;
  const cost = spec.cost ?? old?.cost ?? MULTIPLIER_ONE;
  const speaks = JSON.stringify(spec.speaks);
  const models = JSON.stringify(spec.models);
  const settings = [spec.concurrencyMax, spec.probeMinutes, flag(isPaused), cost];
  const values = [spec.kind, spec.baseUrl, speaks, spec.priority, spec.weight, models, ...settings];
  const described = describeUpstream({ ...spec, isPaused, cost });
  const { nowMs } = context.spec.by;
  if (old === null) {
    await tx.run(
      `insert into upstreams (kind, base_url, speaks, priority, weight, models, concurrency_max, probe_minutes, paused,
         cost, id, name) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...values,
      ...[spec.id, spec.name],
    );
    await exchangeCredentials(tx, { upstreamId: spec.id, specs: spec.credentials ?? [], nowMs });
    return noteCreated(context, { noun: "upstream", name: spec.name, id: spec.id }, [
      ...described.filter(([field, value]) => value !== USUALLY.get(field)),
      ["api_key", describeKeys(spec.credentials ?? [], new Set())],
    ]);
  }
  const bound = await tx.all("select mark from credentials where upstream_id = ?", old.id);
  const staysAtAddress = spec.baseUrl === null || old.baseUrl === spec.baseUrl;
  if (spec.credentials === null && bound.length > 0 && !staysAtAddress) {
    const message = `the address of “${spec.name}” changes, and its credential is bound to the old one: give api_key again`;
    context.problems.push({ path: ["upstreams", at, "base_url"], message });
    return;
  }
  // Without an address there is nowhere to send a credential, so none is kept. At another one, all are sealed anew.
  const specs = spec.baseUrl === null ? [] : spec.credentials;
  if (specs !== null && !staysAtAddress)
    await tx.run("delete from credentials where upstream_id = ?", old.id);
  const exchanged =
    specs === null ? null : await exchangeCredentials(tx, { upstreamId: old.id, specs, nowMs });
  const marks = new Set(bound.map(credential => text(credential["mark"])));
  const differs = noteDifference(context, { noun: "upstream", name: spec.name, id: old.id }, [
    ...paired(describeUpstream({ ...old, models: [...old.models] }), described),
    ["api_key", AS_IT_WAS, exchanged === null ? AS_IT_WAS : describeKeys(specs ?? [], marks)],
  ]);
  if (!differs) return;
  await tx.run(
    `update upstreams set kind = ?, base_url = ?, speaks = ?, priority = ?, weight = ?, models = ?,
       concurrency_max = ?, probe_minutes = ?, paused = ?, cost = ? where id = ?`,
    ...values,
    old.id,
  );
}

type Described = Omit<UpstreamSpec, "id" | "name" | "credentials" | "isPaused" | "cost"> &
  Pick<Upstream, "isPaused" | "cost">;

/** What a new one need not say of itself. */
const USUALLY: ReadonlyMap<string, string> = new Map([
  ["paused", "false"],
  ["cost", "1"],
]);

/** As the apply file names them. */
function describeUpstream(upstream: Described): [string, string][] {
  return [
    ["kind", upstream.kind],
    ["base_url", upstream.baseUrl ?? ""],
    ["speaks", upstream.speaks.join(", ")],
    ["priority", String(upstream.priority)],
    ["weight", String(upstream.weight)],
    ["models", mapping(upstream.models)],
    ["max_concurrency", number(upstream.concurrencyMax)],
    ["probe", number(upstream.probeMinutes)],
    ["paused", String(upstream.isPaused)],
    ["cost", String(upstream.cost / MULTIPLIER_ONE)],
  ];
}

const AS_IT_WAS = "(as it was)";

function describeKeys(specs: readonly CredentialSpec[], before: ReadonlySet<string>): string {
  const fresh = specs.filter(({ mark }) => !before.has(mark)).length;
  if (fresh === 0 && specs.length === before.size) return AS_IT_WAS;
  if (specs.length === 0) return "none";
  return specs.length === 1 && fresh === 1 ? "(a new one)" : `(${specs.length} keys, ${fresh} of them new)`;
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
      ...[spec.id, spec.name, spec.contextTokens, spec.outputTokensMax, context.spec.by.nowMs],
    );
    noteCreated(context, { noun: "model", name: spec.name, id: spec.id }, describeModel(spec));
  } else {
    const before = {
      contextTokens: wholeOrNull(row["context_tokens"]),
      outputTokensMax: wholeOrNull(row["output_tokens_max"]),
      price: old,
    };
    const fields = paired(describeModel(before), describeModel({ ...spec, price: spec.price ?? old }));
    if (!noteDifference(context, { noun: "model", name: spec.name, id: modelId }, fields)) return;
    const sql = "update models set context_tokens = ?, output_tokens_max = ? where id = ?";
    await tx.run(sql, spec.contextTokens, spec.outputTokensMax, modelId);
  }
  if (spec.price === null || describePrice(spec.price) === describePrice(old)) return;
  await insertPrice(tx, { price: spec.price, modelId, nowMs: context.spec.by.nowMs });
}

/** As the apply file names them. */
export function describeModel(
  model: Pick<ModelSpec, "contextTokens" | "outputTokensMax" | "price">,
): [string, string][] {
  return [
    ["context_tokens", number(model.contextTokens)],
    ["max_output_tokens", number(model.outputTokensMax)],
    ["price", describePrice(model.price)],
  ];
}

function number(value: number | null): string {
  return value === null ? "" : String(value);
}

/** As the apply file writes it; two prices are equal where this is. */
export function describePrice(price: Price | null): string {
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
