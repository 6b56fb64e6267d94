import { setDefaultTimeout } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Starts the real product as child processes and speaks to it as the outside does: HTTP and the command line. */

// Every test here starts processes, and the machine may be busy with others.
setDefaultTimeout(60_000);

export const ROOT = join(import.meta.dir, "..");
const MAIN = join("src", "main.ts");
const START_MS_MAX = 20_000;
const COMMAND_MS_MAX = 30_000;
const STOP_MS_MAX = 15_000;

export type Environment = Record<string, string>;
export type CommandResult = { code: number; stdout: string; stderr: string };

/** Only what a program needs to run: settings of the machine must not reach the product under test. */
export function plainEnvironment(extra: Environment = {}): Environment {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...extra };
}

export function freshDir(): string {
  return mkdtempSync(join(tmpdir(), "wicketgate-test-"));
}

const environments = new Map<string, Environment>();

/** What every command and server on a data dir is run with from now on, such as the database that it belongs to. */
export function setEnvironment(dir: string, env: Environment): void {
  environments.set(dir, env);
}

export function removeDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

/** With `toFile` its output goes into a file rather than a pipe. */
export type CommandOptions = { env?: Environment; stdin?: string; toFile?: boolean };

/** `wicketgate ARGS` on one data directory. */
export async function wicketgate(
  dir: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const file = options.toFile === true ? join(freshDir(), "stdout") : null;
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    cwd: ROOT,
    env: plainEnvironment({ WICKETGATE_DATA_DIR: dir, ...environments.get(dir), ...options.env }),
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
    stdout: file === null ? "pipe" : Bun.file(file),
    stderr: "pipe",
    timeout: COMMAND_MS_MAX,
    killSignal: "SIGKILL",
  });
  const [piped, stderr, code] = await Promise.all([
    typeof child.stdout !== "object" ? "" : new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (file === null) return { code, stdout: piped, stderr };
  const stdout = await Bun.file(file).text();
  removeDir(dirname(file));
  return { code, stdout, stderr };
}

/** As above, for what must succeed. */
export async function mustRun(
  dir: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await wicketgate(dir, args, options);
  if (code !== 0) throw new Error(`wicketgate ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

export type Gateway = {
  dir: string;
  url: string;
  /** Base URL for OpenAI-style clients. */
  base: string;
  pid: number;
  demoKey: string | null;
  /** By which the first operator comes in; null where one can sign in already. */
  setupLink: string | null;
  log: () => string;
  /** SIGTERM, and its exit code. */
  stop: () => Promise<number>;
  /** SIGKILL: it gets no chance to tidy up. */
  kill: () => Promise<void>;
  exited: Promise<number>;
};

export async function startGateway(dir: string, env: Environment = {}): Promise<Gateway> {
  const child = Bun.spawn([process.execPath, MAIN, "serve", "--json"], {
    cwd: ROOT,
    env: plainEnvironment({ PORT: "0", WICKETGATE_DATA_DIR: dir, ...environments.get(dir), ...env }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  // Whatever happens to the tests, it does not outlive them.
  const endWithTests = () => child.kill("SIGKILL");
  process.once("exit", endWithTests);
  child.exited.finally(() => process.off("exit", endWithTests));
  let log = "";
  const logging = collect(child.stderr, text => {
    log += text;
  });
  const late = setTimeout(() => child.kill("SIGKILL"), START_MS_MAX);
  const line = await firstLine(child.stdout);
  clearTimeout(late);
  if (line === null) {
    await logging;
    throw new Error(`the gateway did not start: ${log}`);
  }
  const told = JSON.parse(line) as { url: string; demo_key: string | null; setup_link: string | null };
  return {
    dir,
    url: told.url,
    base: `${told.url}/v1`,
    pid: child.pid,
    demoKey: told.demo_key,
    setupLink: told.setup_link,
    log: () => log,
    exited: child.exited,
    stop: async () => {
      if (child.exitCode === null) child.kill("SIGTERM");
      const hard = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
      const code = await child.exited;
      clearTimeout(hard);
      return code;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true });
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  return null;
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of stream) add(decoder.decode(piece, { stream: true }));
}

export type MadeKey = { id: string; key: string; name: string; account: string };

/** Applies a YAML text and gives the keys that it made, by name. */
export async function applyYaml(dir: string, yaml: string): Promise<Map<string, MadeKey>> {
  const out = await mustRun(dir, ["apply", "-", "--json"], { stdin: yaml });
  const { keys } = JSON.parse(out) as { keys: MadeKey[] };
  return new Map(keys.map(key => [key.name, key]));
}

export function keyOf(keys: ReadonlyMap<string, MadeKey>, name: string): MadeKey {
  const found = keys.get(name);
  if (found === undefined) throw new Error(`the file made no key ${name}`);
  return found;
}

export type UsageRow = {
  id: string;
  account: string;
  key_id: string;
  key: string;
  group: string;
  model: string;
  stream: boolean;
  state: string;
  status: number | null;
  reason: string | null;
  upstream: string | null;
  input_tokens: number;
  output_tokens: number;
  held: string;
  cost: string;
  source: string | null;
  pocket: string | null;
  first_byte_ms: number | null;
  duration_ms: number | null;
};

const PAGE = 1000;

/** Every row, newest first, of one key or of all. */
export async function usageRows(dir: string, keyId?: string): Promise<UsageRow[]> {
  const rows: UsageRow[] = [];
  for (;;) {
    const last = rows.at(-1);
    const args = ["usage", "--json", "--limit", String(PAGE)];
    if (keyId !== undefined) args.push("--key", keyId);
    if (last !== undefined) args.push("--before", last.id);
    const page = JSON.parse(await mustRun(dir, args, { toFile: true })) as UsageRow[];
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

/** The row of one request once it is resolved: settlement is handed over just after the last byte. */
export async function settledRow(dir: string, id: string, keyId?: string): Promise<UsageRow> {
  const found = await eventually(async () => {
    const row = (await usageRows(dir, keyId)).find(one => one.id === id);
    return row !== undefined && row.state !== "open" ? row : null;
  });
  if (found === null) throw new Error(`the request ${id} has no resolved row`);
  return found;
}

/** Asks again until it is not null or false, at most for `msMax`; then null. */
export async function eventually<T>(
  look: () => Promise<T | null | false> | T | null | false,
  msMax = 10_000,
): Promise<T | null> {
  const endTick = performance.now() + msMax;
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > endTick) return null;
    await Bun.sleep(25);
  }
}

/** The ledger's invariants, and that nothing is left open. */
export async function verifyClean(dir: string): Promise<void> {
  const { code, stdout, stderr } = await wicketgate(dir, ["verify"]);
  if (code !== 0) throw new Error(`verify found: ${stdout}${stderr}`);
}

/** "0.000123" USD as nano-dollars. */
export function nanos(usd: string): bigint {
  const [whole = "0", fraction = ""] = usd.split(".");
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
}

/** Deterministic chance, so that a failure can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
