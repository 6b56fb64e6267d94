import { readFileSync } from "node:fs";
import { processTree, readStat } from "./proc.ts";

export type Environment = Record<string, string | undefined>;
export type Server = { name: string; pid: number; exited: Promise<number>; logFile: string };
export type Output = { code: number; stdout: string; stderr: string };

const STOP_MS_MAX = 15_000;
const READY_MS_MAX = 20_000;
const LOG_LINES_SHOWN = 15;

/** Every process of a run. Each is ended by its id, and none can be started once the run is being ended. */
export class Processes {
  readonly #live = new Map<number, Bun.Subprocess>();
  #closed = false;

  /** Starts one that runs until it is stopped; what it prints goes to a file. */
  start({
    name,
    command,
    env,
    logFile,
  }: {
    name: string;
    command: string[];
    env: Environment;
    logFile: string;
  }): Server {
    const log = Bun.file(logFile);
    const child = this.#track(
      Bun.spawn(this.#open(command), { env, stdin: "ignore", stdout: log, stderr: log }),
    );
    return { name, pid: child.pid, exited: child.exited, logFile };
  }

  /** Runs one to its end. */
  async run({ command, env }: { command: string[]; env: Environment }): Promise<Output> {
    const child = Bun.spawn(this.#open(command), { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    this.#track(child);
    const [stdout, stderr, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    return { code, stdout, stderr };
  }

  async stop(pid: number): Promise<void> {
    const child = this.#live.get(pid);
    if (child === undefined) return;
    const tree = processTree(pid);
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
    await child.exited;
    clearTimeout(late);
    // A master that had to be killed leaves its workers; the start time tells them from a later owner of the id.
    for (const { pid: member, startedTicks } of tree) {
      if (readStat(member)?.startedTicks === startedTicks) kill(member);
    }
  }

  async stopAll(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#live.keys()].map(pid => this.stop(pid)));
  }

  #open(command: string[]): string[] {
    if (this.#closed) throw new Error("the run was ended");
    return command;
  }

  #track<Child extends Bun.Subprocess>(child: Child): Child {
    this.#live.set(child.pid, child);
    child.exited.then(() => this.#live.delete(child.pid));
    return child;
  }
}

/** Waits until the address answers 200. */
export async function untilReady(server: Server, url: string): Promise<void> {
  let exitCode: number | null = null;
  server.exited.then(code => {
    exitCode = code;
  });
  const deadline = performance.now() + READY_MS_MAX;
  while (performance.now() < deadline && exitCode === null) {
    const status = await fetch(url).then(
      answer => answer.status,
      () => null,
    );
    if (status === 200) return;
    await Bun.sleep(50);
  }
  const what = exitCode === null ? `did not answer at ${url}` : `ended with code ${exitCode}`;
  throw new Error(`${server.name} ${what}. It printed:\n${logTail(server.logFile)}`);
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

function logTail(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-LOG_LINES_SHOWN).join("\n");
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended between the look and the signal.
  }
}
