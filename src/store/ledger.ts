import type { Account } from "../domain/account.ts";
import type { ApiKey } from "../domain/api-key.ts";
import { affordable, costOf, decide } from "../domain/decide.ts";
import { type Refusal, refusal } from "../domain/errors.ts";
import type { Group } from "../domain/group.ts";
import type { Id } from "../domain/ids.ts";
import { withDefaults } from "../domain/limits.ts";
import { type BasisPoints, NANOS_PER_USD, type Nanos } from "../domain/money.ts";
import type { Subscription } from "../domain/plan.ts";
import type { Pocket, PocketRows } from "../domain/pocket.ts";
import { correctTokens, tokenMeter } from "../domain/rate.ts";
import type { CountedWindow, SpendWindow } from "../domain/spend-window.ts";
import { NO_USAGE, type UsageSource, type UsageState } from "../domain/usage.ts";
import { BALANCE_NANOS_MAX } from "./accounts.ts";
import type { Answer, Command } from "./command.ts";
import { HoldMover } from "./hold.ts";
import type {
  Admission,
  AdmissionRequest,
  Checkpoint,
  Extension,
  ExtensionRequest,
  Settlement,
} from "./store.ts";
import { SumBook } from "./usage-sums.ts";

/** An open usage row, as settlement needs it. */
export type OpenHold = {
  id: Id<"req">;
  keyId: Id<"key">;
  hold: Nanos;
  multiplier: BasisPoints;
  pocket: Pocket;
  windows: readonly CountedWindow[];
  inputTokensGuessed: number;
  model: string;
  /** The client's user agent. */
  tool: string;
};

/** A string that its key had before, and until when it still works. */
export type ReplacedString = { key: ApiKey; untilMs: number };

/** What a batch reads before it decides; one copy of each row, however many requests share it. */
export type LedgerRows = {
  keysByHash: Map<string, ApiKey>;
  /** Those that were asked for by a string that has been replaced, by its hash. */
  replaced: Map<string, ReplacedString>;
  keys: Map<Id<"key">, ApiKey>;
  accounts: Map<Id<"acc">, Account>;
  groups: ReadonlyMap<Id<"grp">, Group>;
  /** Only of accounts whose requests they may pay for. */
  subscriptions: ReadonlyMap<Id<"acc">, readonly Subscription[]>;
  windows: Map<string, SpendWindow>;
  holds: Map<Id<"req">, OpenHold>;
};

export type UsageInsert = {
  request: AdmissionRequest;
  key: ApiKey;
  state: UsageState;
  hold: OpenHold | null;
  outputTokens: number | null;
  reason: string | null;
  status: number | null;
  /** Of a refusal, what fills its sentence. */
  particulars: string | null;
  /** Null while it is open. */
  series: bigint | null;
};

/** How a row ends, with what it costs in the end. */
export type UsageUpdate = {
  end: Resolution;
  cost: Nanos;
  /** What the upstream asks of us for it. */
  ourCost: Nanos;
  source: UsageSource | null;
  pocket: Pocket | null;
  series: bigint;
};

export type LedgerLine = { accountId: Id<"acc">; amount: Nanos; usageId: Id<"req">; pocket: Pocket };

/** What a batch writes. */
export type LedgerWrites = {
  inserts: UsageInsert[];
  updates: UsageUpdate[];
  checkpoints: Checkpoint[];
  lines: LedgerLine[];
  extended: Set<OpenHold>;
  dirtyKeys: Set<ApiKey>;
  dirtyAccounts: Set<Account>;
  dirtyWindows: Set<SpendWindow>;
  /** A row is counted exactly where it ends: in the same transaction, and where the row itself changes. */
  sums: SumBook;
};

export type Resolution = Omit<Settlement, "state" | "status" | "durationMs"> & {
  state: "settled" | "voided" | "interrupted";
  status: number | null;
  durationMs: number | null;
};

const NO_SUBSCRIPTIONS: readonly Subscription[] = [];
const NO_WINDOWS: readonly CountedWindow[] = [];

export type LedgerOptions = { nowMs: number; statusOf: (reason: string) => number };

/**
 * The only code that moves money. It works on the rows of one transaction in memory: the database reads them before
 * and writes them after, in batches, so that one statement of it serves SQLite and PostgreSQL alike.
 */
export class Ledger {
  readonly writes: LedgerWrites = {
    inserts: [],
    updates: [],
    checkpoints: [],
    lines: [],
    extended: new Set(),
    dirtyKeys: new Set(),
    dirtyAccounts: new Set(),
    dirtyWindows: new Set(),
    sums: new SumBook(),
  };

  constructor(
    readonly rows: LedgerRows,
    readonly options: LedgerOptions,
  ) {}

  /** All of a batch, in its order; admissions and extensions have an answer each. */
  run(commands: readonly Command[]): Answer[] {
    const answers: Answer[] = [];
    for (const command of commands) {
      if (command.do === "admit") answers.push(this.admit(command.request));
      else if (command.do === "settle") this.resolve(command.settlement);
      else if (command.do === "checkpoint") this.writes.checkpoints.push(withinSense(command.checkpoint));
      else answers.push(this.extend(command.extension));
    }
    return answers;
  }

  admit(request: AdmissionRequest): Admission {
    const owners = this.#ownersOfString(request.keyHash);
    if (owners === null) return { admitted: false, refusal: refusal("key_unknown"), recorded: false };
    const { key } = owners;
    const decision = decide(owners, request.ask, this.options.nowMs);
    if (!decision.admitted) {
      this.#refuse(request, key, decision.refusal);
      return { admitted: false, refusal: decision.refusal, recorded: true };
    }
    const { outputTokens, heldTokens, loweredBy, multiplier, rates, pocket } = decision;
    const { account } = owners;
    for (const { meters, next } of decision.arrivals) Object.assign(meters, next);
    key.open += 1;
    account.open += 1;
    const hold: OpenHold = {
      id: request.id,
      keyId: key.id,
      hold: decision.hold,
      multiplier,
      pocket,
      windows: NO_WINDOWS,
      inputTokensGuessed: request.ask.inputTokens,
      model: request.ask.model,
      tool: request.tool,
    };
    this.#mover(owners).begin(hold, decision);
    this.writes.inserts.push({
      request,
      key,
      hold,
      outputTokens,
      particulars: null,
      series: null,
      state: "open",
      reason: null,
      status: null,
    });
    const { id: keyId, expiresAtMs } = key;
    return { admitted: true, keyId, multiplier, outputTokens, heldTokens, loweredBy, rates, expiresAtMs };
  }

  /** Grows a hold to what is asked, or as far as the pockets go. */
  extend({ id, quote, outputTokens }: ExtensionRequest): Extension {
    const open = this.rows.holds.get(id);
    if (open === undefined) return { heldTokens: 0, refusal: refusal("store_unavailable") };
    const { multiplier } = open;
    const mover = this.#mover(this.#ownersOf(this.#keyOf(open)));
    const room = mover.roomFor(open, costOf(quote, outputTokens, multiplier));
    const heldTokens = affordable({ ...quote, outputTokens }, multiplier, room.most);
    const amount = heldTokens < 0 ? 0n : costOf(quote, heldTokens, multiplier);
    if (amount > open.hold) mover.grow(open, amount, room);
    return { heldTokens, refusal: room.refusal };
  }

  /** Resolves a hold. A row that is open no longer is left as it stands: every hold is resolved once. */
  resolve(end: Resolution): void {
    const open = this.rows.holds.get(end.id);
    if (open === undefined) return;
    this.rows.holds.delete(end.id);
    const key = this.#keyOf(open);
    const owners = this.#ownersOf(key);
    const { account, group } = owners;
    const mover = this.#mover(owners);
    const { cost, source } = charge(end, open, mover);
    const ourCost = askedOfUs(end, cost);

    mover.end(open, cost);
    key.open -= 1;
    account.open -= 1;
    const real = end.usage.input + end.usage.cacheRead + end.usage.output;
    const counted = { guessed: open.inputTokensGuessed, real };
    const { tokensPerMinute } = withDefaults(key, group.limits);
    const { nowMs } = this.options;
    key.tokenArrivalNs = correctTokens(tokenMeter(key, tokensPerMinute, 0), counted, nowMs);
    account.tokenArrivalNs = correctTokens(tokenMeter(account, account.tokensPerMinute, 0), counted, nowMs);
    const { pocket, model, tool } = open;
    const accountId = account.id;
    if (cost > 0n) this.writes.lines.push({ accountId, amount: -cost, usageId: end.id, pocket });
    const { id, state, reason, usage, upstream } = end;
    const series = this.writes.sums.add({
      id,
      accountId,
      keyId: key.id,
      model,
      tool,
      upstream,
      state,
      reason,
      usage,
      cost,
      ourCost,
    });
    this.writes.updates.push({ end, cost, ourCost, source, pocket: cost > 0n ? pocket : null, series });
  }

  #refuse(request: AdmissionRequest, key: ApiKey, refused: Refusal): void {
    const { reason } = refused;
    const status = this.options.statusOf(reason);
    const row = { request, key, hold: null, outputTokens: null, particulars: particularsOf(refused) };
    const { id, tool, ask } = request;
    const whose = { accountId: key.accountId, keyId: key.id, model: ask.model, tool };
    const free = { usage: NO_USAGE, cost: 0n, ourCost: 0n };
    const ended = { id, upstream: null, state: "refused", reason, ...free } as const;
    const series = this.writes.sums.add({ ...whose, ...ended });
    this.writes.inserts.push({ ...row, state: "refused", reason, status, series });
  }

  #keyOf({ keyId }: OpenHold): ApiKey {
    return demand(this.rows.keys.get(keyId), "key of a hold");
  }

  #ownersOfString(hash: string): PocketRows | null {
    const key = this.rows.keysByHash.get(hash);
    if (key !== undefined) return this.#ownersOf(key);
    const replaced = this.rows.replaced.get(hash);
    if (replaced === undefined) return null;
    return { ...this.#ownersOf(replaced.key), stringUntilMs: replaced.untilMs };
  }

  #ownersOf(key: ApiKey): PocketRows {
    const account = demand(this.rows.accounts.get(key.accountId), "account of a key");
    const group = demand(this.rows.groups.get(key.groupId), "group of a key");
    const subscriptions = this.rows.subscriptions.get(account.id) ?? NO_SUBSCRIPTIONS;
    return { key, account, group, subscriptions, windows: this.rows.windows };
  }

  #mover(owners: PocketRows): HoldMover {
    return new HoldMover(owners, this.rows.windows, this.writes, this.options.nowMs);
  }
}

/** No upstream, however hostile, makes a request cost more than was granted, or than its pocket has. */
function charge(
  end: Resolution,
  open: OpenHold,
  mover: HoldMover,
): { cost: Nanos; source: UsageSource | null } {
  if (end.state === "voided") return { cost: 0n, source: end.source };
  if (end.cost < 0n) return { cost: 0n, source: "clamped" };
  const most = end.bound > open.hold ? end.bound : open.hold;
  const cost = end.cost > most ? most : end.cost;
  if (cost > open.hold) {
    const room = mover.roomFor(open, cost);
    if (room.most > open.hold) mover.grow(open, room.most, room);
  }
  const paid = cost > open.hold ? open.hold : cost;
  return { cost: paid, source: paid === end.cost ? end.source : "clamped" };
}

/** No request asks more of us; sums of it have to fit into 64 bits, whatever an upstream claims. */
const OUR_COST_MAX: Nanos = 100_000n * NANOS_PER_USD;

/** Where what an upstream claims is not believed, it is believed as far as it was charged. */
function askedOfUs(end: Resolution, cost: Nanos): Nanos {
  const asked = end.ourCost ?? end.cost;
  if (end.state === "voided" || asked <= 0n) return 0n;
  const believed = cost < end.cost ? (asked * cost) / end.cost : asked;
  return believed > OUR_COST_MAX ? OUR_COST_MAX : believed;
}

const PARTICULARS_CHARACTERS_MAX = 2_000;

function particularsOf({ params }: Refusal): string | null {
  const text = JSON.stringify(params);
  return text === "{}" || text.length > PARTICULARS_CHARACTERS_MAX ? null : text;
}

/** What it shows is never charged beyond the hold; it only has to fit into a column of the database. */
function withinSense(checkpoint: Checkpoint): Checkpoint {
  const { cost } = checkpoint;
  if (cost >= 0n && cost <= BALANCE_NANOS_MAX) return checkpoint;
  return { ...checkpoint, cost: cost < 0n ? 0n : BALANCE_NANOS_MAX };
}

function demand<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the ${what} is missing`);
  return value;
}
