import { join } from "node:path";
import { bringChromium } from "./chromium.ts";

/**
 * `bun test/browser/screenshots.ts`: takes every picture of docs/screenshots anew, from houses with five weeks of a
 * past; words after it go to Playwright, such as `operator.ts`. Look at each of them before they are kept.
 * WICKETGATE_SHOTS puts them elsewhere, WICKETGATE_SHOTS_ONLY takes single scenes, by commas, WICKETGATE_SHOTS_ALL=1
 * keeps those that are left out, and WICKETGATE_SHOTS_PNG=1 keeps each as PNG, too.
 */

const ROOT = join(import.meta.dir, "..", "..");

async function must(command: readonly string[], cwd = ROOT): Promise<void> {
  const child = Bun.spawn([...command], { cwd, stdin: "ignore", stdout: "inherit", stderr: "inherit" });
  const code = await child.exited;
  if (code !== 0) process.exit(code);
}

bringChromium();
await must([process.execPath, join("web", "build.ts")]);
const cli = join(ROOT, "node_modules", "@playwright", "test", "cli.js");
await must(["node", cli, "test", "-c", "shots.config.ts", ...process.argv.slice(2)], import.meta.dir);
