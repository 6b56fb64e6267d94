import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { freshDir, ROOT, removeDir } from "../harness.ts";
import { runBounded } from "./run-bounded.ts";

/**
 * Brings the clients, and the Node that they ask for, from the npm registry and from nowhere else. What is pinned under
 * `pinned` is installed once; a later run finds it in the cache, unless a lock file has changed since.
 */

export type Package = "node" | "claude" | "codex" | "opencode";

const PINNED = join(import.meta.dir, "pinned");
const CACHE = join(ROOT, "node_modules", ".cache", "wicketgate-clients");
const INSTALL_MS_MAX = 300_000;
const VERSION_MS_MAX = 60_000;
const NODE_MAJOR_MIN = 22;
const PLATFORM = `${process.platform}-${process.arch}`;

/** Where each command is in its node_modules. */
const COMMANDS: Record<Package, string> = {
  node: ".bin/node",
  claude: ".bin/claude",
  codex: ".bin/codex",
  // The platform's own package is all that its launcher starts, and the only one that the registry always has.
  opencode: `opencode-${PLATFORM}/bin/opencode`,
};

/** The directory of a Node that is new enough: pinned where its platform has one, else the machine's own. */
export async function installNode(): Promise<string> {
  const manifest = readFileSync(join(PINNED, "node", "package.json"), "utf8");
  const path = process.env["PATH"] ?? "";
  if (manifest.includes(`"node-${PLATFORM}"`)) return dirname(await install("node", path));
  const own = Bun.which("node");
  const version = own === null ? "none" : await versionOf(own, path);
  const major = Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);
  if (own !== null && major >= NODE_MAJOR_MIN) return dirname(own);
  throw new Error(
    `no Node for ${PLATFORM} is pinned, and the machine has ${version}: install Node ${NODE_MAJOR_MIN} or newer`,
  );
}

/** Its command. */
export function installClient(name: Package, nodeDir: string): Promise<string> {
  return install(name, `${nodeDir}:${process.env["PATH"] ?? ""}`);
}

async function install(name: Package, path: string): Promise<string> {
  const home = join(CACHE, `${name}-${PLATFORM}-${lockHash(name)}`);
  const command = (dir: string) => join(dir, "node_modules", COMMANDS[name]);
  if (existsSync(home)) return command(home);
  const attempt = `${home}.${process.pid}`;
  mkdirSync(attempt, { recursive: true });
  try {
    for (const file of ["package.json", "package-lock.json"])
      cpSync(join(PINNED, name, file), join(attempt, file));
    await npmCi({ name, dir: attempt, path });
    // Binaries are optional dependencies: npm goes on without a word where it cannot get them.
    await versionOf(command(attempt), path);
    if (!existsSync(home)) renameSync(attempt, home);
    removeOlder(name, home);
    return command(home);
  } finally {
    rmSync(attempt, { recursive: true, force: true });
  }
}

async function npmCi({ name, dir, path }: { name: Package; dir: string; path: string }): Promise<void> {
  const command = ["npm", "ci", "--no-audit", "--no-fund", "--prefix", dir];
  const env = { ...npmSettings(), PATH: path };
  const { code, timedOut, stderr } = await runBounded({ command, env, cwd: dir, msMax: INSTALL_MS_MAX });
  if (code === 0) return;
  const why = timedOut ? `took more than ${INSTALL_MS_MAX / 1000} s` : `ended with ${code}`;
  throw new Error(`“npm ci” for ${name} ${why}: ${stderr.trim().split("\n").slice(-8).join(" | ")}`);
}

/** The machine's settings for npm are needed, such as its registry; what the npm around this run says of itself is not. */
function npmSettings(): Record<string, string> {
  const settings = Object.entries(process.env).filter(
    ([name, value]) =>
      value !== undefined && !/^npm_(package|lifecycle|command|config_local_prefix)/.test(name),
  );
  return Object.fromEntries(settings) as Record<string, string>;
}

async function versionOf(command: string, path: string): Promise<string> {
  const home = freshDir();
  const env = { PATH: path, HOME: home };
  const ran = await runBounded({ command: [command, "--version"], env, msMax: VERSION_MS_MAX })
    .catch((error: unknown) => ({ code: 1, stdout: "", stderr: String(error) }))
    .finally(() => removeDir(home));
  if (ran.code === 0) return ran.stdout.trim();
  const why = ran.stderr.trim().split("\n")[0];
  throw new Error(
    `npm brought no ${basename(command)} that runs on ${PLATFORM}: the registry does not have it, or was not reached (${why})`,
  );
}

/** What an earlier lock file asked for. */
function removeOlder(name: Package, home: string): void {
  for (const entry of readdirSync(CACHE)) {
    const isOlder = entry.startsWith(`${name}-`) && !entry.startsWith(basename(home));
    if (isOlder) rmSync(join(CACHE, entry), { recursive: true, force: true });
  }
}

function lockHash(name: Package): string {
  const lock = readFileSync(join(PINNED, name, "package-lock.json"));
  return createHash("sha256").update(lock).digest("hex").slice(0, 12);
}
