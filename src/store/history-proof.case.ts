/**
 * How large a proof is: small and the same every time in `npm test`, large and another one every time in
 * `npm run prove`, which sets these.
 */
export const PROVE = "WICKETGATE_PROVE";
/** To see a counterexample again: the seed that was printed with it, and where it was found. */
export const PROVE_SEED = "WICKETGATE_PROVE_SEED";
export const PROVE_PATH = "WICKETGATE_PROVE_PATH";

const SEED = 20_270_115;
const RUNS_PER_LINE = 1_000;

export type Proof = {
  runs: number;
  seed: number;
  path: { path?: string };
  /** Says how far it is, where it takes long. */
  progress: (what: string) => { oneMore: () => void; end: () => void };
};

export function proof(size: { runs: number; runsInFull: number }): Proof {
  const env = process.env;
  const isFull = env[PROVE] === "full";
  const runs = isFull ? size.runsInFull : size.runs;
  const path = env[PROVE_PATH];
  const say = (line: string) => void (isFull && process.stdout.write(`${line}\n`));
  return {
    runs,
    seed: Number(env[PROVE_SEED] ?? SEED),
    path: path === undefined ? {} : { path },
    progress: what => {
      const begin = performance.now();
      let done = 0;
      const seconds = () => ((performance.now() - begin) / 1_000).toFixed(0);
      return {
        oneMore: () => {
          done += 1;
          if (done % RUNS_PER_LINE === 0) say(`  ${done} ${what} after ${seconds()} s`);
        },
        end: () => say(`  ${done} ${what} without a counterexample, in ${seconds()} s`),
      };
    },
  };
}
