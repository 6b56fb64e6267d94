import type { Log } from "../domain/log.ts";
import { byOf, type Control } from "./control.ts";
import { type Keeper, keep } from "./keeper.ts";

const EVERY_MS = 5_000;
const AT_ONCE_MAX = 50;

/** Who begins a price that somebody planned. */
const HOUSE = { actor: "planned price", through: "house", address: null } as const;

type KeepPrices = { control: Control; log: Log; everyMs?: number };

/** Lets prices begin that were planned for a time that has come. Several processes may do it: each price begins once. */
export function keepPrices({ control, log, everyMs = EVERY_MS }: KeepPrices): Keeper {
  const { store, nowMs, newId } = control;

  /** How long until something may have to be done. */
  async function round(): Promise<number> {
    // By the writer: the reader is a thread more, and an idle house has none.
    const next = await store.run("prices.next_planned", {});
    if (next === null) return everyMs;
    if (next > nowMs()) return Math.min(everyMs, next - nowMs());
    const ids = Array.from({ length: AT_ONCE_MAX }, () => newId("prc"));
    const { begun } = await store.run("prices.begin", { ids, by: byOf({ ...control, ...HOUSE }) });
    if (begun > 0) log("info", "prices.begun", { count: begun });
    return 0;
  }

  return keep({ round, onFailure: why => log("warn", "prices.waiting", { why }), restMs: everyMs });
}
