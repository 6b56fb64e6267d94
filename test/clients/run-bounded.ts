/** Runs a program to its end or to its time limit, whichever is first; nothing that it started is left behind. */

export type Run = {
  command: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  msMax: number;
  /** Looks at what was printed so far: true ends the run at once. */
  until?: (printed: string) => boolean;
};

/** What it printed is without colours. */
export type Ran = { code: number; stdout: string; stderr: string; timedOut: boolean; ms: number };

const OUTPUT_CHARACTERS_MAX = 1_000_000;

export async function runBounded({ command, env, cwd, msMax, until }: Run): Promise<Ran> {
  const begin = performance.now();
  const child = Bun.spawn([...command], {
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // A group of its own, so that what it starts can be ended with it.
    detached: true,
  });
  const endGroup = () => killGroup(child.pid);
  process.once("exit", endGroup);
  let timedOut = false;
  const late = setTimeout(() => {
    timedOut = true;
    endGroup();
  }, msMax);
  let printed = "";
  const watch = (text: string) => {
    printed += text;
    if (until?.(printed) === true) endGroup();
  };
  const reading = Promise.all([collect(child.stdout, watch), collect(child.stderr, watch)]);
  const code = await child.exited;
  clearTimeout(late);
  endGroup();
  process.off("exit", endGroup);
  const [stdout, stderr] = await reading;
  return {
    code,
    stdout: Bun.stripANSI(stdout),
    stderr: Bun.stripANSI(stderr),
    timedOut,
    ms: Math.round(performance.now() - begin),
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended by itself.
  }
}

async function collect(stream: ReadableStream<Uint8Array>, watch: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let all = "";
  for await (const piece of stream) {
    const text = decoder.decode(piece, { stream: true });
    if (all.length < OUTPUT_CHARACTERS_MAX) all += text;
    watch(text);
  }
  return all;
}
