import type { Id } from "../../domain/ids.ts";
import type { OpenHold } from "../ledger.ts";

/** After this many have gone, and as many as there are. */
const GONE_MIN = 64;

/** What a batch wrote, as far as holds are concerned. */
type Written = {
  inserts: readonly { hold: OpenHold | null }[];
  updates: readonly { end: { id: Id<"req"> } }[];
};

/**
 * Holds that this process made and has not resolved: read from memory, and checked when they are written.
 *
 * A map whose entries come and go moves to a new table again and again, and each old one leads to the next, so that what
 * went long ago stays in memory until the whole of it is searched. A map that is made anew has no table before it.
 */
export class OwnHolds {
  #holds = new Map<Id<"req">, OpenHold>();
  #gone = 0;

  get(id: Id<"req">): OpenHold | undefined {
    return this.#holds.get(id);
  }

  /** After a commit. */
  remember({ inserts, updates }: Written): void {
    for (const { hold } of inserts) if (hold !== null) this.#holds.set(hold.id, hold);
    for (const { end } of updates) if (this.#holds.delete(end.id)) this.#gone += 1;
    if (this.#gone < Math.max(GONE_MIN, this.#holds.size)) return;
    this.#holds = new Map(this.#holds);
    this.#gone = 0;
  }

  /** After a rollback: what is in memory may not be what is in the database. */
  forget(): void {
    this.#holds = new Map();
    this.#gone = 0;
  }
}
