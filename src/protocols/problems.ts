import { named } from "./check-fields.ts";
import type { Problem } from "./protocol.ts";

/** What is wrong with a prompt. It is read to its end all the same, and the first thing found is what the client is told. */
export class Problems {
  #first: Problem | null = null;

  get first(): Problem | null {
    return this.#first;
  }

  /** The clause goes on after the field's name: “input” is empty. */
  add({ at, clause }: { at: string; clause: string }): void {
    this.#first ??= named(at, clause);
  }
}
