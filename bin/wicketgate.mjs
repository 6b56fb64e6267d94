#!/usr/bin/env node
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Wicketgate runs on the Bun that npm installed beside it; this is the door from Node. */
function findBun() {
  const manifest = createRequire(import.meta.url).resolve("bun/package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  return join(dirname(manifest), bin.bun);
}

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const child = spawn(findBun(), [main, ...process.argv.slice(2)], { stdio: "inherit" });

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("error", error => {
  process.stderr.write(
    `Bun, on which Wicketgate runs, cannot be started (${error.message}). Run npm ci again.\n`,
  );
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
