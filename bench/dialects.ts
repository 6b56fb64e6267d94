import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MESSAGES_MODEL, MODEL, startGateway } from "./gateway.ts";
import { runWrk, wrkScript } from "./load.ts";
import { cpuMicros } from "./proc.ts";
import { closeOnSignal, openSite, type Site } from "./site.ts";
import { median } from "./statistics.ts";
import { startMock, startNginx } from "./targets.ts";
import { ensureTools } from "./tools.ts";

/**
 * What translation costs, as CPU time against pass-through in the same minutes: `npm run bench:dialects`. The upstream
 * speaks chat, or messages; clients of the three dialects ask it for the same stream of 100 chunks, and send it a body
 * of 1 MB.
 */
const ROUNDS = 5;
const SECONDS_PER_ROUND = 3;
const WARM_UP_SECONDS = 6;
const SETTLE_MS = 250;
const STREAM_CONNECTIONS = 64;
const BODY_CONNECTIONS = 8;
const BODY_CHARACTERS = 1_000_000;
/** Of pass-through. */
const RATIO_MAX = 2;

type Case = { name: string; path: string; body: object; connections: number };
type Measured = { name: string; micros: number };

const turn = (content: string) => [{ role: "user", content }];
const text = "Say hello to the world, please.";
const long = "A wicket gate is the small door in a great one. ".repeat(BODY_CHARACTERS / 48);

const asking = (model: string): Omit<Case, "connections">[] => [
  { name: "chat", path: "/v1/chat/completions", body: { model, messages: turn(text) } },
  { name: "messages", path: "/v1/messages", body: { model, max_tokens: 4096, messages: turn(text) } },
  { name: "responses", path: "/v1/responses", body: { model, input: text } },
];
const streamsOf = (model: string, native: string): Case[] =>
  asking(model)
    .sort((one, other) => Number(other.name === native) - Number(one.name === native))
    .map(({ name, path, body }) => {
      const connections = STREAM_CONNECTIONS;
      return { name: `${name} of ${native}`, path, body: { ...body, stream: true }, connections };
    });
const bodies: readonly Case[] = [
  { name: "chat, 1 MB", path: "/v1/chat/completions", body: { messages: turn(long) } },
  { name: "messages, 1 MB", path: "/v1/messages", body: { max_tokens: 4096, messages: turn(long) } },
  { name: "responses, 1 MB", path: "/v1/responses", body: { input: long } },
].map(one => ({ ...one, body: { model: MODEL, ...one.body }, connections: BODY_CONNECTIONS }));
/** The first of each list is pass-through, against which the others are measured. Only streams have a limit. */
const lists = [
  { cases: streamsOf(MODEL, "chat"), ratioMax: RATIO_MAX },
  { cases: streamsOf(MESSAGES_MODEL, "messages"), ratioMax: RATIO_MAX },
  { cases: bodies, ratioMax: Number.POSITIVE_INFINITY },
];

async function bench(site: Site): Promise<boolean> {
  const tools = await ensureTools(site.processes, say);
  const upstream = await startMock(site);
  const nginx = await startNginx(site, { nginx: tools.nginx, upstream });
  const gateway = await startGateway(site, { upstream });
  const load = async (one: Case, root: string, seconds: number) => {
    const script = join(site.dir, "dialects.lua");
    writeFileSync(script, wrkScript({ key: gateway.key, body: JSON.stringify(one.body) }));
    const { connections, name, path } = one;
    return runWrk(site, { wrk: tools.wrk, script, url: root + path, connections, seconds, what: name });
  };
  const round = async (one: Case): Promise<number> => {
    const before = cpuMicros(gateway.server.pid);
    const { requests } = await load(one, gateway.root, SECONDS_PER_ROUND);
    await Bun.sleep(SETTLE_MS);
    // The streams that were under way when the time was up are counted as halves.
    const done = one.connections === STREAM_CONNECTIONS ? requests + one.connections / 2 : requests;
    return (cpuMicros(gateway.server.pid) - before) / done;
  };
  let holds = true;
  for (const { cases, ratioMax } of lists) {
    for (const one of cases) {
      say(`${one.name}: warm-up`);
      await load(one, gateway.root, WARM_UP_SECONDS);
    }
    const micros = new Map<string, number[]>();
    for (let number = 1; number <= ROUNDS; number += 1) {
      for (const one of cases) micros.set(one.name, [...(micros.get(one.name) ?? []), await round(one)]);
    }
    const measured = [...micros].map(([name, all]) => ({ name, micros: median(all) }));
    holds = tell(measured, ratioMax) && holds;
  }
  const before = cpuMicros(nginx.server.pid);
  const [plain] = bodies;
  if (plain !== undefined) {
    const { requests } = await load(plain, nginx.root, SECONDS_PER_ROUND);
    const micros = (cpuMicros(nginx.server.pid) - before) / requests;
    process.stdout.write(`${"nginx, 1 MB".padEnd(22)} ${micros.toFixed(0).padStart(8)} µs\n`);
  }
  return holds;
}

function tell(measured: readonly Measured[], ratioMax: number): boolean {
  const [first] = measured;
  if (first === undefined) return false;
  let holds = true;
  for (const { name, micros } of measured) {
    const ratio = micros / first.micros;
    const verdict = ratio > ratioMax ? `  does not hold: at most ${ratioMax}` : "";
    holds &&= verdict === "";
    process.stdout.write(
      `${name.padEnd(22)} ${micros.toFixed(0).padStart(8)} µs  ${ratio.toFixed(2)} × pass-through${verdict}\n`,
    );
  }
  return holds;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<number> {
  const site = openSite();
  closeOnSignal(site);
  try {
    return (await bench(site)) || !Bun.argv.includes("--check") ? 0 : 1;
  } finally {
    await site.close();
  }
}

process.exitCode = await main().catch(error => {
  say(`The bench failed: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
