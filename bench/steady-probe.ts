/** Does the same small piece of work again and again, and prints when, and how long it took. */

const EVERY_MS = 4;
const STEPS = 4_000;
const WARM_UP = 5_000;
/** Printing costs more than looking. */
const LOOKS_PRINTED = 25;
/** Whoever takes the core away for a moment meets one of them; a core that runs slower slows all. */
const TRIES = 3;

const nowMs = () => performance.timeOrigin + performance.now();

function work(): number {
  let value = 0;
  for (let step = 0; step < STEPS; step += 1) value = (value * 31 + step) | 0;
  return value;
}

function fastest(): number {
  let best = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < TRIES; tried += 1) {
    const startMs = performance.now();
    work();
    best = Math.min(best, performance.now() - startMs);
  }
  return best;
}

for (let done = 0; done < WARM_UP; done += 1) work();
let lines = "";
let count = 0;
setInterval(() => {
  const fromMs = nowMs();
  const workMs = fastest();
  lines += `${fromMs} ${nowMs()} ${workMs}\n`;
  count += 1;
  if (count % LOOKS_PRINTED !== 0) return;
  process.stdout.write(lines);
  lines = "";
}, EVERY_MS);
