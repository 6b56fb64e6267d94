import {
  type Answer,
  type AnswerConsumer,
  type Exchange,
  isStreamed,
  type OutboundLimits,
  type OutboundRequest,
  UpstreamFailure,
} from "./answer.ts";
import type { ResponseHead } from "./http1-head.ts";

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** What carries a call: it reads only while the call can take bytes, and is closed when the call is given up. */
export type Carrier = { onFlowChange: () => void; destroy: () => void };

/**
 * The caller's side of one request: the promised answer, then delivery in order. While paused, and
 * before `read`, nothing at all is delivered: bytes, end and failure wait.
 *
 * A consumer that throws from `onBytes` gets a failure and its connection is closed. What it throws from
 * `onEnd` or `onFailure` has nobody left to be told, so it surfaces as an uncaught exception.
 */
export class Call implements Exchange, Answer {
  readonly answer: Promise<Answer>;
  status = 0;
  headers: ReadonlyMap<string, string> = NO_HEADERS;
  carrier: Carrier | null = null;
  /** A request may be sent a second time only once, and one that was not kept never. */
  repeated: boolean;

  readonly #promised = Promise.withResolvers<Answer>();
  #answered = false;
  #consumer: AnswerConsumer | null = null;
  #paused = false;
  #held: Uint8Array[] = [];
  #outcome: "end" | UpstreamFailure | null = null;
  #delivering = false;
  #over = false;

  constructor(
    readonly request: OutboundRequest,
    readonly head: string,
    readonly limits: OutboundLimits,
  ) {
    this.answer = this.#promised.promise;
    this.repeated = isStreamed(request.body);
  }

  /** Before `read` one piece is taken ahead, then no more. */
  get takesBytes(): boolean {
    return !this.#paused && (this.#consumer !== null || this.#held.length === 0);
  }

  /** Whether it is the upstream we are waiting for, and not our own consumer. */
  get waitsForBytes(): boolean {
    return !this.#paused && (this.#consumer !== null || !this.#answered);
  }

  onHead(head: ResponseHead): void {
    if (this.#over) return;
    this.#answered = true;
    this.status = head.status;
    this.headers = head.headers;
    this.#promised.resolve(this);
  }

  onBytes(bytes: Uint8Array): void {
    if (this.#over) return;
    this.#held.push(bytes);
    this.#deliver();
  }

  onEnd(): void {
    this.#finish("end");
  }

  onFailure(failure: UpstreamFailure): void {
    this.#finish(failure);
  }

  #finish(outcome: "end" | UpstreamFailure): void {
    this.carrier = null;
    if (this.#over) return;
    this.#outcome = outcome;
    if (this.#answered) this.#deliver();
    else if (outcome !== "end") this.#reject(outcome);
  }

  #reject(failure: UpstreamFailure): void {
    this.#over = true;
    // The caller may have stopped listening; its own handlers still see the rejection.
    this.#promised.promise.catch(() => undefined);
    this.#promised.reject(failure);
  }

  #deliver(): void {
    const consumer = this.#consumer;
    if (consumer === null || this.#delivering) return;
    this.#delivering = true;
    try {
      while (!this.#paused && !this.#over && this.#held.length > 0) {
        const bytes = this.#held.shift();
        if (bytes !== undefined) consumer.onBytes(bytes);
      }
    } catch (error) {
      this.#stop();
      this.#tell(consumer, new UpstreamFailure("cut", `the consumer threw: ${String(error)}`));
    }
    this.#delivering = false;
    if (this.#paused || this.#over || this.#outcome === null) return;
    this.#over = true;
    this.#tell(consumer, this.#outcome);
  }

  #tell(consumer: AnswerConsumer, outcome: "end" | UpstreamFailure): void {
    try {
      if (outcome === "end") consumer.onEnd();
      else consumer.onFailure(outcome);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #stop(): void {
    this.#over = true;
    this.#held = [];
    const { carrier } = this;
    this.carrier = null;
    carrier?.destroy();
  }

  read(consumer: AnswerConsumer): void {
    if (this.#over || this.#consumer !== null) return;
    this.#consumer = consumer;
    this.#deliver();
    this.carrier?.onFlowChange();
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.carrier?.onFlowChange();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#deliver();
    this.carrier?.onFlowChange();
  }

  abort(): void {
    if (this.#over) return;
    if (!this.#answered) this.#reject(new UpstreamFailure("cut", "aborted"));
    this.#stop();
  }
}
