import type { Id } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { TryOutcome } from "../domain/notice.ts";
import type { By } from "../store/audit.ts";
import type { ClaimedDelivery, Look } from "../store/deliveries.ts";
import type { TriedDelivery } from "../store/deliveries-note.ts";
import { byOf, type Control } from "./control.ts";
import { retryAt } from "./deliver-retries.ts";
import { sweepAlerts } from "./notices-sweep.ts";

/** How a try has ended. `problem` is a sentence for the operator; `isFinal`: another try would end the same. */
export type Outcome = {
  ok: boolean;
  status: number | null;
  problem: string | null;
  isFinal?: boolean;
  /** For how long the receiver asks to be left alone. */
  restMs?: number | null;
};

/** Brings one thing to where it belongs. It never rejects. */
export type Bring = (row: ClaimedDelivery) => Promise<Outcome>;

export type Deliveries = {
  control: Pick<Control, "store" | "nowMs" | "secrets">;
  bootId: Id<"boot">;
  log: Log;
  random: () => number;
  webhook: Bring;
  /** Null while no mail can be sent. */
  mail: () => Bring | null;
  /** Each try, for who counts them. */
  onTried: (to: "webhook" | "mail", outcome: TryOutcome) => void;
  /** For tests. */
  everyMs?: number;
};

export type Deliverer = { stop: () => Promise<void> };

const EVERY_MS = 1_000;
/** At one receiver at a time, from this process. */
const EACH_MAX = 4;
/** Longer than any try takes. */
export const CLAIM_MS = 30_000;
/** When it stops. */
const SENDING_MS_MAX = 2_000;
const DATABASE_MS_MAX = 500;
const SWEEP_MS = 5_000;
const TIDY_MS = 60_000;
const TIDY_ROWS = 500;
const WAITING_MAX = 10_000;
const NO_MAIL = "E-mail is not set up: enter an SMTP server in the settings.";

/** Looks every second for what is due, takes some of it, and brings it: each is brought by one instance. */
export function startDeliveries(deliveries: Deliveries): Deliverer {
  return new Running(deliveries);
}

class Running implements Deliverer {
  readonly #with: Deliveries;
  readonly #by: () => By;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #busy = new Map<string, number>();
  readonly #sending = new Set<Promise<void>>();
  #tried: TriedDelivery[] = [];
  #isNoting = false;
  #isTaking = false;
  #isStopped = false;
  #isFailing = false;
  #tickingNow: Promise<void> | null = null;
  #sweepingNow: Promise<void> | null = null;
  #sweptAtMs = Number.NEGATIVE_INFINITY;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deliveries: Deliveries) {
    // What it changes, such as a webhook that it switches off, nobody has asked for.
    const house = { actor: "deliveries", through: "house", address: null } as const;
    this.#by = () => byOf({ ...deliveries.control, ...house });
    this.#with = deliveries;
    this.#timer = setInterval(() => this.#tick(), deliveries.everyMs ?? EVERY_MS);
    this.#timer.unref();
  }

  /** What runs may end; a receiver or a database that does not answer holds nothing up, since a claim ends by itself. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await within(DATABASE_MS_MAX, Promise.all([this.#tickingNow, this.#sweepingNow]));
    const wasSending = this.#sending.size > 0;
    await within(SENDING_MS_MAX, Promise.all(this.#sending));
    await within(
      DATABASE_MS_MAX,
      this.#guarded(() => this.#leave(wasSending)),
    );
  }

  async #leave(wasSending: boolean): Promise<void> {
    await this.#note();
    const { control, bootId } = this.#with;
    if (wasSending) await control.store.run("deliveries.release", { by: bootId });
  }

  #tick(): void {
    if (this.#tickingNow !== null || this.#isStopped) return;
    this.#tickingNow = this.#guarded(() => this.#look()).finally(() => {
      this.#tickingNow = null;
    });
  }

  async #look(): Promise<void> {
    const { store, nowMs } = this.#with.control;
    await this.#note();
    const look = await store.run("outbox.look", { nowMs: nowMs() });
    if (look.isDue) await this.#take();
    this.#sweep(look);
    if ((look.isOld || look.isDue) && nowMs() - this.#tidiedAtMs >= TIDY_MS) await this.#tidy();
  }

  /** The database may be away; what is due then is due later. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#isFailing = false;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!this.#isFailing) this.#with.log("warn", "deliveries.waiting", { why });
      this.#isFailing = true;
    }
  }

  /** Takes what it has hands for. */
  async #take(): Promise<void> {
    if (this.#isTaking || this.#isStopped) return;
    this.#isTaking = true;
    try {
      const { control, bootId } = this.#with;
      const { store } = control;
      const nowMs = control.nowMs();
      const asked = { nowMs, each: EACH_MAX, busy: [...this.#busy] };
      const ids = await store.report("deliveries.due", asked);
      if (ids.length === 0 || this.#isStopped) return;
      const claim = { by: bootId, nowMs, untilMs: nowMs + CLAIM_MS };
      for (const row of await store.run("deliveries.claim", { ids, claim })) this.#send(row);
    } finally {
      this.#isTaking = false;
    }
  }

  #send(row: ClaimedDelivery): void {
    const receiver = row.webhookId ?? "";
    this.#busy.set(receiver, (this.#busy.get(receiver) ?? 0) + 1);
    const sending = this.#bring(row)
      .then(outcome => {
        const { control, random, onTried } = this.#with;
        const tried = triedOf(row, outcome, { nowMs: control.nowMs(), random });
        this.#tried.push(tried);
        const ended = tried.nextAtMs === null ? "given_up" : "failed";
        onTried(row.webhookId === null ? "mail" : "webhook", tried.ok ? "delivered" : ended);
        const left = (this.#busy.get(receiver) ?? 1) - 1;
        if (left > 0) this.#busy.set(receiver, left);
        else this.#busy.delete(receiver);
        return this.#guarded(async () => {
          await this.#note();
          await this.#take();
        });
      })
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #bring(row: ClaimedDelivery): Promise<Outcome> {
    const bring = row.webhookId === null ? this.#with.mail() : this.#with.webhook;
    if (bring === null) return { ok: false, status: null, problem: NO_MAIL, isFinal: true };
    try {
      return await bring(row);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#with.log("error", "deliveries.broken", { id: row.id, why });
      return { ok: false, status: null, problem: "Something went wrong here; the log says what." };
    }
  }

  /** Together with what has ended meanwhile. */
  async #note(): Promise<void> {
    if (this.#isNoting || this.#tried.length === 0) return;
    this.#isNoting = true;
    const tried = this.#tried;
    this.#tried = [];
    const { control, bootId: claimedBy } = this.#with;
    try {
      await control.store.run("deliveries.note", { claimedBy, tried, by: this.#by() });
    } catch (error) {
      this.#tried = [...tried, ...this.#tried];
      throw error;
    } finally {
      this.#isNoting = false;
    }
    await this.#note();
  }

  /** Beside the rest: of many accounts it takes its time. */
  #sweep(look: Look): void {
    const { control, mail } = this.#with;
    const mails = mail() !== null;
    const wants = { balance: look.wantsBalance || mails, spend: look.wantsSpend };
    const nowMs = control.nowMs();
    if (!(wants.balance || wants.spend) || nowMs - this.#sweptAtMs < SWEEP_MS) return;
    if (this.#sweepingNow !== null) return;
    this.#sweptAtMs = nowMs;
    this.#sweepingNow = this.#guarded(async () => {
      if (!(await control.store.run("alerts.claim_sweep", { nowMs, everyMs: SWEEP_MS }))) return;
      await sweepAlerts(control, { wants, mails, isStopped: () => this.#isStopped });
    }).finally(() => {
      this.#sweepingNow = null;
    });
  }

  async #tidy(): Promise<void> {
    const { store, nowMs } = this.#with.control;
    const asked = { nowMs: nowMs(), rowsMax: TIDY_ROWS, waitingMax: WAITING_MAX };
    const found = await store.run("deliveries.tidy", asked);
    // Where there was that much, there is more to do the next time.
    if (found < TIDY_ROWS) this.#tidiedAtMs = nowMs();
  }
}

async function within(msMax: number, work: Promise<unknown>): Promise<void> {
  const enough = Promise.withResolvers<void>();
  const timer = setTimeout(enough.resolve, msMax);
  await Promise.race([work, enough.promise]);
  clearTimeout(timer);
}

type Now = { nowMs: number; random: () => number };

export function triedOf(
  row: Pick<ClaimedDelivery, "id" | "tries">,
  outcome: Outcome,
  now: Now,
): TriedDelivery {
  const { ok, status, problem, isFinal = false, restMs } = outcome;
  const nextAtMs = ok || isFinal ? null : retryAt(row.tries + 1, { ...now, restMs: restMs ?? 0 });
  return { id: row.id, ok, status, problem, nextAtMs };
}
