import type { Account } from "../domain/account.ts";
import type { ApiKey } from "../domain/api-key.ts";
import { correctTokens, decide } from "../domain/decide.ts";
import { refusal } from "../domain/errors.ts";
import type { Group } from "../domain/group.ts";
import type { Id } from "../domain/ids.ts";
import type { Nanos } from "../domain/money.ts";
import type { Usage, UsageSource, UsageState } from "../domain/usage.ts";
import type { Admission, AdmissionRequest, Checkpoint, Settlement } from "./store.ts";

/** An open usage row, as settlement needs it. */
export type OpenHold = {
  id: Id<"req">;
  keyId: Id<"key">;
  hold: Nanos;
  inputTokensGuessed: number;
};

/** What a batch reads before it decides; one copy of each row, however many requests share it. */
export type LedgerRows = {
  keysByHash: Map<string, ApiKey>;
  keys: Map<Id<"key">, ApiKey>;
  accounts: Map<Id<"acc">, Account>;
  groups: ReadonlyMap<Id<"grp">, Group>;
  holds: Map<Id<"req">, OpenHold>;
};

export type UsageInsert = {
  request: AdmissionRequest;
  key: ApiKey;
  state: UsageState;
  hold: Nanos;
  multiplier: number | null;
  outputTokens: number | null;
  reason: string | null;
  status: number | null;
};

export type UsageUpdate = {
  id: Id<"req">;
  state: "settled" | "voided" | "interrupted";
  usage: Usage;
  cost: Nanos;
  source: UsageSource | null;
  pocket: "balance" | null;
  status: number | null;
  reason: string | null;
  upstream: string | null;
  firstByteMs: number | null;
  durationMs: number | null;
};

export type LedgerLine = { accountId: Id<"acc">; amount: Nanos; usageId: Id<"req"> };

/** What a batch writes. */
export type LedgerWrites = {
  inserts: UsageInsert[];
  updates: UsageUpdate[];
  checkpoints: Checkpoint[];
  lines: LedgerLine[];
  dirtyKeys: Set<ApiKey>;
  dirtyAccounts: Set<Account>;
};

export type Resolution = Omit<Settlement, "state" | "status" | "durationMs"> & {
  state: UsageUpdate["state"];
  status: number | null;
  durationMs: number | null;
};

/**
 * The only code that moves money. It works on the rows of one transaction in memory: the database reads them before
 * and writes them after, in batches, so that one statement of it serves SQLite and PostgreSQL alike.
 */
export function ledger(rows: LedgerRows, statusOf: (reason: string) => number) {
  const writes: LedgerWrites = {
    inserts: [],
    updates: [],
    checkpoints: [],
    lines: [],
    dirtyKeys: new Set(),
    dirtyAccounts: new Set(),
  };

  function admit(request: AdmissionRequest): Admission {
    const key = rows.keysByHash.get(request.keyHash);
    if (key === undefined) return { admitted: false, refusal: refusal("key_unknown"), recorded: false };
    const account = demand(rows.accounts.get(key.accountId), "account of a key");
    const group = demand(rows.groups.get(key.groupId), "group of a key");
    const decision = decide({ key, account, group }, request.ask, request.startedAtMs);
    if (!decision.admitted) {
      const { reason } = decision.refusal;
      const row = { request, key, hold: 0n, multiplier: null, outputTokens: null };
      writes.inserts.push({ ...row, state: "refused", reason, status: statusOf(reason) });
      return { admitted: false, refusal: decision.refusal, recorded: true };
    }
    const { hold, multiplier, outputTokens } = decision;
    key.held += hold;
    key.open += 1;
    key.arrivalNs = decision.arrivalNs;
    key.tokenArrivalNs = decision.tokenArrivalNs;
    account.held += hold;
    touch(key, account);
    writes.inserts.push({
      request,
      key,
      state: "open",
      hold,
      multiplier,
      outputTokens,
      reason: null,
      status: null,
    });
    return { admitted: true, keyId: key.id, hold, multiplier, outputTokens, expiresAtMs: key.expiresAtMs };
  }

  /** Resolves a hold. A row that is open no longer is left as it stands: every hold is resolved once. */
  function resolve(end: Resolution): void {
    const open = rows.holds.get(end.id);
    if (open === undefined) return;
    rows.holds.delete(end.id);
    const key = demand(rows.keys.get(open.keyId), "key of a hold");
    const account = demand(rows.accounts.get(key.accountId), "account of a hold");

    const { cost, source } = bounded(end, open.hold);
    key.held -= open.hold;
    key.open -= 1;
    key.spent += cost;
    const real = end.usage.input + end.usage.cacheRead + end.usage.output;
    key.tokenArrivalNs = correctTokens(key, { guessed: open.inputTokensGuessed, real });
    account.held -= open.hold;
    account.balance -= cost;
    touch(key, account);
    if (cost > 0n) writes.lines.push({ accountId: account.id, amount: -cost, usageId: end.id });
    writes.updates.push({ ...end, cost, source, pocket: cost > 0n ? "balance" : null });
  }

  function touch(key: ApiKey, account: Account): void {
    writes.dirtyKeys.add(key);
    writes.dirtyAccounts.add(account);
  }

  return { admit, resolve, checkpoint: (point: Checkpoint) => void writes.checkpoints.push(point), writes };
}

/** No upstream, however hostile, makes a request cost more than was held for it. */
function bounded(end: Resolution, hold: Nanos): { cost: Nanos; source: UsageSource | null } {
  if (end.state === "voided") return { cost: 0n, source: end.source };
  if (end.cost < 0n) return { cost: 0n, source: "clamped" };
  return end.cost > hold ? { cost: hold, source: "clamped" } : { cost: end.cost, source: end.source };
}

function demand<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the ${what} is missing`);
  return value;
}
