import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, freePort } from "./processes.ts";
import type { Site } from "./site.ts";
import { ready, type Target } from "./targets.ts";

export const MODEL = "bench-model";
/** The same, from an upstream that speaks messages. */
export const MESSAGES_MODEL = "bench-messages-model";
const EMAIL = "bench@example.org";
const GROUP = "bench";
const MAIN = join(import.meta.dir, "../src/main.ts");

/** The gateway as an operator would run it: a priced model, an account with money, a key without limits. */
export type Gateway = Target & { dataDir: string; key: string };

/** Without a database URL, SQLite in its data dir, of which there is one for each name. */
export type GatewayOptions = { upstream: Target; place?: Place };
export type Place = { name: string; databaseUrl: string };
const DEFAULT_PLACE: Place = { name: "data", databaseUrl: "" };

export async function startGateway(
  site: Site,
  { upstream, place = DEFAULT_PLACE }: GatewayOptions,
): Promise<Gateway> {
  const dataDir = dataDirOf(site, place);
  const applyFile = join(site.dir, `apply-${place.name}.yaml`);
  writeFileSync(applyFile, applyText(`${upstream.root}/v1`));
  await wicketgate(site, ["apply", applyFile], place);
  const key = await createKey(site, place);
  return { ...(await serve(site, place)), dataDir, key };
}

/** On what is in its database already. */
export async function serve(site: Site, place: Place): Promise<Target> {
  const port = freePort();
  const server = site.processes.start({
    name: "wicketgate",
    command: [process.execPath, MAIN, "serve"],
    env: { ...environment(site, place), PORT: String(port) },
    logFile: join(site.dir, `wicketgate-${place.name}.log`),
  });
  return ready({ name: "wicketgate", root: `http://127.0.0.1:${port}`, server }, "/readyz");
}

export function dataDirOf(site: Site, { name }: Place = DEFAULT_PLACE): string {
  const dataDir = join(site.dir, name);
  mkdirSync(dataDir, { recursive: true });
  return dataDir;
}

/** Runs one command of the gateway's own command line and gives what it printed. */
export async function wicketgate(
  site: Site,
  args: readonly string[],
  place: Place = DEFAULT_PLACE,
): Promise<string> {
  const { code, stdout, stderr } = await site.processes.run({
    command: [process.execPath, MAIN, ...args],
    env: environment(site, place),
  });
  if (code !== 0) {
    throw new Error(`wicketgate ${args.join(" ")} ended with code ${code}:\n${(stdout + stderr).trimEnd()}`);
  }
  return stdout;
}

async function createKey(site: Site, place: Place): Promise<string> {
  const args = ["key", "create", "--account", EMAIL, "--name", "bench", "--group", GROUP, "--json"];
  const printed: unknown = JSON.parse(await wicketgate(site, args, place));
  const hasKey = typeof printed === "object" && printed !== null && "key" in printed;
  if (!hasKey || typeof printed.key !== "string")
    throw new Error("wicketgate key create --json printed no key.");
  return printed.key;
}

/** Nothing of the caller's own settings: an empty DATABASE_URL also hides one from a .env file. */
function environment(site: Site, place: Place): Environment {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: site.dir,
    HOST: "127.0.0.1",
    DATABASE_URL: place.databaseUrl,
    WICKETGATE_DATA_DIR: dataDirOf(site, place),
    WICKETGATE_DEMO: "off",
  };
}

function applyText(upstreamUrl: string): string {
  return `
upstreams:
  - name: mock
    kind: openai-compatible
    base_url: ${upstreamUrl}
    speaks: [chat]
    api_key: bench-upstream-key
    models: [${MODEL}]
  - name: mock-messages
    kind: openai-compatible
    base_url: ${upstreamUrl}
    speaks: [messages]
    api_key: bench-upstream-key
    models: [${MESSAGES_MODEL}]
models:
  - name: ${MODEL}
    context_tokens: 128000
    max_output_tokens: 4096
    price: { input: 1.25, output: 10 }
  - name: ${MESSAGES_MODEL}
    context_tokens: 128000
    max_output_tokens: 4096
    price: { input: 1.25, output: 10 }
groups:
  - name: ${GROUP}
    enabled: true
    multiplier: 1.0
    models: [${MODEL}, ${MESSAGES_MODEL}]
    billing: balance
accounts:
  - email: ${EMAIL}
    role: holder
    balance: 1000000
`;
}
