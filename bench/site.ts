import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Processes } from "./processes.ts";

/** Where a run happens: a directory of its own and the processes in it. Closing it leaves nothing behind. */
export type Site = { dir: string; processes: Processes; close: () => Promise<void> };

export function openSite(): Site {
  const dir = mkdtempSync(join(tmpdir(), "wicketgate-bench-"));
  const processes = new Processes();
  const close = async () => {
    await processes.stopAll();
    rmSync(dir, { recursive: true, force: true });
  };
  return { dir, processes, close };
}

/** Closes the site also when the run is interrupted. */
export function closeOnSignal(site: Site): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => {
      site.close().finally(() => process.exit(code));
    });
  }
}
