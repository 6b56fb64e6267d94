import type { Limits } from "../domain/limits.ts";
import type { Price, PriceTier, TokenPrices } from "../domain/model.ts";
import { MULTIPLIER_ONE, PICOS_PER_NANO } from "../domain/money.ts";
import type { ApplySpec, KeySpec, UpstreamSpec } from "../store/apply.ts";
import { PRESETS } from "../upstream/presets/presets.ts";
import type { ApplyDocument } from "./apply-schema.ts";
import { byOf, type Control } from "./control.ts";
import { keySecret } from "./keys.ts";
import { credentialSpec } from "./upstream-credentials.ts";

type Item<S extends keyof ApplyDocument> = NonNullable<ApplyDocument[S]>[number];

/** A generated string is in here and nowhere else; it counts only where the key turns out to be new. */
export type GeneratedKey = { id: string; account: string; name: string; key: string };

export function toApplySpec(
  control: Control,
  document: ApplyDocument,
  dryRun: boolean,
): { spec: ApplySpec; generated: GeneratedKey[] } {
  const generated: GeneratedKey[] = [];
  const spec: ApplySpec = {
    upstreams: (document.upstreams ?? []).map(item => upstreamSpec(control, item)),
    models: (document.models ?? []).map(item => ({
      id: control.newId("mdl"),
      name: item.name,
      contextTokens: item.context_tokens ?? null,
      outputTokensMax: item.max_output_tokens ?? null,
      price: item.price === undefined ? null : priceSpec(control, item.price),
    })),
    groups: (document.groups ?? []).map(item => ({
      id: control.newId("grp"),
      name: item.name,
      enabled: item.enabled ?? true,
      multiplier: item.multiplier ?? MULTIPLIER_ONE,
      models: item.models,
      billing: item.billing ?? "balance",
      limits: limitsSpec(item.limits ?? {}),
      description: item.description ?? null,
      accounts: item.accounts ?? null,
    })),
    plans: (document.plans ?? []).map(({ name, groups, quota, window }) => {
      return { id: control.newId("pln"), name, groups, quota, window };
    }),
    accounts: (document.accounts ?? []).map(item => accountSpec(control, item)),
    keys: (document.keys ?? []).map(item => keySpec(control, item, generated)),
    by: byOf(control),
    dryRun,
  };
  return { spec, generated };
}

function upstreamSpec(control: Control, item: Item<"upstreams">): UpstreamSpec {
  const known = PRESETS[item.kind];
  const baseUrl = item.base_url ?? known.baseUrl;
  const written = item.api_keys ?? (item.api_key === undefined ? null : [item.api_key]);
  return {
    id: control.newId("ups"),
    name: item.name,
    kind: item.kind,
    baseUrl,
    speaks: item.speaks ?? known.speaks,
    credentials:
      written === null || baseUrl === null
        ? null
        : written.map(plain => credentialSpec(control, plain, baseUrl)),
    priority: item.priority ?? 0,
    weight: item.weight ?? 1,
    concurrencyMax: item.max_concurrency ?? null,
    probeMinutes: item.probe === undefined || item.probe === "off" ? null : item.probe,
    isPaused: item.paused ?? null,
    cost: item.cost ?? null,
    models: item.models,
  };
}

type WrittenPrice = NonNullable<Item<"models">["price"]>;
type WrittenTier = NonNullable<WrittenPrice["tiers"]>[number];

function priceSpec(control: Control, price: WrittenPrice): Price {
  return {
    id: control.newId("prc"),
    ...tokenPrices(price),
    requestPicos: (price.request ?? 0n) * PICOS_PER_NANO,
    tiers: (price.tiers ?? []).map(tier => tierSpec(tier, price)),
  };
}

/** What a tier does not write stands in the price that it belongs to. */
function tierSpec({ above, ...tier }: WrittenTier, price: WrittenPrice): PriceTier {
  return { aboveTokens: above, ...tokenPrices({ ...price, ...tier }) };
}

/** Cached tokens are input tokens: without a price of their own they cost as much, and are never given away. */
function tokenPrices(written: Omit<WrittenPrice, "tiers">): TokenPrices {
  const input = written.input ?? 0n;
  return {
    inputPicos: input,
    outputPicos: written.output ?? 0n,
    cacheReadPicos: written.cache_read ?? input,
    cacheWrite5mPicos: written.cache_write_5m ?? input,
    cacheWrite1hPicos: written.cache_write_1h ?? input,
  };
}

type WrittenLimits = NonNullable<Item<"groups">["limits"]>;

function limitsSpec(written: WrittenLimits): Limits {
  return {
    requestsPerMinute: written.requests_per_minute ?? null,
    tokensPerMinute: written.tokens_per_minute ?? null,
    concurrency: written.concurrency ?? null,
    spendPerDay: written.spend_per_day ?? null,
    spendPerWeek: written.spend_per_week ?? null,
    spendPerMonth: written.spend_per_month ?? null,
  };
}

function accountSpec(control: Control, item: Item<"accounts">): ApplySpec["accounts"][number] {
  return {
    id: control.newId("acc"),
    ledgerId: control.newId("led"),
    email: item.email,
    role: item.role ?? "holder",
    balance: item.balance ?? 0n,
    limits: item.limits === undefined ? null : limitsSpec(item.limits),
    subscriptions:
      item.subscriptions?.map(({ plan, until }) => {
        return { subscriptionId: control.newId("sub"), plan, untilMs: until ?? null };
      }) ?? null,
  };
}

function keySpec(control: Control, item: Item<"keys">, generated: GeneratedKey[]): KeySpec {
  const id = control.newId("key");
  const { key, ...secret } = keySecret(control, item.key ?? null);
  const custom = item.key !== undefined;
  if (!custom) generated.push({ id, account: item.account, name: item.name, key });
  return {
    id,
    email: item.account,
    name: item.name,
    group: item.group,
    quota: item.quota ?? null,
    ...limitsSpec(item),
    expiresAtMs: item.expires_at ?? null,
    secret: { ...secret, custom },
  };
}
