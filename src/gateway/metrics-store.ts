import type { Id } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import type { Admitted, Metrics } from "./metrics.ts";

/** Requests that are admitted and not settled yet. */
export type Open = { has: (id: Id<"req">) => boolean };

/** Every request passes the store twice, so that is where they are counted. */
export function measuredStore(store: Store, metrics: Metrics): { store: Store; open: Open } {
  const open = new Map<Id<"req">, Admitted>();
  const admit: Store["admit"] = request => {
    const askedTick = performance.now();
    const pending = store.admit(request);
    pending.decided.then(
      ({ admitted }) => {
        metrics.decided(admitted ? "admitted" : "refused", performance.now() - askedTick);
        if (admitted) open.set(request.id, { operation: request.dialect, model: request.ask.model });
      },
      () => metrics.decided("failed", performance.now() - askedTick),
    );
    return pending;
  };
  const settle: Store["settle"] = settlement => {
    store.settle(settlement);
    const admitted = open.get(settlement.id);
    if (admitted === undefined) return;
    open.delete(settlement.id);
    metrics.ended(admitted, settlement);
  };
  return { store: { ...store, admit, settle }, open };
}
