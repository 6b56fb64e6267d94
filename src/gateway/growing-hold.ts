import { textBytesGuess, textTokensGuess } from "../pricing/estimate.ts";
import type { Content } from "./count-tokens.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";

/** What a stream does while its hold grows, and when it cannot. */
export type HoldListener = {
  /** Nothing more may be delivered until it is known whether it can be held for. */
  wait: () => void;
  goOn: () => void;
  /** All that can be held for is delivered; the reason says why there is no more. */
  end: (reason: string) => void;
};

/** Grows by half, and at least by this. */
const STEP_TOKENS_MIN = 4_096;
/** A count that finds room lets at least so much more pass before the next. */
const ROOM_BYTES_MIN = 2_048;
/**
 * An upstream that was told the whole limit ends by itself, by its own tokenizer. Ours is another, and counts a long
 * answer by its beginning, so only what goes beyond the limit by half is an upstream that does not heed it.
 */
const DOUBT = 1.5;

/**
 * The hold of a running stream. It is asked for more when half of it is used, so that it is there in time, and the
 * upstream waits where it is not. Whether it is used up is guessed by bytes, and counted before a stream is ended.
 */
export class GrowingHold {
  readonly #flight: Flight;
  readonly #gate: Gate;
  readonly #listener: HoldListener;
  /** For how many tokens it is held by now. */
  heldTokens: number;
  #lookAtBytes: number;
  #reason: string | null = null;
  #isAsking = false;
  #isWaiting = false;
  #delivered: Content = { bytes: 0, sample: new Uint8Array() };

  constructor(flight: Flight, gate: Gate, listener: HoldListener) {
    this.#flight = flight;
    this.#gate = gate;
    this.#listener = listener;
    this.heldTokens = flight.admitted.heldTokens;
    this.#lookAtBytes = this.#nextLook();
  }

  /** Called for every piece that goes by. */
  delivered(content: Content): void {
    if (content.bytes < this.#lookAtBytes || this.#isWaiting) return;
    this.#delivered = content;
    const isUsedUp = this.#isUsedUp();
    if (isUsedUp) this.#wait();
    if (this.#isAsking) return;
    // Who was refused asks again before the end: the money may be there by now.
    if (this.#isPart() && (this.#reason === null || isUsedUp)) void this.#grow();
    else if (isUsedUp) void this.#count();
    else this.#lookAtBytes = textBytesGuess(this.#endTokens());
  }

  /** Less is held than was granted. */
  #isPart(): boolean {
    return this.heldTokens < this.#flight.admitted.outputTokens;
  }

  /** What may be delivered with what is held. */
  #endTokens(): number {
    return this.#isPart() ? this.heldTokens : Math.ceil(this.heldTokens * DOUBT);
  }

  #isUsedUp(): boolean {
    return textTokensGuess(this.#delivered.bytes) >= this.#endTokens();
  }

  #nextLook(): number {
    const isGrowing = this.#isPart() && this.#reason === null;
    return textBytesGuess(isGrowing ? this.heldTokens / 2 : this.#endTokens());
  }

  async #grow(): Promise<void> {
    const { admitted, id, way } = this.#flight;
    const { basePicos, outputPicos } = way.quote;
    const step = Math.max(STEP_TOKENS_MIN, Math.floor(this.heldTokens / 2));
    const outputTokens = Math.min(admitted.outputTokens, this.heldTokens + step);
    this.#isAsking = true;
    try {
      const asked = { id, quote: { basePicos, outputPicos }, outputTokens };
      const { heldTokens, refusal } = await this.#gate.store.extend(asked);
      this.#reason = refusal?.reason ?? null;
      this.heldTokens = Math.max(heldTokens, this.heldTokens);
    } catch {
      // The database is away and the stream goes on: settlement takes what is there, and never more.
      this.heldTokens = admitted.outputTokens;
    }
    this.#isAsking = false;
    if (!this.#isWaiting || !this.#isUsedUp()) this.#goOn(this.#nextLook());
    else if (this.#isPart() && this.#reason === null) void this.#grow();
    else void this.#count();
  }

  /** A guess is no reason to end an answer that somebody pays for. */
  async #count(): Promise<void> {
    this.#isAsking = true;
    const { bytes } = this.#delivered;
    const { output } = await this.#flight.countTokens(this.#delivered);
    this.#isAsking = false;
    const room = this.#endTokens() - output;
    if (room > 0) {
      const roomBytes = Math.floor((bytes * room) / Math.max(1, output));
      this.#goOn(bytes + Math.max(ROOM_BYTES_MIN, roomBytes));
    } else this.#listener.end(this.#reason ?? this.#flight.admitted.loweredBy ?? "length");
  }

  #wait(): void {
    this.#isWaiting = true;
    this.#listener.wait();
  }

  #goOn(lookAtBytes: number): void {
    this.#lookAtBytes = lookAtBytes;
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#listener.goOn();
  }
}
