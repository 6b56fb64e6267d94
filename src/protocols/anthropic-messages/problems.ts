import type { Problem } from "../protocol.ts";

/** Takes down what is wrong with a prompt while it is read to its end. The first thing found is what the client is told. */
export class Problems {
  first: Problem | null = null;

  add({ at, clause }: { at: string; clause: string }): void {
    this.first ??= { param: at, problem: `“${at}” ${clause}` };
  }
}
