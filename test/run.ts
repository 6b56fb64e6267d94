import { join } from "node:path";
import { type Postgres, SHARED_SERVER, startPostgres } from "../src/store/postgres/server-test-rig.ts";

/**
 * `npm test`: format and lint, types, then every test, with one PostgreSQL for all of them; one line at the end says
 * how it went.
 */

const ROOT = join(import.meta.dir, "..");
const TEST_MS_MAX = 60_000;
/** Files at once. Those of the whole wait for clocks and for each other's processes most of the time. */
const FILES_AT_ONCE = 2;
const WHOLE_FILES_AT_ONCE = 4;
/** These say how soon something happens, which others beside them would answer instead. */
const ALONE = [
  "cluster-changes",
  "console-changes",
  "console-settings-cluster",
  "failover-hang",
  "gateway-crash",
  "restart",
].map(name => `./test/${name}.test.ts`);

/** What a test says before the line that it failed, at most. */
const LINES_BEFORE = 16;

type Count = { passed: number; failed: number; skipped: number };

/** Runs a tool that npm installed; its output is passed on as it comes. */
async function run(command: readonly string[], server = ""): Promise<{ code: number; output: string }> {
  // Their output is read here, so it must be plain.
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, [SHARED_SERVER]: server };
  const child = Bun.spawn([...command], { cwd: ROOT, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  let output = "";
  const pass = async (from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream) => {
    const decoder = new TextDecoder();
    for await (const piece of from) {
      to.write(piece);
      output += decoder.decode(piece, { stream: true });
    }
  };
  await Promise.all([pass(child.stdout, process.stdout), pass(child.stderr, process.stderr)]);
  return { code: await child.exited, output };
}

/** Said again at the end, where whoever looks first looks: what failed, and what it said. */
const failures: string[] = [];

/** As Bun, Playwright and the runs of the clients mark it. */
const FAILED = /^(\(fail\) | {2}\d+\) \[|FAILED)/;

function noteFailures(name: string, output: string): void {
  const lines = output.split("\n");
  // They are said once more at the end.
  const noted = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (!FAILED.test(line) || noted.has(line)) continue;
    noted.add(line);
    const isHead = line.startsWith("  ");
    const from = isHead
      ? at
      : Math.max(
          at - LINES_BEFORE,
          lines.findLastIndex((one, place) => place < at && /^\(\w+\) /.test(one)) + 1,
        );
    const to = isHead ? at + LINES_BEFORE : at + 1;
    failures.push(`-- ${name}\n${lines.slice(from, to).join("\n")}`);
  }
}

function heading(text: string): void {
  process.stdout.write(`\n== ${text}\n`);
}

/** One step that either holds or does not. */
async function step(name: string, command: readonly string[]): Promise<Count> {
  heading(name);
  const { code, output } = await run(command);
  if (code !== 0) failures.push(`-- ${name}\n${output.split("\n").slice(-LINES_BEFORE).join("\n")}`);
  return { passed: 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}

/** What was counted; a process that broke before it could count is one failure more. */
async function tests(name: string, command: readonly string[]): Promise<Count> {
  heading(name);
  const { code, output } = await run(command, postgres?.address);
  noteFailures(name, output);
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  const failed = count("fail");
  const broke = code !== 0 && failed === 0 ? 1 : 0;
  return { passed: count("pass"), failed: failed + broke, skipped: count("skip") + count("todo") };
}

async function bringPostgres(): Promise<Postgres | null> {
  heading("PostgreSQL for the tests");
  try {
    return await startPostgres();
  } catch (error) {
    process.stderr.write(`${error}\n`);
    return null;
  }
}

const postgres = await bringPostgres();
const bunTest = (paths: readonly string[], filesAtOnce = FILES_AT_ONCE) => [
  ...[process.execPath, "test", `--timeout=${TEST_MS_MAX}`, `--parallel=${filesAtOnce}`, ...paths],
];
const files = [...new Bun.Glob("test/**/*.test.ts").scanSync(ROOT)].map(file => `./${file}`);
const whole = files.filter(file => !ALONE.includes(file));
if (files.length !== whole.length + ALONE.length)
  throw new Error("one of the files that run alone is not there");
const tool = (name: string) => join(ROOT, "node_modules", ".bin", name);
const counts = [
  { passed: 0, failed: postgres === null ? 1 : 0, skipped: 0 },
  await step("format and lint", [tool("biome"), "ci", "--colors=off", "."]),
  await step("types", [tool("tsc"), "-p", "."]),
  await step("types of the console's pages", [tool("tsc"), "-p", "web"]),
  await step("types of the tests in a browser", [tool("tsc"), "-p", "test/browser"]),
  await tests("unit tests", bunTest(["./src"])),
  await tests("tests of the console's pages", bunTest(["./web"])),
  await tests("tests of the whole", bunTest(whole, WHOLE_FILES_AT_ONCE)),
  await tests("tests of how soon things happen", bunTest(ALONE, 1)),
  await tests("the console in a browser", [process.execPath, "test/browser/run.ts"]),
  await tests("Claude Code and Codex", [process.execPath, "test/clients/run.ts", "claude", "codex"]),
  await tests("clients set up as the console says", [process.execPath, "test/clients/snippets.ts"]),
];
await postgres?.stop();

const total = (field: keyof Count) => counts.reduce((sum, count) => sum + count[field], 0);
const skipped = total("skipped") > 0 ? `, ${total("skipped")} skipped` : "";
if (failures.length > 0) process.stdout.write(`\n== what failed\n${failures.join("\n\n")}\n`);
process.stdout.write(`\n${total("passed")} passed, ${total("failed")} failed${skipped}\n`);
process.exit(total("failed") === 0 ? 0 : 1);
