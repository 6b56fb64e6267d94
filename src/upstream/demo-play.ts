import { type Answer, type AnswerConsumer, UpstreamFailure } from "./answer.ts";

/** A part of the answer's body, as text or as it is; those that carry a token are paced and counted. */
export type DemoFrame = { text: string; isToken: boolean } | { bytes: Uint8Array; isToken: boolean };

export type DemoScore = {
  status: number;
  contentType: string;
  frames: Iterator<DemoFrame>;
  /** Whether each frame is a read of its own; otherwise those ready together arrive together. */
  framesApart: boolean;
  delayMs: number;
  cutAfter: number | null;
};

// Few enough that other work on the event loop waits well under a millisecond.
const TOKENS_PER_TURN_MAX = 64;
const encoder = new TextEncoder();

/** Plays the frames to one consumer at their pace, making each only when the one before has gone out. */
export function playAnswer(score: DemoScore): Answer {
  const player = new DemoPlayer(score);
  return {
    status: score.status,
    headers: new Map([["content-type", score.contentType]]),
    read: consumer => player.read(consumer),
    pause: () => player.pause(),
    resume: () => player.resume(),
    abort: () => player.abort(),
  };
}

class DemoPlayer {
  readonly #score: DemoScore;
  #consumer: AnswerConsumer | null = null;
  #upcoming: IteratorResult<DemoFrame> | null = null;
  #cancelTurn: (() => void) | null = null;
  #unsent = "";
  #tokensSent = 0;
  #hasBegun = false;
  #hasWaited = false;
  #isPaused = false;
  #isOver = false;
  #inTurn = false;

  constructor(score: DemoScore) {
    this.#score = score;
  }

  read(consumer: AnswerConsumer): void {
    if (this.#consumer !== null) throw new Error("an answer is read once");
    this.#consumer = consumer;
    this.#schedule();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule();
  }

  abort(): void {
    this.#isOver = true;
    this.#cancelTurn?.();
    this.#cancelTurn = null;
  }

  #schedule(): void {
    // A consumer may pause and resume while it is being given bytes: the turn under way goes on by itself.
    if (this.#consumer === null || this.#isPaused || this.#isOver || this.#inTurn) return;
    if (this.#cancelTurn !== null) return;
    if (this.#mustWait()) {
      const timer = setTimeout(() => {
        this.#hasWaited = true;
        this.#turn();
      }, this.#score.delayMs);
      this.#cancelTurn = () => clearTimeout(timer);
    } else {
      const immediate = setImmediate(() => this.#turn());
      this.#cancelTurn = () => clearImmediate(immediate);
    }
  }

  #mustWait(): boolean {
    if (this.#score.delayMs === 0 || this.#hasWaited || this.#isCutDue()) return false;
    const next = this.#peek();
    return !next.done && next.value.isToken;
  }

  #peek(): IteratorResult<DemoFrame> {
    this.#upcoming ??= this.#score.frames.next();
    return this.#upcoming;
  }

  /** What comes before the first token is still sent, where there is such a thing. */
  #isCutDue(): boolean {
    if (this.#tokensSent !== this.#score.cutAfter) return false;
    if (this.#hasBegun) return true;
    const first = this.#peek();
    return !first.done && first.value.isToken;
  }

  #turn(): void {
    this.#cancelTurn = null;
    this.#inTurn = true;
    let tokensLeft = TOKENS_PER_TURN_MAX;
    while (tokensLeft > 0 && !this.#isPaused && !this.#isOver && !this.#mustWait()) {
      if (this.#step()) tokensLeft--;
    }
    this.#flush();
    this.#inTurn = false;
    this.#schedule();
  }

  /** Sends one frame, or ends; tells whether a token went out. */
  #step(): boolean {
    if (this.#isCutDue()) {
      const cut = new UpstreamFailure("cut", `the demo was asked to cut after ${this.#tokensSent} tokens`);
      this.#finish(consumer => consumer.onFailure(cut));
      return false;
    }
    const next = this.#peek();
    if (next.done) {
      this.#finish(consumer => consumer.onEnd());
      return false;
    }
    this.#upcoming = null;
    this.#hasWaited = false;
    this.#hasBegun = true;
    if (next.value.isToken) this.#tokensSent++;
    if ("text" in next.value) this.#unsent += next.value.text;
    else this.#send(next.value.bytes);
    if (this.#score.framesApart) this.#flush();
    return next.value.isToken;
  }

  #flush(): void {
    if (this.#unsent === "" || this.#isOver) return;
    const bytes = encoder.encode(this.#unsent);
    this.#unsent = "";
    this.#consumer?.onBytes(bytes);
  }

  #send(bytes: Uint8Array): void {
    this.#flush();
    if (!this.#isOver) this.#consumer?.onBytes(bytes);
  }

  #finish(tell: (consumer: AnswerConsumer) => void): void {
    this.#flush();
    // The consumer may have paused or stopped the answer on being given its last bytes.
    if (this.#isPaused || this.#isOver || this.#consumer === null) return;
    this.#isOver = true;
    tell(this.#consumer);
  }
}
