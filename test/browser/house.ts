import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Visitor } from "./visitor.ts";

/** The real server as a child process, on data of its own, and who lives in it. For Node, where Playwright runs. */

export const ROOT = join(import.meta.dirname, "..", "..");
const BUN = join(ROOT, "node_modules", ".bin", "bun");
const MAIN = join("src", "main.ts");
const START_MS_MAX = 25_000;
const STOP_MS_MAX = 10_000;
const COMMAND_MS_MAX = 30_000;

/** As src/store/postgres/server-test-rig.ts calls it, which Node cannot load. */
const SHARED_SERVER = "WICKETGATE_TEST_POSTGRES";

export const OPERATOR = "operator@example.org";
export const PASSWORD = "a quiet wicket in the wall";

type Environment = Record<string, string>;
export type HousePlan = {
  env?: Environment;
  /** As for `apply`, in JSON; applied before the start. */
  catalogue?: unknown;
  /** An empty one of its kind is brought. */
  database?: "SQLite" | "PostgreSQL";
  /** The e-mails of accounts that get weeks of a past, for pictures; SQLite only. */
  past?: readonly string[];
};

/** What `usage --json` tells of a request. */
export type UsageLine = {
  id: string;
  key_id: string;
  model: string;
  state: string;
  status: number | null;
  reason: string | null;
  cost: string;
  input_tokens: number;
  output_tokens: number;
};

export class House {
  /** As `serve` prints it. */
  readonly root: string;
  readonly dir: string;
  readonly setupLink: string | null;
  readonly #env: Environment;
  readonly #child: ChildProcess;
  readonly #log: { text: string };
  #guests = 0;
  #operator: Promise<Visitor> | null = null;

  constructor(made: {
    told: { url: string; setup_link: string | null };
    dir: string;
    env: Environment;
    child: ChildProcess;
    log: { text: string };
  }) {
    this.root = made.told.url;
    this.setupLink = made.told.setup_link;
    this.dir = made.dir;
    this.#env = made.env;
    this.#child = made.child;
    this.#log = made.log;
  }

  log(): string {
    return this.#log.text;
  }

  /** The same server by the name that passkeys need. */
  get localhost(): string {
    return this.root.replace("127.0.0.1", "localhost");
  }

  /** Each comes from an address of their own, so that nobody waits because of another test. */
  visitor(root = this.root): Visitor {
    this.#guests += 1;
    return new Visitor(root, `10.0.${this.#guests >> 8}.${this.#guests & 255}`);
  }

  /** The first operator, who came by the set-up link without a browser. */
  operator(): Promise<Visitor> {
    this.#operator ??= this.#becomeOperator();
    return this.#operator;
  }

  async #becomeOperator(): Promise<Visitor> {
    const operator = this.visitor();
    const token = tokenOf(this.setupLink ?? "");
    await operator.call("POST /links/use", { body: { token, email: OPERATOR, password: PASSWORD } });
    return operator;
  }

  /** Somebody new, invited and signed in. */
  async guest(given: { email?: string; balance?: string; root?: string } = {}): Promise<Visitor> {
    const operator = await this.operator();
    const guest = this.visitor(given.root);
    const email = given.email ?? `guest-${this.#guests}@example.org`;
    const { link } = await operator.call("POST /operator/invitations", {
      body: { email, role: "holder", balance_usd: given.balance ?? "25" },
    });
    await guest.call("POST /links/use", { body: { token: tokenOf(link), password: PASSWORD } });
    guest.email = email;
    return guest;
  }

  /** Somebody whom the catalogue has made, signed in by a link that the operator gave out. */
  async resident(email: string): Promise<Visitor> {
    const said = await this.command(["account", "reset", email, "--json"]);
    const link = said.match(/https?:[^"\s]+#[\w-]+/)?.[0] ?? "";
    const visitor = this.visitor();
    await visitor.call("POST /links/use", { body: { token: tokenOf(link), password: PASSWORD } });
    visitor.email = email;
    return visitor;
  }

  /** `wicketgate ARGS` on this house's data; what it says. */
  command(args: readonly string[], stdin = ""): Promise<string> {
    return runBun([MAIN, ...args], this.#env, stdin);
  }

  async usage(keyId?: string): Promise<UsageLine[]> {
    const of = keyId === undefined ? [] : ["--key", keyId];
    return JSON.parse(await this.command(["usage", "--json", "--limit", "1000", ...of])) as UsageLine[];
  }

  /** A quarter of an hour passes for somebody: secrets are then asked for again. SQLite only. */
  async letProofAge(email: string): Promise<void> {
    await runBun([join("test", "browser", "age-proofs.ts"), this.dir, email], plainEnvironment({}));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      const gone = new Promise(resolve => this.#child.once("exit", resolve));
      this.#child.kill("SIGTERM");
      const hard = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS_MAX);
      await gone;
      clearTimeout(hard);
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export function tokenOf(link: string): string {
  return new URL(link).hash.slice(1);
}

/** Only what a program needs: settings of the machine must not reach the server under test. */
function plainEnvironment(extra: Environment): Environment {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...extra };
}

export async function startHouse({ env = {}, catalogue, database, past }: HousePlan = {}): Promise<House> {
  const dir = mkdtempSync(join(tmpdir(), "wicketgate-browser-"));
  const databaseUrl = database === "PostgreSQL" ? await freshPostgres() : null;
  const whole = plainEnvironment({
    PORT: "0",
    WICKETGATE_DATA_DIR: dir,
    WICKETGATE_TRUSTED_PROXIES: "127.0.0.1,::1",
    ...(catalogue === undefined ? {} : { WICKETGATE_DEMO: "off" }),
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    ...env,
  });
  if (catalogue !== undefined) await runBun([MAIN, "apply", "-"], whole, JSON.stringify(catalogue));
  if (past !== undefined) await runBun([join("test", "browser", "past.ts"), dir, ...past], whole);
  const child = spawn(BUN, [MAIN, "serve", "--json"], {
    cwd: ROOT,
    env: whole,
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const log = { text: "" };
  child.stderr.on("data", piece => {
    log.text += String(piece);
  });
  const late = setTimeout(() => child.kill("SIGKILL"), START_MS_MAX);
  const line = await new Promise<string | null>(resolve => {
    createInterface({ input: child.stdout })
      .once("line", resolve)
      .once("close", () => resolve(null));
  });
  clearTimeout(late);
  if (line === null) throw new Error(`the server did not start: ${log.text}`);
  return new House({ told: JSON.parse(line), dir, env: whole, child, log });
}

/** On the server that whoever runs these tests has brought. */
function freshPostgres(): Promise<string> {
  const server = process.env[SHARED_SERVER];
  if (server === undefined) throw new Error(`${SHARED_SERVER} names no server: run test/browser/run.ts`);
  return runBun(
    [join("test", "browser", "fresh-database.ts")],
    plainEnvironment({ [SHARED_SERVER]: server }),
  );
}

function runBun(args: readonly string[], env: Environment, stdin = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(BUN, [...args], {
      cwd: ROOT,
      env,
      timeout: COMMAND_MS_MAX,
      killSignal: "SIGKILL",
    });
    let out = "";
    let problems = "";
    child.stdout.on("data", piece => {
      out += String(piece);
    });
    child.stderr.on("data", piece => {
      problems += String(piece);
    });
    child.once("close", code => {
      if (code === 0) resolve(out);
      else reject(new Error(`${args.join(" ")} ended with ${code}: ${problems}${out}`));
    });
    // Some end before they have read it.
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
  });
}
