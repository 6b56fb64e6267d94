import type { Ask, Quote, Rate } from "../domain/decide.ts";
import type { Reason, Refusal } from "../domain/errors.ts";
import type { Id } from "../domain/ids.ts";
import type { BasisPoints, Nanos } from "../domain/money.ts";
import type { Operation, Usage, UsageSource } from "../domain/usage.ts";
import type { Jobs } from "./jobs.ts";
import type { Reports } from "./reports.ts";

/** A request at the gate. The key is known by its hash alone. */
export type AdmissionRequest = {
  id: Id<"req">;
  keyHash: string;
  startedAtMs: number;
  dialect: Operation;
  stream: boolean;
  /** The client's user agent, and where it called from. */
  tool: string;
  address: string;
  ask: Ask;
};

export type Admitted = {
  admitted: true;
  keyId: Id<"key">;
  multiplier: BasisPoints;
  /** At most what was asked; less where no pocket affords it. */
  outputTokens: number;
  /** What of it is held for; a stream asks for more while it runs. */
  heldTokens: number;
  /** What lowered the output. */
  loweredBy: Reason | null;
  rates: readonly Rate[];
  /** The stream ends when the key does. */
  expiresAtMs: number | null;
};

/**
 * `recorded` is false where the key is not known, so that there is nobody to record it for; and where the database
 * could not decide, with why.
 */
export type Refused = { admitted: false; refusal: Refusal; recorded: boolean; failure?: string };

export type Admission = Admitted | Refused;

/** How an admitted request ended; applied once, to a row that is open. */
export type Settlement = {
  id: Id<"req">;
  /** `voided`: nothing was delivered, nothing is charged. */
  state: "settled" | "voided";
  status: number;
  reason: string | null;
  upstream: string | null;
  usage: Usage;
  cost: Nanos;
  /** What it may cost by what was granted, whatever the upstream says; more than is held is taken if it is there. */
  bound: Nanos;
  source: UsageSource | null;
  firstByteMs: number | null;
  durationMs: number;
  /** Those that failed before, as JSON; absent where there were none. */
  attempts?: string;
  /** What the upstream asks of us for it; absent where it is as much as the cost. */
  ourCost?: Nanos;
};

/** What a running stream has delivered so far, so that a crash does not give it away. */
export type Checkpoint = { id: Id<"req">; usage: Usage; cost: Nanos };

/** A running stream that wants to go on beyond what is held for it. */
export type ExtensionRequest = {
  id: Id<"req">;
  quote: Pick<Quote, "basePicos" | "outputPicos">;
  /** For how many output tokens it should be held, over all. */
  outputTokens: number;
};

/** For how many tokens it is held now; the refusal says which pocket does not give all that was asked. */
export type Extension = { heldTokens: number; refusal: Refusal | null };

/** The decision comes as soon as the statement has run; a hold is durable when it is on the disk. */
export type PendingAdmission = {
  /** On the clock of `performance.now()`. */
  askedTick: number;
  /** Never rejects: that the database is away is a refusal, too. */
  decided: Promise<Admission>;
  /** Null where it is durable already; rejects where it will never be. */
  durable: () => Promise<void> | null;
};

/**
 * The database as the rest of the house sees it. SQLite answers from worker threads; another database is another
 * implementation of this type.
 */
export type Store = {
  admit: (request: AdmissionRequest) => PendingAdmission;
  /** Hands over; never waits. What fails is tried again by the store and, at worst, resolved at the next start. */
  settle: (settlement: Settlement) => void;
  checkpoint: (checkpoint: Checkpoint) => void;
  /** Rejects where the database is away. */
  extend: (request: ExtensionRequest) => Promise<Extension>;
  /** A control-plane change or exact read: one transaction. */
  run: <N extends keyof Jobs>(name: N, args: JobArgs<N>) => Promise<JobResult<N>>;
  /** A report: read-only, on its own thread or connection. */
  report: <N extends keyof Reports>(name: N, args: ReportArgs<N>) => Promise<ReportResult<N>>;
  /** Resolves the open holds of processes that are no more, at what they had delivered; gives their number. */
  recover: (bootIds: readonly Id<"boot">[]) => Promise<number>;
  /** Resolves when everything handed over so far is on the disk. */
  flushed: () => Promise<void>;
  close: () => Promise<void>;
};

export type JobArgs<N extends keyof Jobs> = Parameters<Jobs[N]>[1];
export type JobResult<N extends keyof Jobs> = Awaited<ReturnType<Jobs[N]>>;
export type ReportArgs<N extends keyof Reports> = Parameters<Reports[N]>[1];
export type ReportResult<N extends keyof Reports> = Awaited<ReturnType<Reports[N]>>;

/** The database did not take what it was given. */
export class StoreFailure extends Error {
  override readonly name = "StoreFailure";
}

/** A change that cannot be made, said in a sentence for whoever asked for it. */
export class StoreProblem extends Error {
  override readonly name = "StoreProblem";
  /** Which field of what was given is at fault, where it is one. */
  readonly field: string | null;

  constructor(message: string, options: ErrorOptions & { field?: string | null } = {}) {
    super(message, options);
    this.field = options.field ?? null;
  }
}
