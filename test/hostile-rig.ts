import type { Dialect } from "../src/domain/usage.ts";
import {
  applyYaml,
  type Environment,
  eventually,
  freshDir,
  type Gateway,
  keyOf,
  type MadeKey,
  nanos,
  removeDir,
  startGateway,
  type UsageRow,
  usageRows,
  verifyClean,
} from "./harness.ts";
import { UPSTREAM_CREDENTIAL, UPSTREAM_NAME } from "./harness-rig.ts";
import { type MockUpstream, mockUpstream, type Script } from "./harness-upstream.ts";
import { DIALECTS } from "./hostile-voice.ts";

/** One gateway, an upstream of each dialect behind it, and clients of each dialect in front of it. */

export type Pair = { client: Dialect; upstream: Dialect; stream: boolean };

export type Answered = {
  pair: Pair;
  status: number;
  headers: Headers;
  requestId: string;
  text: string;
  /** False where the connection broke rather than ended. */
  whole: boolean;
};

export type HostileRig = {
  dir: string;
  gateway: Gateway;
  key: MadeKey;
  upstreams: Record<Dialect, MockUpstream>;
  script: (script: (dialect: Dialect) => Script) => void;
  ask: (pair: Pair, more?: Record<string, unknown>, key?: string) => Promise<Answered>;
  post: (client: Dialect, body: string | Uint8Array, headers?: Record<string, string>) => Promise<Response>;
  /** The rows of all that was asked with a key, once they are resolved. */
  rows: (keyId?: string) => Promise<Map<string, UsageRow>>;
  stop: () => Promise<void>;
};

export const PAIRS: readonly Omit<Pair, "stream">[] = DIALECTS.flatMap(upstream =>
  DIALECTS.map(client => ({ client, upstream })),
);
export const ALL_PAIRS: readonly Pair[] = PAIRS.flatMap(pair =>
  [true, false].map(stream => ({ ...pair, stream })),
);

export const PATHS: Record<Dialect, string> = {
  chat: "/chat/completions",
  messages: "/messages",
  responses: "/responses",
};

export function pairName({ client, upstream, stream }: Pair): string {
  return `${client} on ${upstream}${stream ? ", streaming" : ""}`;
}

/** The least that can be asked. The model is named after the dialect of its upstream. */
export function plainBody(client: Dialect, model: string): Record<string, unknown> {
  const messages = [{ role: "user", content: "Hello" }];
  if (client === "responses") return { model, input: "Hello" };
  return client === "chat" ? { model, messages } : { model, max_tokens: 500, messages };
}

/** The upstream knows `long-…` and the plain ones by another name, and `same-…` by the same. */
function rigYaml(upstreams: Record<Dialect, MockUpstream>): string {
  const rows = DIALECTS.map(
    dialect => `
  - name: ${UPSTREAM_NAME}-${dialect}
    kind: ${dialect === "messages" ? "anthropic" : "openai-compatible"}
    speaks: [${dialect}]
    base_url: ${upstreams[dialect].baseUrl}
    api_key: ${UPSTREAM_CREDENTIAL}
    models: { ${dialect}: up-model, long-${dialect}: up-model, same-${dialect}: same-${dialect} }`,
  );
  const models = DIALECTS.flatMap(dialect => [
    `  - { name: ${dialect}, max_output_tokens: 1000, price: { input: 1, output: 10 } }`,
    `  - { name: long-${dialect}, max_output_tokens: 100000, price: { input: 1, output: 100 } }`,
    `  - { name: same-${dialect}, max_output_tokens: 100000, price: { input: 1, output: 1 } }`,
  ]);
  const names = DIALECTS.flatMap(dialect => [dialect, `long-${dialect}`, `same-${dialect}`]).join(", ");
  return `
upstreams:${rows.join("")}
models:
${models.join("\n")}
groups: [{ name: default, models: [${names}] }]
accounts: [{ email: ann@example.org, balance: 1000 }]
keys: [{ account: ann@example.org, name: laptop, group: default }]`;
}

export async function startHostileRig(env: Environment = {}): Promise<HostileRig> {
  const dir = freshDir();
  const [chat, messages, responses] = await Promise.all(DIALECTS.map(() => mockUpstream()));
  if (chat === undefined || messages === undefined || responses === undefined) throw new Error("no upstream");
  const upstreams = { chat, messages, responses };
  const key = keyOf(await applyYaml(dir, rigYaml(upstreams)), "laptop");
  const gateway = await startGateway(dir, { WICKETGATE_DEMO: "off", ...env });
  const post: HostileRig["post"] = (client, body, headers = {}) =>
    fetch(`${gateway.base}${PATHS[client]}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json", ...headers },
      body: body as string,
      redirect: "manual",
      signal: AbortSignal.timeout(45_000),
    });
  return {
    dir,
    gateway,
    key,
    upstreams,
    post,
    script: script => {
      for (const dialect of DIALECTS) upstreams[dialect].script(script(dialect));
    },
    ask: async (pair, more = {}, asKey = key.key) => {
      const body = { ...plainBody(pair.client, pair.upstream), stream: pair.stream, ...more };
      const headers = { authorization: `Bearer ${asKey}` };
      return answeredOf(pair, await post(pair.client, JSON.stringify(body), headers));
    },
    rows: (keyId = key.id) => resolvedRows(dir, keyId),
    stop: async () => {
      try {
        await verifyClean(dir);
      } finally {
        await Promise.all(Object.values(upstreams).map(upstream => upstream.close()));
        await gateway.stop();
        removeDir(dir);
      }
    },
  };
}

async function answeredOf(pair: Pair, response: Response): Promise<Answered> {
  const parts: Uint8Array[] = [];
  let whole = true;
  try {
    for await (const piece of response.body ?? []) parts.push(piece);
  } catch {
    whole = false;
  }
  return {
    pair,
    status: response.status,
    headers: response.headers,
    requestId: response.headers.get("x-request-id") ?? "",
    text: Buffer.concat(parts).toString("utf8"),
    whole,
  };
}

async function resolvedRows(dir: string, keyId: string): Promise<Map<string, UsageRow>> {
  const found = await eventually(async () => {
    const rows = await usageRows(dir, keyId);
    return rows.some(({ state }) => state === "open") ? null : rows;
  });
  if (found === null) throw new Error("a request is still open");
  return new Map(found.map(row => [row.id, row]));
}

/** Nobody pays less than nothing, nor more than was held; what was refused or came to nothing is free. */
export function priceFaults(row: UsageRow | undefined): string[] {
  if (row === undefined) return ["there is no row"];
  const [cost, held] = [nanos(row.cost), nanos(row.held)];
  const faults: string[] = [];
  if (row.cost.startsWith("-") || cost > held) faults.push(`${row.cost} of ${row.held} held`);
  if (row.state !== "settled" && cost !== 0n) faults.push(`${row.state}, and costs ${row.cost}`);
  return faults;
}

/** What must not stand in the log of a gateway, whatever its upstreams do. */
export function logFaults(log: string): string[] {
  const bad = /unhandled|uncaught|TypeError|RangeError|SyntaxError|request\.failed|"level":"error"|\n\s+at /i;
  return log.split("\n").filter(line => bad.test(line));
}
