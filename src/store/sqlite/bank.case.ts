import type { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Id, idMaker } from "../../domain/ids.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import { addAccount } from "../accounts.ts";
import { applySpec } from "../apply.ts";
import { createKey } from "../keys.ts";
import type { Admission, AdmissionRequest, Settlement } from "../store.ts";
import type { SqlRow, SqlValue } from "../tx.ts";
import { verifyLedger } from "../verify.ts";
import { Batcher } from "./batch.ts";
import { migrate, openDatabase, transactionOf } from "./database.ts";
import type { Command } from "./wire.ts";

/** The ledger on the real database, as a bank would read it. Amounts are nano-dollars unless said otherwise. */

const folder = mkdtempSync(join(tmpdir(), "wicketgate-ledger-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

let files = 0;
export const time = { nowMs: 1_800_000_000_000 };
let chance = 0;
export const newId = idMaker({
  nowMs: () => time.nowMs,
  randomBytes: count => new Uint8Array(count).fill(chance++ % 256),
});

export class Bank {
  readonly db: Database;
  readonly tx;
  bootId = newId("boot");
  batcher: Batcher;

  constructor() {
    this.db = openDatabase(join(folder, `${files++}.db`), false);
    this.db.run("pragma synchronous = off");
    migrate(this.db);
    this.tx = transactionOf(this.db);
    this.batcher = new Batcher(this.db, { bootId: this.bootId, nowMs: () => time.nowMs });
  }

  async open(): Promise<this> {
    const group = {
      name: "default",
      enabled: true,
      multiplier: 10_000,
      models: ["m"],
      billing: "balance",
    } as const;
    const price = {
      id: newId("prc"),
      inputPicos: 0n,
      cacheReadPicos: 0n,
      cacheWrite5mPicos: 0n,
      cacheWrite1hPicos: 0n,
    };
    await applySpec(this.tx, {
      upstreams: [],
      models: [
        {
          id: newId("mdl"),
          name: "m",
          contextTokens: null,
          outputTokensMax: null,
          price: { ...price, outputPicos: 1000n, requestPicos: 0n },
        },
      ],
      groups: [{ id: newId("grp"), ...group }],
      plans: [],
      accounts: [],
      keys: [],
      actor: "test",
      nowMs: time.nowMs,
      dryRun: false,
    });
    return this;
  }

  async account(email: string, balance: bigint): Promise<void> {
    const made = {
      id: newId("acc"),
      ledgerId: newId("led"),
      role: "holder",
      actor: "test",
      nowMs: time.nowMs,
    } as const;
    await addAccount(this.tx, { ...made, email, openingBalance: balance });
  }

  async key(email: string, name: string, limits: Partial<KeyOptions> = {}): Promise<Id<"key">> {
    const id = newId("key");
    const none = {
      quota: null,
      requestsPerMinute: null,
      tokensPerMinute: null,
      concurrency: null,
      expiresAtMs: null,
    };
    const secret = { hash: `hash of ${name}`, preview: name, sealed: null };
    await createKey(this.tx, {
      ...none,
      ...limits,
      ...secret,
      id,
      email,
      name,
      group: "default",
      nowMs: time.nowMs,
    });
    return id;
  }

  run(...commands: Command[]): Admission[] {
    let decided: Admission[] = [];
    this.batcher.run(commands, made => {
      decided = made;
    });
    return decided;
  }

  /** The process is killed and another takes its place. */
  restart(): number {
    const gone = this.bootId;
    this.bootId = newId("boot");
    this.batcher = new Batcher(this.db, { bootId: this.bootId, nowMs: () => time.nowMs });
    return this.batcher.recover(gone);
  }

  one(sql: string, ...params: SqlValue[]): SqlRow {
    const row = this.db.query<SqlRow, SqlValue[]>(sql).get(...params);
    if (row === null) throw new Error(`no row: ${sql}`);
    return row;
  }

  balance(email: string): { balance: bigint; held: bigint } {
    const row = this.one("select balance, held from accounts where email = ?", email);
    return { balance: BigInt(row["balance"] as bigint), held: BigInt(row["held"] as bigint) };
  }

  findings(): Promise<unknown[]> {
    return verifyLedger(this.tx, {});
  }
}

type KeyOptions = {
  quota: bigint;
  requestsPerMinute: number;
  tokensPerMinute: number;
  concurrency: number;
  expiresAtMs: number;
};

/** A request whose hold is exactly `nanos`. */
export function ask(keyName: string, nanos: bigint): { command: Command; id: Id<"req"> } {
  const id = newId("req");
  const quote = {
    priceId: newId("prc"),
    basePicos: nanos * 1000n,
    outputPicos: 0n,
    outputTokens: 1,
    choices: 1,
  };
  const request: AdmissionRequest = {
    id,
    keyHash: `hash of ${keyName}`,
    startedAtMs: time.nowMs,
    dialect: "chat",
    stream: false,
    tool: "test",
    address: "127.0.0.1",
    ask: { model: "m", problem: null, quote, inputTokens: 10 },
  };
  return { command: { do: "admit", request }, id };
}

export function settle(id: Id<"req">, cost: bigint, state: Settlement["state"] = "settled"): Command {
  const usage = { ...NO_USAGE, input: 10, output: 5 };
  const end = { id, state, status: 200, reason: null, upstream: "u", firstByteMs: 1, durationMs: 2 };
  return { do: "settle", settlement: { ...end, usage, cost, source: "reported" } };
}

export const reason = (admission: Admission | undefined) =>
  admission === undefined ? "nothing" : admission.admitted ? "admitted" : admission.refusal.reason;
