import type { Problem } from "../protocol.ts";

/** What is wrong with a request. The reading goes on, and the first thing that was found is told. */
export class Faults {
  #first: Problem | null = null;

  get first(): Problem | null {
    return this.#first;
  }

  /** The clause goes on after the field's name: “input” is empty. */
  add(param: string, clause: string): void {
    this.#first ??= { param, problem: `“${param}” ${clause}` };
  }
}
