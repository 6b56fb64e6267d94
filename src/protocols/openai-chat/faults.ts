import type { Problem } from "../protocol.ts";

/** Remembers the first thing that is wrong, so that reading can go on to its end and be asked once. */
export class Faults {
  #first: Problem | null = null;

  get first(): Problem | null {
    return this.#first;
  }

  /** `at` is the field, `is` what is wrong with it, said of the field. */
  add({ at, is }: { at: string; is: string }): void {
    this.#first ??= { param: at, problem: `“${at}” ${is}` };
  }
}
