import { rmSync } from "node:fs";
import { killTree } from "./server-processes-test-rig.ts";

/**
 * A process beside the tests. It reads the number of the server's process from its standard input, a line for each
 * start, and when the input ends, because the tests have ended or were killed, it takes the server away.
 */
const folder = process.argv[2];
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => undefined);

let heard = "";
for await (const piece of Bun.stdin.stream()) heard += new TextDecoder().decode(piece);
const pid = Number(heard.trim().split("\n").at(-1));
if (pid > 0) await killTree(pid);
if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
