import { refusal } from "../domain/errors.ts";
import type { RunningRequests } from "./running.ts";

const LOOK_MS = 100;
/** What was ended by us may take this long to be counted and settled, */
const SETTLING_MS_MAX = 15_000;
/** and whoever is behind with reading or writing this long, when nothing else is left. */
const LAST_WORDS_MS_MAX = 2_000;

export type Draining = {
  running: RunningRequests;
  /** Nothing is left at the door: no request whose body is on its way, nobody who would be lost. */
  isQuiet: () => boolean;
  msMax: number;
  /** Resolves when somebody has no more time. */
  hurried: Promise<void>;
};

/** Running requests finish by themselves; those that do not in time are ended properly. */
export async function drained({ running, isQuiet, msMax, hurried }: Draining): Promise<void> {
  let lateTick: number | null = null;
  const endAll = () => {
    lateTick ??= performance.now();
    running.stopWhere(
      () => true,
      () => refusal("draining"),
    );
  };
  const late = setTimeout(endAll, msMax);
  void hurried.then(endAll);
  while (running.count() > 0 || !isQuiet()) {
    if (lateTick !== null) {
      const msMax = running.count() > 0 ? SETTLING_MS_MAX : LAST_WORDS_MS_MAX;
      if (performance.now() - lateTick > msMax) break;
      // What was admitted only after that is ended like the others.
      endAll();
    }
    await Bun.sleep(LOOK_MS);
  }
  clearTimeout(late);
}
