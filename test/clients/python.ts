import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../harness.ts";
import { runBounded } from "./run-bounded.ts";

/** The two Python libraries, from the package index that the machine's pip is set to, once. */

const PACKAGES = ["openai==3.22.1", "anthropic==1.13.0"];
const INSTALL_MS_MAX = 180_000;
const CACHE = join(ROOT, "node_modules", ".cache", "wicketgate-clients");

export type Python = { command: string; libraries: string };

/** A sentence where there is no Python, or the libraries cannot be brought. */
export async function installPython(): Promise<Python | string> {
  const command = Bun.which("python3");
  if (command === null) return "there is no python3 on this machine";
  const wanted = createHash("sha256").update(PACKAGES.join()).digest("hex").slice(0, 12);
  const libraries = join(CACHE, `python-${process.platform}-${process.arch}-${wanted}`);
  if (existsSync(libraries)) return { command, libraries };
  const attempt = `${libraries}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  const pip = [
    command,
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-warn-conflicts",
  ];
  const ran = await runBounded({
    command: [...pip, "--target", attempt, ...PACKAGES],
    msMax: INSTALL_MS_MAX,
  });
  try {
    if (ran.code !== 0) return `pip did not bring them: ${ran.stderr.trim().split("\n").at(-1) ?? ""}`;
    if (!existsSync(libraries)) renameSync(attempt, libraries);
    return { command, libraries };
  } finally {
    rmSync(attempt, { recursive: true, force: true });
  }
}
