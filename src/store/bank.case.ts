import { type Id, idMaker } from "../domain/ids.ts";
import { type Limits, NO_LIMITS } from "../domain/limits.ts";
import type { Period } from "../domain/spend-window.ts";
import { NO_USAGE } from "../domain/usage.ts";
import { addAccount } from "./accounts.ts";
import { applySpec } from "./apply.ts";
import { tester } from "./audit-test-rig.ts";
import type { Answer, Command } from "./command.ts";
import { createKey } from "./keys.ts";
import type { AdmissionRequest, Settlement } from "./store.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";
import { verifyLedger } from "./verify.ts";

/** The ledger on a real database, as a bank would read it. Amounts are nano-dollars unless said otherwise. */

export const time = { nowMs: 1_800_000_000_000 };
let chance = 0;
export const newId = idMaker({
  nowMs: () => time.nowMs,
  randomBytes: count => new Uint8Array(count).fill(chance++ % 256),
});

/** One gateway process at the database. */
export type Teller = {
  run: (commands: readonly Command[], onDecided: (answers: Answer[]) => void) => Promise<void>;
  recover: (gone: Id<"boot">) => Promise<number>;
};

/** A database that the bank's books are in. */
export type Books = {
  teller: (bootId: Id<"boot">) => Teller;
  job: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

export type Plan = { name: string; groups: readonly string[]; quota: bigint; window: Period };

export class Bank {
  readonly books: Books;
  bootId = newId("boot");
  teller: Teller;

  constructor(books: Books) {
    this.books = books;
    this.teller = books.teller(this.bootId);
  }

  /** Three groups: paid by balance, by subscription, and by subscription first; one model for all. */
  async open(plans: readonly Plan[] = []): Promise<this> {
    const group = {
      enabled: true,
      multiplier: 10_000,
      models: ["m"],
      limits: NO_LIMITS,
      description: null,
      accounts: null,
    } as const;
    const none = { inputPicos: 0n, cacheReadPicos: 0n, cacheWrite5mPicos: 0n, cacheWrite1hPicos: 0n };
    const price = { id: newId("prc"), ...none, outputPicos: 1000n, requestPicos: 0n, tiers: [] };
    const model = { id: newId("mdl"), name: "m", contextTokens: null, outputTokensMax: null, price };
    await this.books.job(tx =>
      applySpec(tx, {
        upstreams: [],
        models: [model],
        groups: [
          { ...group, id: newId("grp"), name: "default", billing: "balance" },
          { ...group, id: newId("grp"), name: "subscribed", billing: "subscription" },
          { ...group, id: newId("grp"), name: "first", billing: "subscription-first" },
        ],
        plans: plans.map(plan => ({ ...plan, id: newId("pln") })),
        accounts: [],
        keys: [],
        by: tester(time.nowMs),
        dryRun: false,
      }),
    );
    return this;
  }

  async account(email: string, balance: bigint): Promise<void> {
    const made = { id: newId("acc"), ledgerId: newId("led"), role: "holder" } as const;
    await this.books.job(tx =>
      addAccount(tx, { ...made, by: tester(time.nowMs), email, openingBalance: balance }),
    );
  }

  async subscribe(email: string, plan: string, untilMs: number | null = null): Promise<Id<"sub">> {
    const id = newId("sub");
    await this.books.job(async tx => {
      await tx.run(
        `insert into subscriptions (id, account_id, plan_id, until_ms)
          select ?, accounts.id, plans.id, ? from accounts, plans where accounts.email = ? and plans.name = ?`,
        ...[id, untilMs, email, plan],
      );
      await tx.run("update revision set revision = revision + 1");
    });
    return id;
  }

  async key(email: string, name: string, options: Partial<KeyOptions> = {}): Promise<Id<"key">> {
    const id = newId("key");
    const none = { ...NO_LIMITS, quota: null, expiresAtMs: null, group: "default" };
    const secret = { hash: `hash of ${name}`, preview: name, sealed: null };
    const made = { ...none, ...options, ...secret, id, email, name, by: tester(time.nowMs) };
    await this.books.job(tx => createKey(tx, made));
    return id;
  }

  async run(...commands: Command[]): Promise<Answer[]> {
    let answers: Answer[] = [];
    await this.teller.run(commands, made => {
      answers = made;
    });
    return answers;
  }

  /** What one command is answered: admitted, or the reason; for an extension, the tokens that are held. */
  async ask(...commands: Command[]): Promise<string[]> {
    return (await this.run(...commands)).map(reason);
  }

  /** The process is killed and another takes its place. */
  async restart(): Promise<number> {
    const gone = this.bootId;
    this.bootId = newId("boot");
    this.teller = this.books.teller(this.bootId);
    return this.teller.recover(gone);
  }

  rows(sql: string, ...params: SqlValue[]): Promise<SqlRow[]> {
    return this.books.job(tx => tx.all(sql, ...params));
  }

  async one(sql: string, ...params: SqlValue[]): Promise<SqlRow> {
    const [row] = await this.rows(sql, ...params);
    if (row === undefined) throw new Error(`no row: ${sql}`);
    return row;
  }

  async balance(email: string): Promise<{ balance: bigint; held: bigint }> {
    const row = await this.one("select balance, held from accounts where email = ?", email);
    return { balance: BigInt(row["balance"] as bigint), held: BigInt(row["held"] as bigint) };
  }

  /** What is spent and held in a window; nothing where there is none. */
  async window(ownerId: string, period: Period): Promise<{ spent: bigint; held: bigint }> {
    const sql = "select spent, held from windows where owner_id = ? and period = ?";
    const [row] = await this.rows(sql, ownerId, period);
    return { spent: BigInt((row?.["spent"] ?? 0n) as bigint), held: BigInt((row?.["held"] ?? 0n) as bigint) };
  }

  findings(): Promise<unknown[]> {
    return this.books.job(tx => verifyLedger(tx, {}));
  }
}

/** A new database costs more than all that happens in it, so a test that wants many clears one instead. */
export async function clear(tx: Tx): Promise<void> {
  const tables = [
    "usage",
    "usage_sums",
    "usage_series",
    "usage_rolled",
    "usage_removed",
    "usage_removed_windows",
    "ledger",
    "windows",
    "codes",
    "keys",
    "subscriptions",
    "plans",
    "accounts",
    "groups",
  ];
  for (const table of tables) await tx.run(`delete from ${table}`);
  // The days stay: a store that is open over all of it writes down each of them once.
  await tx.run("update usage_days set is_rolled = 0");
  await tx.run("delete from house where name = 'usage kept from'");
  await tx.run("update revision set revision = revision + 1");
}

type KeyOptions = Limits & { quota: bigint; expiresAtMs: number; group: string };

export type Asked = { command: Command; id: Id<"req"> };

/** A request whose hold is exactly `nanos`. */
export function ask(keyName: string, nanos: bigint): Asked {
  return asking(keyName, { basePicos: nanos * 1000n, outputPicos: 0n, outputTokens: 1, heldTokens: 1 });
}

/** A stream: an output token costs one nano-dollar, `first` are held for at the beginning. */
export function askStream(keyName: string, tokens: { first: number; asked: number }): Asked {
  const quote = { basePicos: 0n, outputPicos: 1000n, outputTokens: tokens.asked, heldTokens: tokens.first };
  return asking(keyName, quote);
}

type Quoted = {
  basePicos: bigint;
  outputPicos: bigint;
  outputTokens: number;
  heldTokens: number;
  choices?: number;
  inputTokens?: number;
};

export function asking(keyName: string, { inputTokens = 10, ...quoted }: Quoted): Asked {
  const id = newId("req");
  const request: AdmissionRequest = {
    id,
    keyHash: `hash of ${keyName}`,
    startedAtMs: time.nowMs,
    dialect: "chat",
    stream: false,
    tool: "test",
    address: "127.0.0.1",
    ask: {
      model: "m",
      problem: null,
      quote: { priceId: newId("prc"), choices: 1, ...quoted },
      inputTokens,
    },
  };
  return { command: { do: "admit", request }, id };
}

export function extend(id: Id<"req">, outputTokens: number): Command {
  return extendAt(id, { basePicos: 0n, outputPicos: 1000n, outputTokens });
}

export function extendAt(
  id: Id<"req">,
  { outputTokens, ...quote }: Pick<Quoted, "basePicos" | "outputPicos" | "outputTokens">,
): Command {
  return { do: "extend", extension: { id, quote, outputTokens } };
}

export function settle(id: Id<"req">, cost: bigint, ending: Partial<Settlement> = {}): Command {
  const usage = { ...NO_USAGE, input: 10, output: 5 };
  const end = { state: "settled", status: 200, reason: null, upstream: "u", firstByteMs: 1 } as const;
  const settlement = {
    ...end,
    id,
    usage,
    cost,
    bound: 0n,
    source: "reported",
    durationMs: 2,
    ...ending,
  } as const;
  return { do: "settle", settlement };
}

export const voided = (id: Id<"req">) => settle(id, 0n, { state: "voided" });

export function checkpoint(id: Id<"req">, cost: bigint): Command {
  return { do: "checkpoint", checkpoint: { id, usage: { ...NO_USAGE, input: 10, output: 3 }, cost } };
}

export function reason(answer: Answer | undefined): string {
  if (answer === undefined) return "nothing";
  if (!("admitted" in answer)) return `${answer.heldTokens} ${answer.refusal?.reason ?? "held"}`;
  return answer.admitted ? "admitted" : answer.refusal.reason;
}
