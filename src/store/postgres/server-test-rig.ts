import { randomBytes } from "node:crypto";
import { appendFileSync, chownSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { findBinaries, serverUser } from "./server-binaries-test-rig.ts";
import { killTree, pauseTree, resumeTree } from "./server-processes-test-rig.ts";

/**
 * A real PostgreSQL for tests, brought and taken away by the tests themselves. `npm test` starts one for all of them
 * and names it in the environment; a test that runs alone starts its own; a test that kills its server starts another.
 */

export const SHARED_SERVER = "WICKETGATE_TEST_POSTGRES";
const START_MS_MAX = 20_000;
const START_ATTEMPTS_MAX = 3;
const LOG_CHARACTERS_MAX = 2_000;

export type Postgres = {
  /** Up to the slash before the name of a database. */
  address: string;
  /** Of a database, with the server's only user, who needs no password. */
  url: (database: string) => string;
  /** Makes an empty database, and gives its URL. */
  freshDatabase: () => Promise<string>;
  /** The server and all its processes are gone in an instant; the files stay as they are. */
  kill: () => Promise<void>;
  /** Orderly, but without waiting for clients. */
  shutDown: () => Promise<void>;
  /** On the same port, with the same files. */
  restart: () => Promise<void>;
  /** The processes stand still and their sockets stay open. */
  pause: () => void;
  resume: () => void;
  /** Ends it and removes everything. */
  stop: () => Promise<void>;
};

let own: Promise<Postgres> | null = null;

/** An empty database on the server that all tests share. */
export async function freshDatabase(): Promise<string> {
  const shared = process.env[SHARED_SERVER];
  if (shared !== undefined && shared !== "") return createDatabase(database => `${shared}/${database}`);
  own ??= startPostgres();
  return (await own).freshDatabase();
}

/** Not needed for tidiness, since the server goes as a whole; it keeps the disk small where there are many. */
export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await administer(url.replace(/[^/]*$/, "postgres"), `drop database if exists ${name} with (force)`);
}

async function createDatabase(url: (database: string) => string): Promise<string> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await administer(url("postgres"), `create database ${name}`);
  return url(name);
}

async function administer(url: string, statement: string): Promise<void> {
  const sql = new SQL(url, { max: 1, connectionTimeout: START_MS_MAX / 1_000 });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.close({ timeout: 0 });
  }
}

export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "wicketgate-postgres-"));
  const watch = Bun.spawn([process.execPath, join(import.meta.dir, "server-watch-test-rig.ts"), folder], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "inherit",
  });
  watch.unref();
  const stop = async () => {
    await watch.stdin.end();
    await watch.exited;
  };
  try {
    return { ...(await startIn(folder, pid => tell(watch, pid))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function tell(watch: Bun.Subprocess<"pipe", "ignore", "inherit">, pid: number): void {
  watch.stdin.write(`${pid}\n`);
  watch.stdin.flush();
}

async function startIn(folder: string, onStart: (pid: number) => void): Promise<Omit<Postgres, "stop">> {
  const bin = findBinaries(folder);
  const user = serverUser();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  initialize({ bin, data, user });
  appendFileSync(join(data, "postgresql.conf"), settings(folder));
  const server = new Server({ bin, data, folder, user, onStart });
  await server.startSomewhere();
  const address = `postgres://postgres@127.0.0.1:${server.port}`;
  const url = (database: string) => `${address}/${database}`;
  return {
    address,
    url,
    freshDatabase: () => createDatabase(url),
    kill: () => server.kill(),
    shutDown: () => server.shutDown(),
    restart: () => server.start(),
    pause: () => void pauseTree(server.pid),
    resume: () => resumeTree(server.pid),
  };
}

type User = { uid: number; gid: number } | null;

function initialize({ bin, data, user }: { bin: string; data: string; user: User }): void {
  const made = Bun.spawnSync(
    [
      join(bin, "initdb"),
      ...["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    ],
    { cwd: "/", stdin: "ignore", stdout: "pipe", stderr: "pipe", ...user },
  );
  if (!made.success) throw new Error(`initdb failed: ${made.stderr.toString()}`);
}

/** As a careful operator has it: what is committed is on the disk. */
function settings(folder: string): string {
  return [
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    "max_connections = 200",
    "fsync = on",
    "synchronous_commit = on",
    "",
  ].join("\n");
}

type Place = {
  bin: string;
  data: string;
  folder: string;
  user: User;
  onStart: (pid: number) => void;
};

class Server {
  readonly #place: Place;
  #process: Bun.Subprocess | null = null;
  port = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Another process can take the port between the question and the start. */
  async startSomewhere(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      this.port = await freePort();
      try {
        return await this.start();
      } catch (error) {
        if (attempt === START_ATTEMPTS_MAX) throw error;
      }
    }
  }

  async start(): Promise<void> {
    const { bin, data, folder, user, onStart } = this.#place;
    const log = join(folder, "log");
    const out = openSync(log, "a");
    const command = [join(bin, "postgres"), "-D", data, "-p", String(this.port)];
    this.#process = Bun.spawn(command, { cwd: "/", stdin: "ignore", stdout: out, stderr: out, ...user });
    this.#process.unref();
    onStart(this.pid);
    try {
      await this.#ready();
    } catch (error) {
      const said = readFileSync(log, "utf8").slice(-LOG_CHARACTERS_MAX);
      throw new Error(`PostgreSQL does not start: ${String(error)}\n${said}`);
    }
  }

  async #ready(): Promise<void> {
    const url = `postgres://postgres@127.0.0.1:${this.port}/postgres`;
    const giveUpAt = performance.now() + START_MS_MAX;
    for (;;) {
      try {
        return await administer(url, "select 1");
      } catch (error) {
        if (this.#process?.exitCode !== null || performance.now() > giveUpAt) throw error;
        await Bun.sleep(20);
      }
    }
  }

  async kill(): Promise<void> {
    await killTree(this.pid);
    await this.#process?.exited;
    // Their numbers may be given to others, and then the next start would take those for a running server.
    const { data, folder } = this.#place;
    const locks = readdirSync(folder).filter(name => name.startsWith(".s.PGSQL"));
    for (const lock of [...locks.map(name => join(folder, name)), join(data, "postmaster.pid")]) {
      rmSync(lock, { force: true });
    }
    this.#place.onStart(0);
  }

  async shutDown(): Promise<void> {
    this.#process?.kill("SIGINT");
    await this.#process?.exited;
    this.#place.onStart(0);
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    resolve(typeof address === "object" && address !== null ? address.port : 0);
  });
  const port = await promise;
  await new Promise(closed => server.close(closed));
  return port;
}
