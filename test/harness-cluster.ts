import { SQL } from "bun";
import { freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import {
  applyYaml,
  type Environment,
  eventually,
  freshDir,
  type Gateway,
  type MadeKey,
  removeDir,
  setEnvironment,
  startGateway,
  verifyClean,
} from "./harness.ts";
import { askChat } from "./harness-client.ts";
import { makeKey, rigYaml } from "./harness-rig.ts";
import {
  chatEvent,
  DONE,
  type MockUpstream,
  mockUpstream,
  type UpstreamExchange,
} from "./harness-upstream.ts";

/** Several gateways on one PostgreSQL, each with a data dir of its own, in front of one scripted upstream. */

export const SECRET = "one master secret for all instances, long enough";

export type Cluster = {
  /** The data dir of the command line. */
  dir: string;
  url: string;
  upstream: MockUpstream;
  instances: Gateway[];
  key: (...options: string[]) => Promise<MadeKey>;
  /** On the data dir of one that has ended. */
  startAgain: (at: number, env?: Environment) => Promise<Gateway>;
  sql: <T>(text: string, params?: unknown[]) => Promise<T[]>;
  /** How many rows nobody has resolved yet. */
  open: () => Promise<number>;
  /** Ends everything, and fails where the ledger is not clean or something is left open. */
  stop: () => Promise<void>;
};

export type ClusterOptions = { count: number; url?: string; env?: Environment; yaml?: string };

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { count, url = await freshDatabase(), env = {}, yaml = "" } = options;
  const upstream = await mockUpstream();
  const environment = { DATABASE_URL: url, WICKETGATE_SECRET: SECRET, WICKETGATE_DEMO: "off", ...env };
  const newDir = () => {
    const dir = freshDir();
    setEnvironment(dir, environment);
    return dir;
  };
  const dir = newDir();
  await applyYaml(dir, rigYaml(upstream.baseUrl) + yaml);
  const instances = await Promise.all(Array.from({ length: count }, () => startGateway(newDir())));
  const sql = querier(url);
  const open = async () => {
    const [row] = await sql<{ n: bigint }>("select count(*) as n from usage where state = 'open'");
    return Number(row?.n ?? 0);
  };
  let keys = 0;
  return {
    dir,
    url,
    upstream,
    instances,
    sql,
    open,
    key: (...given) => {
      keys += 1;
      return makeKey(dir, [...given, "--name", `key ${keys}`]);
    },
    startAgain: async (at, more = {}) => {
      const again = await startGateway(instanceAt(instances, at).dir, more);
      instances[at] = again;
      return again;
    },
    stop: async () => {
      try {
        const left = await eventually(async () => (await open()) === 0, 30_000);
        if (left === null) throw new Error(`${await open()} rows are still open`);
        await verifyClean(dir);
      } finally {
        await upstream.close();
        await Promise.all(instances.map(gateway => gateway.stop()));
        for (const gone of [dir, ...instances.map(gateway => gateway.dir)]) removeDir(gone);
      }
    },
  };
}

/** A connection for each question: the server may have been away since the last one. */
export function querier(url: string) {
  return async <T>(text: string, params: unknown[] = []): Promise<T[]> => {
    const sql = new SQL(url, {
      max: 1,
      bigint: true,
      connectionTimeout: 5,
      database: new URL(url).pathname.slice(1),
    });
    try {
      return Array.from(await sql.unsafe<T[]>(text, params));
    } finally {
      await sql.close({ timeout: 0 });
    }
  };
}

/** A figure that is worth seeing in the output of the tests. */
export function measured(text: string): void {
  process.stdout.write(`  measured: ${text}\n`);
}

export function instanceAt(instances: readonly Gateway[], at: number): Gateway {
  const found = instances[at % instances.length];
  if (found === undefined) throw new Error("there is no such instance");
  return found;
}

/** What the upstream answered, by the mark in the request: its own account of what happened. */
export type Told = { input: number; output: number; isWhole: boolean };

export type Marked = { mark: string; events: number; gapMs: number };

export function markedBody({ mark, events, gapMs }: Marked) {
  const content = JSON.stringify({ mark, events, gapMs });
  return { model: "mock", stream: events > 0, max_tokens: 1_000, messages: [{ role: "user", content }] };
}

/** Answers every marked request as it asks to be answered, and writes down what it told. */
export function witness(told: Map<string, Told>) {
  return async (exchange: UpstreamExchange): Promise<void> => {
    const [message] = exchange.body["messages"] as { content: string }[];
    const { mark, events, gapMs } = JSON.parse(message?.content ?? "{}") as Marked;
    const number = Number(mark.replace(/\D/g, ""));
    const entry = { input: 10 + (number % 89), output: 5 + (number % 31), isWhole: false };
    told.set(mark, entry);
    const usage = {
      prompt_tokens: entry.input,
      completion_tokens: entry.output,
      total_tokens: entry.input + entry.output,
    };
    if (events === 0) {
      await Bun.sleep(gapMs);
      const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
      await exchange.reply(
        200,
        JSON.stringify({ id: "x", object: "chat.completion", model: "mock", choices, usage }),
      );
    } else {
      await exchange.begin();
      for (let at = 0; at < events && exchange.isOpen; at++) {
        await exchange.piece(chatEvent({ content: "a few words " }));
        await Bun.sleep(gapMs);
      }
      await exchange.piece(chatEvent({ usage }) + DONE);
      await exchange.end();
    }
    entry.isWhole = exchange.isOpen;
  };
}

/** What a client saw of a marked request. */
export type Seen = {
  mark: string;
  status: number;
  requestId: string;
  retryAfter: string | null;
  reason: string | null;
  text: string;
  /** False where the connection broke. */
  isWhole: boolean;
  sentTick: number;
  headMs: number;
};

export async function askMarked(base: string, key: string, marked: Marked): Promise<Seen> {
  const sentTick = performance.now();
  const seen: Seen = {
    ...{ mark: marked.mark, status: 0, requestId: "", retryAfter: null, reason: null, text: "" },
    ...{ isWhole: false, sentTick, headMs: 0 },
  };
  try {
    const response = await askChat(base, { key, body: markedBody(marked) });
    seen.headMs = performance.now() - sentTick;
    seen.status = response.status;
    seen.requestId = response.headers.get("x-request-id") ?? "";
    seen.retryAfter = response.headers.get("retry-after");
    seen.text = await response.text();
    seen.isWhole = true;
    if (!response.ok) seen.reason = /"reason":"([^"]*)"/.exec(seen.text)?.[1] ?? null;
  } catch {
    // The gateway was killed, or its answer was cut; whoever looks sees that it is not whole.
  }
  return seen;
}

export type Row = {
  id: string;
  state: string;
  input: bigint;
  output: bigint;
  cost: bigint;
  status: bigint | null;
  reason: string | null;
  source: string | null;
};

export const ROWS = "select id, state, input, output, cost, status, reason, source from usage";

/** What does not agree between what clients had, what the upstream told and what was charged. */
export async function disagreements(
  sql: Cluster["sql"],
  seen: readonly Seen[],
  told: ReadonlyMap<string, Told>,
): Promise<string[]> {
  const rows = new Map((await sql<Row>(ROWS)).map(row => [row.id, row]));
  const lines = await sql<{ usage_id: string; n: bigint }>(
    "select usage_id, count(*) as n from ledger where kind = 'charge' group by usage_id having count(*) > 1",
  );
  const doubled = lines.map(line => `${line.usage_id} was charged ${line.n} times`);
  return doubled.concat(
    seen.flatMap(({ mark, status, requestId, isWhole }) => {
      const row = rows.get(requestId);
      const truth = told.get(mark);
      if (status === 200 && isWhole) {
        if (row === undefined || truth === undefined) return [`${mark} was answered and is on no record`];
        // 1 USD per million input tokens, 10 per million output tokens.
        const cost = BigInt(truth.input) * 1_000n + BigInt(truth.output) * 10_000n;
        const isRight =
          row.state === "settled" && Number(row.input) === truth.input && Number(row.output) === truth.output;
        return isRight && row.cost === cost
          ? []
          : [
              `${mark} is ${row.state} with ${row.input}/${row.output} for ${row.cost}, and should have ${truth.input}/${truth.output} for ${cost}`,
            ];
      }
      if (row === undefined || status === 200 || row.cost === 0n) return [];
      return [`${mark} was answered with ${status} and cost ${row.cost}`];
    }),
  );
}
