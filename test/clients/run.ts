import { availableParallelism } from "node:os";
import { type Check, checksOf } from "./checks.ts";
import { claude } from "./claude.ts";
import type { Client } from "./client.ts";
import { codex } from "./codex.ts";
import { installClient, installNode } from "./install.ts";
import { opencode } from "./opencode.ts";
import { DIALECTS, startWorld, type World } from "./world.ts";

/**
 * `npm run test:clients`: the coding tools themselves, as npm has them, through a running gateway. Words after `--`
 * choose among claude, codex and opencode; without any it is all of them.
 *
 * They are installed, once, into node_modules/.cache/wicketgate-clients: Node 24 (190 MB), Claude Code 2.1 (350 MB),
 * Codex 0.166 (440 MB), opencode 1.18 (180 MB), each for this platform alone. Versions and checksums stand in the lock
 * files under `pinned`. Every run of a client has a home and a working directory of its own, no more of the environment
 * than it needs, and a time limit; its proxy is a closed port, so that it reaches nothing but loopback. To pin another
 * version: edit its package.json, and run `npm install --package-lock-only --omit-lockfile-registry-resolved` beside it.
 */

const NAMES = ["claude", "codex", "opencode"] as const;
type Name = (typeof NAMES)[number];

const AT_ONCE_MAX = 4;
const EXIT_OK = 0;
const EXIT_FAILED = 1;
/** Nothing was tried. */
const EXIT_NOT_INSTALLED = 3;

const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error));
const say = (line: string) => void process.stdout.write(`${line}\n`);

function wanted(words: readonly string[]): readonly Name[] {
  const strange = words.find(word => !NAMES.some(name => name === word));
  if (strange !== undefined) throw new Error(`“${strange}” is none of ${NAMES.join(", ")}`);
  return words.length === 0 ? NAMES : NAMES.filter(name => words.includes(name));
}

async function clientsOf(name: Name, nodeDir: string): Promise<Client[]> {
  const begin = performance.now();
  const command = await installClient(name, nodeDir);
  say(`${name} is installed (${seconds(begin)})`);
  const path = [nodeDir, "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  switch (name) {
    case "claude":
      return [claude(command, path)];
    case "codex":
      return [codex(command, path)];
    case "opencode":
      return DIALECTS.map(opencode(command, path));
  }
}

function seconds(begin: number): string {
  return `${((performance.now() - begin) / 1000).toFixed(1)} s`;
}

/** So many at a time; the order in which they end does not matter. */
async function tryAll(checks: readonly { client: Client; check: Check }[], world: World): Promise<number> {
  const waiting = [...checks];
  let failed = 0;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const begin = performance.now();
      const problem = await next.check.run(world).then(
        () => null,
        (error: unknown) => sentence(error),
      );
      const verdict = problem === null ? "ok    " : "FAILED";
      say(`${verdict} ${next.client.name}, ${next.check.name} (${seconds(begin)})`);
      if (problem === null) continue;
      failed += 1;
      say(problem.replaceAll(/^/gm, "       "));
    }
  };
  const hands = Math.min(AT_ONCE_MAX, Math.max(2, availableParallelism()));
  await Promise.all(Array.from({ length: hands }, work));
  return failed;
}

async function bring(words: readonly string[]): Promise<Client[]> {
  const names = wanted(words);
  const nodeDir = await installNode();
  const clients = await Promise.all(names.map(name => clientsOf(name, nodeDir)));
  return clients.flat();
}

async function tryThem(clients: readonly Client[]): Promise<number> {
  const checks = clients.flatMap(client => checksOf(client).map(check => ({ client, check })));
  const world = await startWorld({
    models: [...new Set(["mock", ...clients.flatMap(({ tasks }) => tasks.map(({ model }) => model))])],
    keys: checks.map(({ check }) => ({ name: check.id, kind: check.key })),
  });
  let failed = 0;
  try {
    failed = await tryAll(checks, world);
  } finally {
    await world.stop();
  }
  say(`\n ${checks.length - failed} pass\n ${failed} fail`);
  return failed === 0 ? EXIT_OK : EXIT_FAILED;
}

/** What cannot be brought to this machine is not tried, and so did not pass. */
async function main(): Promise<number> {
  const clients = await bring(process.argv.slice(2)).catch((error: unknown) => {
    say(`FAILED: the clients cannot be brought here: ${sentence(error)}`);
    return null;
  });
  if (clients === null) return EXIT_NOT_INSTALLED;
  return tryThem(clients).catch((error: unknown) => {
    say(`FAILED: ${sentence(error)}`);
    return EXIT_FAILED;
  });
}

// What runs in a group of its own hears nothing of an interruption, and ends with this process alone.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(EXIT_FAILED));
process.exit(await main());
