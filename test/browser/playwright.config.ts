import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHROMIUM_FLAGS, findChromium } from "./chromium.ts";

/** The settings of Playwright, which takes what a module exports where it has no default. */

const scratch = join(tmpdir(), "wicketgate-browser");

export const testDir = "walks";
export const testMatch = "*.ts";
export const outputDir = join(scratch, "results");
export const fullyParallel = false;
/** One more than cores: while one waits for a server, another draws. */
export const workers = 3;
export const retries = 0;
export const timeout = 30_000;
export const forbidOnly = true;
export const expect = { timeout: 8_000 };
export const reporter = [["list"], ["json", { outputFile: process.env["WICKETGATE_BROWSER_REPORT"] }]];
export const use = {
  browserName: "chromium",
  viewport: { width: 1440, height: 900 },
  locale: "en-GB",
  timezoneId: "UTC",
  contextOptions: { reducedMotion: "reduce" },
  actionTimeout: 8_000,
  navigationTimeout: 15_000,
  // Keeping one of every walk takes a third of the time of all of them.
  trace: process.env["WICKETGATE_BROWSER_TRACE"] === "on" ? "retain-on-failure" : "off",
  screenshot: "only-on-failure",
  permissions: ["clipboard-read", "clipboard-write"],
  launchOptions: { executablePath: findChromium() ?? undefined, args: [...CHROMIUM_FLAGS] },
};

/** What touches money, and every page of the operator, is walked through on both databases. */
export const projects = [
  { name: "SQLite", use: { database: "SQLite" } },
  {
    name: "PostgreSQL",
    testMatch: ["journey.ts", "money.ts", "operator-*.ts"],
    use: { database: "PostgreSQL" },
  },
];
