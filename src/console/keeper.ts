/** Something that goes on beside the requests, until it is stopped. */
export type Keeper = { stop: () => Promise<void> };

export type Keeping = {
  isStopped: () => boolean;
  /** Ends at once when it is stopped. */
  rest: (ms: number) => Promise<void>;
};

type Kept = {
  /** What is done again and again; it gives how long to rest before the next time. */
  round: (keeping: Keeping) => Promise<number>;
  /** A round that failed, mostly because the database is away. */
  onFailure: (why: string) => void;
  restMs: number;
};

/** A database that does not answer must not hold up whoever stops: what is left undone is done elsewhere, or later. */
const STOP_MS_MAX = 250;

export function keep({ round, onFailure, restMs }: Kept): Keeper {
  let stopped = false;
  let wake = () => {};
  const keeping: Keeping = {
    isStopped: () => stopped,
    rest: ms =>
      new Promise(resolve => {
        if (stopped) return resolve();
        const timer = setTimeout(resolve, ms);
        timer.unref();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };

  async function run(): Promise<void> {
    while (!stopped) {
      let ms = restMs;
      try {
        ms = await round(keeping);
      } catch (error) {
        if (!stopped) onFailure(error instanceof Error ? error.message : String(error));
      }
      await keeping.rest(ms);
    }
  }

  const ended = run();
  return {
    stop: () => {
      stopped = true;
      wake();
      return Promise.race([ended, Bun.sleep(STOP_MS_MAX)]);
    },
  };
}
