import { existsSync, readFileSync } from "node:fs";
import type { Processes } from "./processes.ts";

/** The two programs that do not come with npm. */
export type Tools = { wrk: string; nginx: string };

const packages = { wrk: "wrk", nginx: "nginx-light" } as const;
const SEARCH_PATH = `${process.env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin`;
const NGINX_SERVICE_PID_FILE = "/run/nginx.pid";

export async function ensureTools(processes: Processes, say: (line: string) => void): Promise<Tools> {
  const missing = missingTools();
  if (missing.length > 0) {
    const wanted = missing.map(tool => packages[tool]);
    requireApt(wanted);
    say(`Installing ${wanted.join(" and ")} with apt-get.`);
    await install(processes, wanted);
    if (missing.includes("nginx")) await stopService(processes);
  }
  return { wrk: locate("wrk"), nginx: locate("nginx") };
}

function missingTools(): readonly (keyof Tools)[] {
  return (["wrk", "nginx"] as const).filter(tool => find(tool) === null);
}

function find(tool: string): string | null {
  return Bun.which(tool, { PATH: SEARCH_PATH });
}

function locate(tool: keyof Tools): string {
  const path = find(tool);
  if (path === null) throw new Error(`${tool} was installed but cannot be found in ${SEARCH_PATH}.`);
  return path;
}

function requireApt(wanted: readonly string[]): void {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && find("apt-get") !== null) return;
  const why = isRoot ? "there is no apt-get here" : "only root can install them";
  throw new Error(
    `The bench needs ${wanted.join(" and ")}, and ${why}. On Debian or Ubuntu: sudo apt-get install ${wanted.join(" ")}`,
  );
}

async function install(processes: Processes, wanted: readonly string[]): Promise<void> {
  // With RUNLEVEL=1 Debian's invoke-rc.d does not start the service of a new package where System V init is used.
  const env = { ...process.env, PATH: SEARCH_PATH, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const aptGet = find("apt-get") ?? "apt-get";
  const steps = [
    [aptGet, "update"],
    [aptGet, "install", "--yes", "--no-install-recommends", ...wanted],
  ];
  for (const command of steps) {
    const { code, stderr } = await processes.run({ command, env });
    if (code !== 0) throw new Error(`${command.join(" ")} ended with code ${code}:\n${stderr.trimEnd()}`);
  }
}

/** nginx was not on this machine before, so a service that runs now was started by its package. */
async function stopService(processes: Processes): Promise<void> {
  if (!existsSync(NGINX_SERVICE_PID_FILE)) return;
  const service = find("service");
  if (service !== null)
    await processes.run({ command: [service, "nginx", "stop"], env: { PATH: SEARCH_PATH } });
  if (existsSync(NGINX_SERVICE_PID_FILE)) {
    process.kill(Number(readFileSync(NGINX_SERVICE_PID_FILE, "utf8")), "SIGTERM");
  }
}
