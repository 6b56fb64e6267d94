import { refusal } from "../domain/errors.ts";
import type { Answer } from "./command.ts";
import type { Admission, Extension, PendingAdmission } from "./store.ts";

/** Whoever waits for a command's answer, and for it to be on the disk. */
export type Waiter = { decide: (answer: Answer) => void; commit: () => void; fail: (error: Error) => void };

/** One admission on its way; it tells whoever waits. */
export class PendingAdmit implements PendingAdmission, Waiter {
  readonly askedTick = performance.now();
  readonly #told = Promise.withResolvers<Admission>();
  readonly decided = this.#told.promise;
  #state: "pending" | "durable" | Error = "pending";
  #durable: PromiseWithResolvers<void> | null = null;

  durable(): Promise<void> | null {
    if (this.#state === "durable") return null;
    if (this.#state !== "pending") return Promise.reject(this.#state);
    // Most holds are on the disk before the upstream has answered, so the promise is made only where it is waited for.
    this.#durable ??= Promise.withResolvers<void>();
    return this.#durable.promise;
  }

  decide(answer: Answer): void {
    if ("admitted" in answer) this.#told.resolve(answer);
  }

  commit(): void {
    this.#state = "durable";
    this.#durable?.resolve();
  }

  fail(error: Error): void {
    this.#state = error;
    this.#told.resolve({
      admitted: false,
      refusal: refusal("store_unavailable"),
      recorded: false,
      failure: error.message,
    });
    this.#durable?.reject(error);
  }
}

/** A longer hold is told of when it is on the disk. */
export class PendingExtension implements Waiter {
  readonly #told = Promise.withResolvers<Extension>();
  readonly extended = this.#told.promise;
  #answer: Extension | null = null;

  decide(answer: Answer): void {
    if (!("admitted" in answer)) this.#answer = answer;
  }

  commit(): void {
    if (this.#answer !== null) this.#told.resolve(this.#answer);
  }

  fail(error: Error): void {
    this.#told.reject(error);
  }
}
