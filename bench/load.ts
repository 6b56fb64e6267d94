import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MODEL } from "./gateway.ts";
import type { Site } from "./site.ts";
import type { Target } from "./targets.ts";

export type Mode = "non-streaming" | "streaming";
export const modes: readonly Mode[] = ["non-streaming", "streaming"];
export const CHAT_PATH = "/v1/chat/completions";

/** What wrk is told to do, and what it says afterwards. */
export type Load = { target: Target; mode: Mode; connections: number; seconds: number };
export type LoadResult = { requests: number; bytes: number; seconds: number; p50Ms: number; p99Ms: number };
export type Wrk = (load: Load) => Promise<LoadResult>;

const MARK = "bench-result ";
const errorNames = ["connect", "read", "write", "timeout", "status"];
const messages = [{ role: "user", content: "Say hello to the world, please." }];

export function requestBody(mode: Mode): string {
  return JSON.stringify({ model: MODEL, ...(mode === "streaming" ? { stream: true } : {}), messages });
}

/** Every target gets the same bytes from one wrk thread. */
export function makeWrk(site: Site, { wrk, key }: { wrk: string; key: string }): Wrk {
  const scripts = new Map(modes.map(mode => [mode, join(site.dir, `${mode}.lua`)]));
  for (const [mode, file] of scripts) writeFileSync(file, wrkScript({ key, body: requestBody(mode) }));
  return ({ target, mode, connections, seconds }) =>
    runWrk(site, {
      wrk,
      script: scripts.get(mode) ?? "",
      url: target.root + CHAT_PATH,
      connections,
      seconds,
      what: `${target.name}, ${mode}`,
    });
}

export type WrkRun = {
  wrk: string;
  script: string;
  url: string;
  connections: number;
  seconds: number;
  what: string;
};

export async function runWrk(site: Site, run: WrkRun): Promise<LoadResult> {
  const { wrk, script, url, connections, seconds, what } = run;
  const size = ["--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`];
  const command = [wrk, ...size, "--timeout", "10s", "--latency", "--script", script, url];
  const { code, stdout, stderr } = await site.processes.run({ command, env: {} });
  if (code !== 0) throw new Error(`wrk against ${what} ended with code ${code}:\n${stdout}${stderr}`);
  return readResult(stdout, `${what}, ${connections} connections`);
}

function readResult(stdout: string, what: string): LoadResult {
  const line = stdout.split("\n").find(text => text.startsWith(MARK));
  const fields = (line ?? "").slice(MARK.length).trim().split(" ").map(Number);
  const [requests = 0, bytes = 0, micros = 0, p50 = 0, p99 = 0, ...errors] = fields;
  if (line === undefined || errors.length !== errorNames.length)
    throw new Error(`wrk printed no result:\n${stdout}`);
  if (errors.some(count => count > 0)) {
    const counts = errorNames.map((name, at) => `${name} ${errors[at]}`).join(", ");
    throw new Error(`wrk met errors (${what}): ${counts}, in ${requests} requests.`);
  }
  if (requests === 0) throw new Error(`wrk completed no request (${what}).`);
  return { requests, bytes, seconds: micros / 1e6, p50Ms: p50 / 1000, p99Ms: p99 / 1000 };
}

/** Only `done` is defined: a per-request function in the script would cost wrk far more than the request itself. */
export function wrkScript({ key, body }: { key: string; body: string }): string {
  return `
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.headers["authorization"] = "Bearer ${key}"
wrk.body = [==[${body}]==]
function done(summary, latency)
  io.write(string.format("${MARK}%d %.0f %d %d %d${" %d".repeat(errorNames.length)}\\n",
    summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99),
    ${errorNames.map(name => `summary.errors.${name}`).join(", ")}))
end
`;
}
