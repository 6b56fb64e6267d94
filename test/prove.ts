import { join } from "node:path";
import { PROVE, PROVE_SEED } from "../src/store/history-proof.case.ts";
import { SHARED_SERVER, startPostgres } from "../src/store/postgres/server-test-rig.ts";
import { type Part, type Proving, parts } from "./prove-parts.ts";

/**
 * `npm run prove`: what `npm test` tries on a small scale, at full size. Words after `--` choose the parts whose name
 * has one of them; docs/proof.md tells what is proved, and how to read what it prints.
 */

const ROOT = join(import.meta.dir, "..");

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function prove(part: Part, proving: Proving): Promise<string> {
  say(`\n== ${part.name}`);
  const begin = performance.now();
  const holds = await part.run(proving).catch((error: unknown) => {
    say(String(error));
    return false;
  });
  const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
  return `${holds ? "proved" : "FAILED"}  ${part.name}, in ${seconds} s`;
}

function seedOf(text: string | undefined): number {
  return text === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(text);
}

const seed = seedOf(process.env[PROVE_SEED]);
const wanted = process.argv.slice(2);
const chosen = parts.filter(({ name }) => wanted.length === 0 || wanted.some(word => name.includes(word)));
const postgres = await startPostgres();
const env = {
  ...process.env,
  ...{ [PROVE]: "full", [PROVE_SEED]: String(seed), [SHARED_SERVER]: postgres.address },
};
say(`seed ${seed}`);
const tests = async (file: string, named?: string) => {
  const names = named === undefined ? [] : ["--test-name-pattern", named];
  const command = [process.execPath, "test", file, ...names];
  const child = Bun.spawn(command, { cwd: ROOT, env, stdin: "ignore", stdout: "inherit", stderr: "inherit" });
  return (await child.exited) === 0;
};

const lines: string[] = [];
for (const part of chosen) {
  const line = await prove(part, { postgres, seed, tests });
  say(line);
  lines.push(line);
}
await postgres.stop();
say(`\nseed ${seed}\n${lines.join("\n")}`);
process.exit(lines.length > 0 && lines.every(line => line.startsWith("proved")) ? 0 : 1);
