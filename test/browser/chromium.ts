import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Debian's browser, as the tests start it. */

/** The first has no window to draw, and takes half the time of the others. */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const PACKAGES = ["chromium-headless-shell", "fonts-noto-cjk"];
const INSTALL_MS_MAX = 240_000;

/** It speaks to the server under test alone, and runs as root too. */
export const CHROMIUM_FLAGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function findChromium(): string | null {
  return PLACES.find(place => existsSync(place)) ?? null;
}

/** Where it is missing it is brought, if that is allowed here. */
export function bringChromium(): string {
  const found = findChromium();
  const [wanted] = PLACES;
  if (found === wanted) return found;
  const isRoot = process.getuid?.() === 0;
  const hasApt = spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status === 0;
  if (!isRoot || !hasApt) {
    if (found !== null) return found;
    throw new Error(`Chromium is not installed: install ${PACKAGES.join(" and ")}, then run this again.`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = { env, stdio: "ignore", timeout: INSTALL_MS_MAX } as const;
  const install = () =>
    execFileSync("apt-get", ["install", "-y", "--no-install-recommends", ...PACKAGES], options);
  try {
    try {
      install();
    } catch {
      // The lists of packages may be missing or old.
      execFileSync("apt-get", ["update"], options);
      install();
    }
  } catch (error) {
    if (found === null) throw error;
  }
  const brought = findChromium();
  if (brought === null)
    throw new Error(`${PACKAGES.join(" and ")} were installed, but there is no Chromium.`);
  return brought;
}
