import type { CopyProgress, OnCopyProgress } from "../store/copy-write.ts";
import { type Call, EXIT_INTERRUPTED } from "./command.ts";

/** On a terminal one line that changes; elsewhere, a line every now and then, for a log. */
const TERMINAL_MS = 100;
const LOG_MS = 3_000;
const CLEAR_LINE = "\r\u001b[K";

class Interrupted extends Error {
  override readonly name = "Interrupted";
}

export type Watch = (doing: string) => OnCopyProgress;

/**
 * Shows how far a long command is, and gives `done` what came of it. A signal ends it at the next step, so that what
 * it has begun is taken back; a second one ends the process at once.
 */
export async function withProgress<T>(
  { io }: Pick<Call, "io">,
  work: (watch: Watch) => Promise<T>,
  done: (value: T) => number,
): Promise<number> {
  let signals = 0;
  io.onSignal?.(() => {
    signals += 1;
    if (signals > 1) io.exitNow?.(EXIT_INTERRUPTED);
  });
  let shownTick = performance.now();
  let isShown = false;
  const watch: Watch = doing => progress => {
    if (signals > 0) throw new Interrupted();
    const tick = performance.now();
    if (tick - shownTick < (io.isTerminal ? TERMINAL_MS : LOG_MS)) return;
    shownTick = tick;
    isShown = io.isTerminal;
    const text = `${doing}: ${describe(progress)}`;
    io.stderr(io.isTerminal ? `${CLEAR_LINE}${text}` : `${text}\n`);
  };
  const value = await work(watch)
    .catch((error: unknown) => {
      if (error instanceof Interrupted) return error;
      throw error;
    })
    .finally(() => isShown && io.stderr(CLEAR_LINE));
  if (!(value instanceof Interrupted)) return done(value);
  io.stderr("It was interrupted, and what it had begun is taken back.\n");
  return EXIT_INTERRUPTED;
}

function describe({ done, all, what }: CopyProgress): string {
  const percent = all === 0 ? 100 : Math.floor((100 * done) / all);
  return `${percent} % (${count(done)} of ${count(all)} ${what})`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes.toFixed(1)} KiB` : `${(kibibytes / 1024).toFixed(1)} MiB`;
}
