import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Postgres, SHARED_SERVER, startPostgres } from "../../src/store/postgres/server-test-rig.ts";
import { bringChromium } from "./chromium.ts";

/**
 * `npm run test:browser`: the console in headless Chromium, on the real server. Words after `--` go to Playwright, such
 * as the name of a file of `walks`. Of what fails a picture is kept, in the folder for temporary files, and with
 * `WICKETGATE_BROWSER_TRACE=on` a trace. With `WICKETGATE_BROWSER_LATE_MS=400` a page hears so much later of everything.
 */

const ROOT = join(import.meta.dir, "..", "..");
const EXIT_FAILED = 1;
/** Nothing was tried. */
const EXIT_NOT_INSTALLED = 3;
const WHOLE_MS_MAX = 30 * 60_000;

const say = (line: string) => void process.stdout.write(`${line}\n`);
const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function must(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { cwd: ROOT, stdin: "ignore", stdout: "inherit", stderr: "inherit" });
  const code = await child.exited;
  if (code !== 0) throw new Error(`${command.slice(1).join(" ")} ended with ${code}`);
}

type Stats = { expected: number; unexpected: number; skipped: number; flaky: number };
type Noted = { annotations: { type: string; description?: string }[] };
type Suite = { suites?: Suite[]; specs?: { tests: Noted[] }[] };

/** What tests have measured. */
function notesOf({ suites = [], specs = [] }: Suite): string[] {
  const own = specs.flatMap(({ tests }) => tests.flatMap(({ annotations }) => annotations));
  const said = own.map(({ type, description }) => `${type}: ${description ?? ""}`);
  return [...said, ...suites.flatMap(notesOf)];
}

/** Playwright runs under Node; what it counted stands in its report. */
async function walk(words: readonly string[], server: string): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), "wicketgate-browser-report-"));
  const report = join(scratch, "report.json");
  const cli = join(ROOT, "node_modules", "@playwright", "test", "cli.js");
  const child = Bun.spawn(["node", cli, "test", "-c", "playwright.config.ts", ...words], {
    cwd: import.meta.dir,
    env: { ...process.env, WICKETGATE_BROWSER_REPORT: report, [SHARED_SERVER]: server },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    timeout: WHOLE_MS_MAX,
  });
  const code = await child.exited;
  const whole = JSON.parse(readFileSync(report, "utf8")) as Suite & { stats: Stats };
  const { stats } = whole;
  rmSync(scratch, { recursive: true, force: true });
  for (const note of notesOf(whole)) say(`  ${note}`);
  const failed = stats.unexpected + stats.flaky;
  say(`\n ${stats.expected} pass\n ${stats.skipped} skip\n ${failed} fail`);
  return code !== 0 || failed > 0 ? EXIT_FAILED : 0;
}

async function main(): Promise<number> {
  try {
    bringChromium();
    await must([process.execPath, join("web", "build.ts")]);
  } catch (error) {
    say(`FAILED: the console cannot be opened in a browser here: ${sentence(error)}`);
    return EXIT_NOT_INSTALLED;
  }
  const shared = process.env[SHARED_SERVER] ?? "";
  const own: Postgres | null = shared === "" ? await startPostgres() : null;
  try {
    return await walk(process.argv.slice(2), own?.address ?? shared);
  } catch (error) {
    say(`FAILED: ${sentence(error)}`);
    return EXIT_FAILED;
  } finally {
    await own?.stop();
  }
}

process.exit(await main());
