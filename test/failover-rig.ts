import {
  applyYaml,
  type Environment,
  freshDir,
  type Gateway,
  keyOf,
  removeDir,
  setEnvironment,
  startGateway,
  type UsageRow,
  usageRows,
  verifyClean,
} from "./harness.ts";
import { type ChatAnswer, chat, chatBody } from "./harness-client.ts";
import {
  chatCompletion,
  chatEvent,
  DONE,
  type MockUpstream,
  mockUpstream,
  type UpstreamExchange,
  usageOf,
} from "./harness-upstream.ts";

/** A gateway with several upstreams for the same models. */

export type AttemptedRow = UsageRow & {
  attempts: { upstream: string; credential?: string; why: string; ms: number }[];
};

export type Place = {
  name: string;
  baseUrl: string;
  priority?: number;
  kind?: string;
  speaks?: string;
  /** Those that only this one has, besides the ones that all have. */
  models?: readonly string[];
};

export type Failover = {
  dir: string;
  gateway: Gateway;
  key: string;
  /** The rows, newest first. */
  rows: () => Promise<AttemptedRow[]>;
  ask: (model: string, more?: Record<string, unknown>) => Promise<ChatAnswer>;
  /** Ends everything, and fails where the ledger is not clean. */
  stop: () => Promise<void>;
};

export type FailoverOptions = { places: readonly Place[]; models: readonly string[]; env?: Environment };

/** What is known of an upstream with a model is known of these two alone, so each test has a model of its own. */
export const MODELS = Array.from({ length: 60 }, (_, at) => `model-${at}`);

function yaml({ places, models }: FailoverOptions): string {
  const all = [...new Set([...models, ...places.flatMap(place => place.models ?? [])])];
  const upstreams = places.map(({ name, baseUrl, priority = 0, kind = "openai-compatible", ...place }) => {
    const served = [...models, ...(place.models ?? [])].join(", ");
    const speaks = place.speaks === undefined ? "" : `, speaks: [${place.speaks}]`;
    return `  - { name: ${name}, kind: ${kind}, base_url: "${baseUrl}", priority: ${priority}, api_key: credential-of-${name}${speaks}, models: [${served}] }`;
  });
  return `
upstreams:
${upstreams.join("\n")}
models:
${all.map(name => `  - { name: ${name}, max_output_tokens: 1000, price: { input: 1, output: 10 } }`).join("\n")}
groups:
  - { name: default, models: [${all.join(", ")}] }
accounts:
  - { email: ann@example.org, balance: 1000 }
keys:
  - { account: ann@example.org, name: laptop, group: default }
`;
}

export async function startFailover(options: FailoverOptions): Promise<Failover> {
  const dir = freshDir();
  setEnvironment(dir, { WICKETGATE_DEMO: "off", ...options.env });
  const { key } = keyOf(await applyYaml(dir, yaml(options)), "laptop");
  const gateway = await startGateway(dir);
  const ask = (model: string, more: Record<string, unknown> = {}) =>
    chat(gateway.base, { key, body: chatBody(model, more) });
  return {
    dir,
    gateway,
    key,
    rows: async () => (await usageRows(dir)) as AttemptedRow[],
    ask,
    stop: async () => {
      try {
        await verifyClean(dir);
      } finally {
        await gateway.stop();
        removeDir(dir);
      }
    },
  };
}

/** Two upstreams for every model, of which the first is asked first. */
export type Pair = Failover & { first: MockUpstream; second: MockUpstream };

export async function startPair(env: Environment = {}, more: readonly Place[] = []): Promise<Pair> {
  const [first, second] = [await mockUpstream(wellAs("first")), await mockUpstream(wellAs("second"))];
  const places = [
    { name: "first", baseUrl: first.baseUrl, models: ["only"] },
    { name: "second", baseUrl: second.baseUrl, priority: 1 },
    ...more,
  ];
  const rig = await startFailover({ places, models: MODELS, env });
  const stop = () => rig.stop().finally(() => Promise.all([first.close(), second.close()]));
  return { ...rig, first, second, stop };
}

export const USAGE = usageOf(11, 7);

/** Answers as asked, and says who it is. */
export function wellAs(name: string, headers: Record<string, string> = {}) {
  return async (exchange: UpstreamExchange): Promise<void> => {
    const content = `This is ${name}.`;
    if (exchange.body["stream"] !== true) return exchange.reply(200, chatCompletion(content, USAGE), headers);
    const end = chatEvent({ finish: "stop" }) + chatEvent({ usage: USAGE }) + DONE;
    await exchange.stream([chatEvent({ content }), end], headers);
  };
}

/** How often it was asked for this model. */
export function askedFor({ received }: MockUpstream, model: string): number {
  return received.filter(({ body }) => body.includes(`"${model}"`)).length;
}

export type LogLine = { level: string; event: string; [field: string]: unknown };

export function logLines({ log }: Gateway, event: string): LogLine[] {
  const lines = log()
    .split("\n")
    .filter(line => line.startsWith("{"));
  return lines.map(line => JSON.parse(line) as LogLine).filter(line => line.event === event);
}

/** Requests that go well: for every five, one more second try is allowed. */
export async function saveRetries({ ask }: Failover, model: string): Promise<void> {
  await Promise.all(Array.from({ length: 10 }, () => ask(model)));
}
