import { compareMoney, formatMoney } from "../../format/money.ts";
import { formatTime } from "../../format/time.ts";
import type { Draft, Group, Key } from "./draft.ts";
import { changeOf } from "./draft-body.ts";
import type { FormSay } from "./draft-problems.ts";

type Seen = { draft: Draft; groups: readonly Group[]; say: FormSay; nowMs: number };

const MODELS_NAMED_MAX = 3;
const CLAUDE_NEEDS = 2;

/** What a change means for the clients that run with the key, one sentence each. */
export function editEffects(key: Key, { draft, groups, say, nowMs }: Seen): string[] {
  const change = changeOf(draft, key, nowMs);
  const found: string[] = [];
  if (change.group !== undefined) found.push(...groupEffects(key, change.group, { groups, say }));
  const quota = change.quota_usd;
  if (typeof quota === "string" && compareMoney(key.spent_usd, quota) >= 0) {
    found.push(say("changeQuotaOver", { spent: formatMoney(key.spent_usd, say.language) }));
  }
  const isLimited = Object.keys(change).some(field => /_per_|^concurrency$|^quota/.test(field));
  if (isLimited) found.push(say("changeLimits"));
  const { concurrency } = change;
  if (typeof concurrency === "number" && concurrency < CLAUDE_NEEDS) found.push(say("changeConcurrency"));
  if (change.expires_at !== undefined) found.push(...expiryEffects(key, change.expires_at, say));
  if (change.name !== undefined) found.push(say("changeName"));
  return found;
}

function groupEffects(key: Key, id: string, { groups, say }: Pick<Seen, "groups" | "say">): string[] {
  const next = groups.find(group => group.id === id);
  if (next === undefined) return [];
  const before = groups.find(group => group.id === key.group.id)?.models ?? [];
  const has = new Set(next.models.map(({ name }) => name));
  const missing = before.map(({ name }) => name).filter(name => !has.has(name));
  const group = next.name;
  const named =
    missing.slice(0, MODELS_NAMED_MAX).join(", ") + (missing.length > MODELS_NAMED_MAX ? " …" : "");
  const models =
    missing.length > 0 ? say("changeModels", { models: named, group }) : say("changeModelsNone", { group });
  return before.length === 0 ? [say("changeGroup", { group })] : [say("changeGroup", { group }), models];
}

function expiryEffects(key: Key, expires: string | null, say: FormSay): string[] {
  const revived = key.state === "expired" ? [say("changeRevive")] : [];
  if (expires === null) return [...revived, say("changeExpiryNever")];
  return [...revived, say("changeExpiry", { when: formatTime(expires, say.language) })];
}
