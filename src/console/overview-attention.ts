import type { z } from "zod";
import { type Catalogue, shortId } from "../domain/catalogue.ts";
import { groupHasModel } from "../domain/group.ts";
import { formatUsd } from "../domain/money.ts";
import { servedNames } from "../domain/usable-models.ts";
import type { HouseConcerns } from "../store/overview-attention.ts";
import type { UpstreamState } from "../store/upstream-record.ts";
import type { ChainState } from "./audit-watch.ts";
import type { attention } from "./contract/operator/overview.ts";
import { DEMO_MODEL } from "./demo.ts";

export type Attention = z.output<typeof attention>;

export type Concerns = {
  catalogue: Catalogue;
  states: readonly UpstreamState[];
  house: HouseConcerns;
  chain: ChainState;
  isRegistrationOpen: boolean;
  nowMs: number;
};

const DAY_MS = 86_400_000;
const BACKUP_DAYS_MAX = 7;
const MODELS_MAX = 50;
const GRAVEST_FIRST = ["bad", "warn", "info"] as const;

/** What an operator should look at, the gravest first. */
export function attentionList(concerns: Concerns): Attention[] {
  const all = [
    ...books(concerns),
    ...upstreams(concerns),
    ...models(concerns),
    ...accounts(concerns),
    ...backup(concerns),
    ...registration(concerns),
    ...webhooks(concerns),
  ];
  return GRAVEST_FIRST.flatMap(gravity => all.filter(one => one.gravity === gravity));
}

const ABOUT_NOTHING = { name: null, id: null, since: null, figure: null };

function books({ house, chain }: Concerns): Attention[] {
  const { verified, lightFindings } = house;
  const count = Math.max(lightFindings, verified?.findings ?? 0);
  const disagree: Attention = {
    ...{ ...ABOUT_NOTHING, kind: "books_disagree", gravity: "bad", figure: String(count) },
    since: lightFindings > 0 || verified === null ? null : timeOf(verified.atMs),
  };
  const broken: Attention = { ...ABOUT_NOTHING, kind: "audit_broken", gravity: "bad" };
  return [...(count > 0 ? [disagree] : []), ...(chain === "broken" ? [broken] : [])];
}

/** The same thing at several instances is one thing to look at, since the first of them saw it. */
function upstreams({ states, catalogue }: Concerns): Attention[] {
  const found = new Map<string, Attention>();
  for (const { upstreamId, credentialId, model, sinceMs } of states) {
    const upstream = catalogue.upstreams.find(({ id }) => id === upstreamId);
    const isRejected = credentialId !== null && model === null;
    if (upstream === undefined || upstream.isPaused || (credentialId !== null && !isRejected)) continue;
    const figure = credentialId === null ? (model ?? "*") : shortId(credentialId);
    const key = `${upstreamId} ${figure}`;
    const since = timeOf(sinceMs);
    const before = found.get(key);
    if (before !== undefined && (before.since ?? "") <= since) continue;
    found.set(key, {
      kind: isRejected ? "credential_rejected" : "breaker_open",
      gravity: isRejected ? "bad" : "warn",
      ...{ name: upstream.name, id: upstreamId, since, figure },
    });
  }
  return [...found.values()];
}

/** Only of models that somebody could ask for by one of the groups. */
function models({ catalogue }: Concerns): Attention[] {
  const served = servedNames(catalogue);
  const groups = [...catalogue.groups.values()].filter(({ enabled }) => enabled);
  const isOffered = (name: string) => groups.some(group => groupHasModel(group, name));
  const found: Attention[] = [];
  for (const { id, name, price } of catalogue.models.values()) {
    if (found.length >= MODELS_MAX || name === DEMO_MODEL) continue;
    const about = { ...ABOUT_NOTHING, name, id };
    if (price === null && served.has(name)) found.push({ ...about, kind: "model_unpriced", gravity: "warn" });
    else if (price !== null && !served.has(name) && isOffered(name))
      found.push({ ...about, kind: "model_unserved", gravity: "warn" });
  }
  return found;
}

function accounts({ house }: Concerns): Attention[] {
  return house.lowAccounts.map(({ id, email, left }) => ({
    ...{ kind: "balance_low" as const, gravity: "info" as const, name: email, id, since: null },
    figure: formatUsd(left),
  }));
}

/** A house of one day need not have been copied yet. */
function backup({ house, nowMs }: Concerns): Attention[] {
  const { backedUpAtMs, beganAtMs } = house;
  const isMissing =
    backedUpAtMs === null
      ? beganAtMs !== null && nowMs - beganAtMs > DAY_MS
      : nowMs - backedUpAtMs > BACKUP_DAYS_MAX * DAY_MS;
  if (!isMissing) return [];
  const since = backedUpAtMs === null ? null : timeOf(backedUpAtMs);
  return [{ ...ABOUT_NOTHING, kind: "backup_missing", gravity: "warn", since }];
}

function registration({ isRegistrationOpen }: Concerns): Attention[] {
  return isRegistrationOpen ? [{ ...ABOUT_NOTHING, kind: "registration_open", gravity: "info" }] : [];
}

/** The figure says that the house has switched it off. */
function webhooks({ house }: Concerns): Attention[] {
  return house.webhooks.map(({ id, name, sinceMs, isOff }) => ({
    ...{ kind: "webhook_failing" as const, gravity: isOff ? ("bad" as const) : ("warn" as const), name, id },
    ...{ since: timeOf(sinceMs), figure: isOff ? "off" : null },
  }));
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
