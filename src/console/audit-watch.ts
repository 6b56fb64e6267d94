import type { Head } from "../store/audit.ts";
import type { Control } from "./control.ts";

/** How the audit's chain is: `checking` while an old and long one is not walked through yet. */
export type ChainState = "whole" | "broken" | "checking";

/** Some milliseconds of the reports' thread. */
const ENTRIES_AT_ONCE = 5_000;
const PARTS_PER_LOOK_MAX = 2;
/** What was found whole is looked at again then, for whoever changes what is old: an hour for 300,000 entries. */
const AGAIN_MS_PER_PART = 60_000;

type House = Pick<Control, "store" | "nowMs" | "secrets">;

/**
 * Knows up to where the chain was found whole, so that a look at it costs what was added since; from its beginning it is
 * walked through now and then, the rarer the longer it is. `wicketgate verify` walks through all of it at once.
 */
export class AuditWatch {
  readonly #house: House;
  #last: Head | null = null;
  /** Where it stopped the last time, because it could not go on. */
  #isBroken = false;
  #verdict: ChainState = "checking";
  /** When it had come to the end; null while it is on its way. */
  #throughAtMs: number | null = null;
  #looking: Promise<ChainState> | null = null;

  constructor(house: House) {
    this.#house = house;
  }

  /** Those who ask at the same time get the same answer. */
  state(): Promise<ChainState> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<ChainState> {
    const { store, nowMs, secrets } = this.#house;
    if (this.#isBroken || this.#isDueAgain()) {
      this.#last = null;
      this.#throughAtMs = null;
    }
    for (let part = 0; part < PARTS_PER_LOOK_MAX; part++) {
      const asked = { chainKey: secrets.audit, from: this.#last, most: ENTRIES_AT_ONCE };
      const { isWhole, last, isAtEnd } = await store.report("audit.chain", asked);
      this.#isBroken = !isWhole;
      this.#last = last.number === 0 ? null : last;
      if (!isWhole || isAtEnd) this.#verdict = isWhole ? "whole" : "broken";
      if (isAtEnd) this.#throughAtMs ??= nowMs();
      if (!isWhole || isAtEnd) break;
    }
    // On its way through again, what it found the last time still stands.
    return this.#verdict;
  }

  #isDueAgain(): boolean {
    if (this.#throughAtMs === null) return false;
    const parts = Math.max(1, Math.ceil((this.#last?.number ?? 0) / ENTRIES_AT_ONCE));
    return this.#house.nowMs() - this.#throughAtMs >= parts * AGAIN_MS_PER_PART;
  }
}

const watches = new WeakMap<House["store"], AuditWatch>();

/** By the one watch of this house. */
export function chainState(house: House): Promise<ChainState> {
  const watch = watches.get(house.store) ?? new AuditWatch(house);
  watches.set(house.store, watch);
  return watch.state();
}
