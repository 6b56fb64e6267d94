import { join } from "node:path";
import { bringChromium } from "./chromium.ts";

/**
 * `bun test/browser/screenshots.ts`: takes every picture of docs/screenshots anew, from a house with five weeks of a
 * past. Look at each of them before they are kept.
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
