import { join } from "node:path";

/** A PostgreSQL for the run, with durable commits; it ends when its input is closed, or when we are gone. */
export type PostgresServer = { urls: readonly [string, string]; stop: () => Promise<void> };

export async function startPostgresServer(): Promise<PostgresServer> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../test/postgres-server.ts")], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  let printed = "";
  for await (const piece of child.stdout) {
    printed += new TextDecoder().decode(piece);
    if (printed.includes("\n")) break;
  }
  const [first, second] = printed.trim().split(" ");
  if (first === undefined || second === undefined) throw new Error("PostgreSQL did not start.");
  return {
    urls: [first, second],
    stop: async () => {
      await child.stdin.end();
      await child.exited;
    },
  };
}
