import type { Upstream } from "../domain/catalogue.ts";
import { costOf } from "../domain/decide.ts";
import { refusal } from "../domain/errors.ts";
import type { Nanos } from "../domain/money.ts";
import { type Attempt, NO_USAGE, type Usage } from "../domain/usage.ts";
import { dataTokensGuess, inputTokensGuess, textTokensGuess } from "../pricing/estimate.ts";
import { cost } from "../pricing/price.ts";
import type { Admitted, PendingAdmission, Settlement } from "../store/store.ts";
import type { Exchange } from "../upstream/answer.ts";
import type { Failure, Place } from "../upstream/health.ts";
import { type Call, elapsedMs } from "./call.ts";
import type { Content, Tokens } from "./count-tokens.ts";
import type { Gate } from "./gate.ts";
import type { Launched } from "./launch.ts";
import type { Passage } from "./passage.ts";
import { NOBODY, type Way } from "./resolve.ts";
import type { RunningRequest, Stop } from "./running.ts";
import type { Upload } from "./upload.ts";

/** How a flight ended. Without a reported usage, what was delivered is counted and marked as an estimate. */
export type FlightEnd = {
  status: number;
  reason: string | null;
  usage: { reported: Usage | null; bad: boolean };
  content: Content;
  /** It goes to the client in one piece, so that its first byte is its last. */
  isWhole?: boolean;
  /** Where it was ended because no more could be held: for how many tokens that was. */
  outputTokensMax?: number;
};

type Resolved = Pick<Settlement, "state" | "status" | "reason" | "source">;

export type FlightParts = {
  call: Call;
  way: Way;
  admitted: Admitted;
  pending?: Pick<PendingAdmission, "durable">;
  /** The body, where it is sent on while it arrives. */
  upload?: Pick<Upload, "isWhole" | "body"> | undefined;
};

const NO_ATTEMPTS: readonly Attempt[] = [];

const NOT_SENT: Launched = {
  exchange: { answer: new Promise(() => undefined), abort: () => undefined },
  passage: {
    tap: () => {
      throw new Error("nothing was sent yet");
    },
    whole: () => null,
    complaint: () => null,
  },
};

/** An admitted request on its way: how it can be stopped, what it may cost, and that it is settled exactly once. */
export class Flight implements RunningRequest {
  readonly call: Call;
  /** To the upstream that is asked at the moment. */
  way: Way;
  readonly admitted: Admitted;
  exchange: Exchange = NOT_SENT.exchange;
  passage: Passage = NOT_SENT.passage;
  seat = -1;
  sentAtMs = 0;
  /** The upstreams that failed before. */
  tried: readonly Upstream[] = NOBODY;
  attempts: readonly Attempt[] = NO_ATTEMPTS;
  readonly upload: Pick<Upload, "isWhole" | "body"> | null;
  /** Set by whoever has more to do than to give the upstream up. */
  onStop: ((stop: Stop) => void) | null = null;
  onTick: ((nowMs: number) => void) | null = null;
  stopped: Stop | null = null;
  readonly #gate: Gate;
  readonly #pending: FlightParts["pending"];
  /** Where the flight has been long enough to listen for a client that leaves. */
  #leave: (() => void) | null = null;
  #at: Place | null = null;
  #firstByteMs: number | null = null;
  #isAsking = false;
  #isAnswering = false;
  /** Set when it ends; its settlement follows, once it is known what was used. */
  #durationMs: number | null = null;

  constructor({ call, way, admitted, pending, upload }: FlightParts, gate: Gate) {
    this.call = call;
    this.way = way;
    this.admitted = admitted;
    this.#gate = gate;
    this.#pending = pending;
    this.upload = upload ?? null;
    call.isAdmitted = true;
    gate.running.add(this);
    gate.retries.request();
  }

  send({ exchange, passage }: Launched): void {
    this.exchange = exchange;
    this.passage = passage;
    this.sentAtMs = elapsedMs(this.call);
    this.#isAsking = true;
    this.#at = null;
    this.#gate.health.begins(this.#place(), this.#nowMs);
  }

  /** The upstream that is asked at the moment has failed. */
  failed(failure: Failure): void {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    const { health, nowMs } = this.#gate;
    const place = this.#place();
    health.ends(place);
    health.failed(place, { failure, nowMs: nowMs() });
  }

  /** The upstream cannot be asked this, so that nothing is learnt about it. */
  unasked(): void {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    const { health, nowMs } = this.#gate;
    const place = this.#place();
    health.ends(place);
    health.unheard(place, nowMs());
  }

  /** Its first good bytes are there: a trial need not wait for the end of a long answer. */
  answers(): void {
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    this.#gate.health.answers(this.#place(), this.#gate.nowMs());
  }

  /** The same for all that is said about one way. */
  #place(): Place {
    this.#at ??= placeOf(this.way);
    return this.#at;
  }

  /** What was sent while it arrived cannot be sent again. */
  get canRepeat(): boolean {
    return this.stopped === null && this.upload === null;
  }

  /** `isTried`: the upstream is not to be asked again, with whichever credential. */
  reroute(way: Way, attempt: Attempt, isTried: boolean): void {
    if (isTried) this.tried = [...this.tried, this.way.upstream];
    this.attempts = [...this.attempts, attempt];
    this.way = way;
    this.onStop = null;
    this.onTick = null;
  }

  durable(): Promise<void> | null {
    return this.#pending?.durable() ?? null;
  }

  /** Whoever left before this is found to have left now. */
  stay(): void {
    if (this.#durationMs !== null) return;
    const { http } = this.call;
    const leave = () => this.stop({ kind: "left" });
    this.#leave = leave;
    this.#gate.keepOpen(http, true);
    http.signal.addEventListener("abort", leave);
    if (http.signal.aborted) leave();
    // An upstream may take minutes, and a client whose hold was lost need not wait for it.
    const saving = this.#pending?.durable() ?? null;
    saving?.catch(() => this.stop({ kind: "refused", refusal: refusal("store_unavailable") }));
  }

  /** The upstream has the whole request. Of half a one it can make nothing. */
  get hasAsked(): boolean {
    return this.upload?.isWhole ?? true;
  }

  get id() {
    return this.call.id;
  }
  get keyId() {
    return this.admitted.keyId;
  }
  get expiresAtMs() {
    return this.admitted.expiresAtMs;
  }
  get model() {
    return this.way.request.model;
  }
  get startedAtMs() {
    return this.call.startedAtMs;
  }

  stop(stop: Stop): void {
    if (this.stopped !== null || this.#durationMs !== null) return;
    this.stopped = stop;
    if (this.onStop === null) this.exchange.abort();
    else this.onStop(stop);
  }

  /** Since it came; once it has ended, until then. */
  get elapsedMs(): number {
    return this.#durationMs ?? elapsedMs(this.call);
  }

  tick(nowMs: number): void {
    this.onTick?.(nowMs);
  }

  firstByte(): void {
    this.#firstByteMs ??= elapsedMs(this.call);
  }

  settle({ status, reason, usage, content, isWhole, outputTokensMax }: FlightEnd): void {
    if (!this.#end()) return;
    if (isWhole === true) this.#firstByteMs ??= this.#durationMs;
    const { reported, bad } = usage;
    this.#judge(reason);
    const source = bad ? "clamped" : reported === null ? "estimated" : "reported";
    const resolved: Resolved = { state: "settled", status, reason, source };
    if (reported !== null) this.#resolve(resolved, reported);
    else void this.#count(content, outputTokensMax).then(counted => this.#resolve(resolved, counted));
  }

  /** Nothing of use was delivered: nothing is charged. */
  void({ status, reason }: { status: number; reason: string }): void {
    if (!this.#end()) return;
    this.#judge(reason);
    this.#resolve({ state: "voided", status, reason, source: null }, NO_USAGE);
  }

  /** At most what is held for, so that the note pays for itself whatever happens to the hold afterwards. */
  checkpoint(contentBytes: number, heldTokens: number): void {
    if (this.#durationMs !== null) return;
    const usage = this.#usage(this.#guess(contentBytes), heldTokens);
    this.#gate.store.checkpoint({ id: this.call.id, usage, cost: this.#price(usage) });
  }

  /** True the first time: whatever comes after an end changes nothing. */
  #end(): boolean {
    if (this.#durationMs !== null) return false;
    this.#durationMs = elapsedMs(this.call);
    this.onTick = null;
    if (this.#leave === null) return true;
    this.call.http.signal.removeEventListener("abort", this.#leave);
    this.#gate.keepOpen(this.call.http, false);
    return true;
  }

  /** What the end says about the upstream. A client that left says nothing, and neither does a fault of its own. */
  #judge(reason: string | null): void {
    if (reason === "upstream_failed" || reason === "upstream_timeout") {
      this.failed({ why: reason, retryAfterMs: null, isCredential: false });
    }
    if (!this.#isAsking) return;
    this.#isAsking = false;
    const { health } = this.#gate;
    const place = this.#place();
    health.ends(place);
    // Whoever finds fault with a request is well enough to read it.
    if (reason === null || reason === "request_invalid") health.succeeded(place, this.#nowMs);
    else health.unheard(place, this.#nowMs);
  }

  /** By the times that are known of it already: the clock is asked often enough. */
  get #nowMs(): number {
    return this.call.startedAtMs + (this.#durationMs ?? this.sentAtMs);
  }

  /** Runs no more and is with the store in one turn, so that nobody stops the gateway in between. */
  #resolve({ state, status, reason, source }: Resolved, usage: Usage): void {
    this.#gate.running.remove(this);
    const cost = state === "voided" ? 0n : this.#price(usage);
    const ourCost = state === "voided" ? 0n : this.#askedOfUs(usage, cost);
    const settlement: Settlement = {
      id: this.call.id,
      state,
      status,
      reason,
      upstream: this.way.upstream.name,
      usage,
      cost,
      bound: this.#bound(cost, usage, source),
      source,
      firstByteMs: this.#firstByteMs,
      durationMs: this.elapsedMs,
    };
    if (this.attempts.length > 0) settlement.attempts = JSON.stringify(this.attempts);
    if (ourCost !== cost) settlement.ourCost = ourCost;
    this.#gate.store.settle(settlement);
    this.#gate.metrics.ended(this.call.operation, this.model, settlement);
  }

  async #count(content: Content, outputTokensMax?: number): Promise<Usage> {
    return this.#usage(await this.countTokens(content), outputTokensMax);
  }

  /** What was read and what was said, by our own count. */
  async countTokens(content: Content): Promise<Tokens> {
    const { bytes: request, dataParts, dialect } = this.way.request;
    const guess = this.#guess(content.bytes);
    const dataTokens = dataTokensGuess(dataParts);
    try {
      return await this.#gate.countTokens({ dialect, request, dataTokens, content, guess });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#gate.log("error", "tokens.not_counted", { request: this.call.id, why });
      return guess;
    }
  }

  #guess(contentBytes: number): Tokens {
    const { bytes, dataBytes, dataParts } = this.way.request;
    const input = inputTokensGuess({ bytes: bytes.length, dataBytes, dataParts });
    return { input, output: textTokensGuess(contentBytes) };
  }

  /** Nobody pays for more output than was granted on our own count. */
  #usage({ input, output }: Tokens, outputTokensMax = this.admitted.outputTokens): Usage {
    return { ...NO_USAGE, input, output: Math.min(output, outputTokensMax) };
  }

  /** What was granted may be taken, whatever is held by then; what was not granted is not believed. */
  #bound(cost: Nanos, { output }: Usage, source: Settlement["source"]): Nanos {
    const { outputTokens, heldTokens, multiplier } = this.admitted;
    if (heldTokens >= outputTokens || source === "clamped" || output > outputTokens) return 0n;
    const granted = costOf(this.way.quote, outputTokens, multiplier);
    return cost > granted ? 0n : granted;
  }

  /** Whatever the group makes of the price, the upstream asks its own part of it. */
  #askedOfUs(usage: Usage, charged: Nanos): Nanos {
    const { price, upstream } = this.way;
    return upstream.cost === this.admitted.multiplier ? charged : cost(usage, price, upstream.cost);
  }

  #price(usage: Usage): Nanos {
    return cost(usage, this.way.price, this.admitted.multiplier);
  }
}

function placeOf({ upstream, credential, request }: Way): Place {
  const hasOthers = upstream.credentials.length > 1;
  return { upstream: upstream.id, model: request.model, credential: credential?.id ?? null, hasOthers };
}
