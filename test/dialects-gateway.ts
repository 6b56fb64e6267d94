import type { Dialect } from "../src/domain/usage.ts";
import { DIALECTS, type Talk, type TalkOptions } from "./dialects-talk.ts";
import { chatTalk } from "./dialects-talk-chat.ts";
import { messagesTalk } from "./dialects-talk-messages.ts";
import { responsesTalk } from "./dialects-talk-responses.ts";
import { type DialectUpstream, dialectUpstream } from "./dialects-upstream.ts";
import {
  applyYaml,
  type Environment,
  freshDir,
  type Gateway,
  keyOf,
  removeDir,
  startGateway,
  verifyClean,
} from "./harness.ts";

/** One gateway, and an upstream for each dialect, all of them the demo behind a connection. */

/** No client may ever see it. */
export const CREDENTIAL = "upstream-credential-5d4c3b2a1f0e";

/** What a model does besides answering, by the name that the demo knows it by. */
const VARIANTS = {
  plain: "demo",
  think: "demo-think",
  refuse: "demo-refuse",
  cached: "demo-cached",
  silent: "demo-nousage",
  bad: "demo-fail-400",
  down: "demo-fail-500",
  busy: "demo-fail-429",
  cut: "demo-cut-5",
  slow: "demo-delay-50-tokens-400",
  late: "demo-first-13500",
  claude: "claude-opus-5-5-demo",
} as const;
export type Variant = keyof typeof VARIANTS;

export type Dialects = {
  dir: string;
  gateway: Gateway;
  upstream: DialectUpstream;
  key: (name?: string) => string;
  keyId: (name?: string) => string;
  /** What a client asks for, and what the upstream is asked for then. */
  model: (upstream: Dialect, variant?: Variant) => string;
  upstreamModel: (upstream: Dialect, variant?: Variant) => string;
  talk: (client: Dialect, key?: string) => Talk;
  stop: () => Promise<void>;
};

const TALKS: Record<Dialect, (options: TalkOptions) => Talk> = {
  chat: chatTalk,
  responses: responsesTalk,
  messages: messagesTalk,
};

const KINDS: Record<Dialect, string> = {
  chat: "openai-compatible",
  responses: "openai",
  messages: "anthropic",
};

const modelOf = (upstream: Dialect, variant: Variant = "plain") => `${upstream}-${variant}`;
/** Each has its own, so that it can be told from the others in what the upstream heard. */
const upstreamModelOf = (upstream: Dialect, variant: Variant = "plain") =>
  VARIANTS[variant].replace("demo", `demo_${upstream}`);

function yaml(baseUrl: string): string {
  const variants = Object.keys(VARIANTS) as Variant[];
  const upstreams = DIALECTS.map(dialect => {
    const models = variants.map(
      variant => `${modelOf(dialect, variant)}: ${upstreamModelOf(dialect, variant)}`,
    );
    return `  - { name: hidden-${dialect}, kind: ${KINDS[dialect]}, base_url: "${baseUrl}", speaks: [${dialect}], api_key: ${CREDENTIAL}, models: { ${models.join(", ")} } }`;
  });
  const inner = DIALECTS.map(
    dialect =>
      `  - { name: inner-${dialect}, kind: demo, speaks: [${dialect}], models: { inner-${dialect}: demo } }`,
  );
  const names = DIALECTS.flatMap(dialect => [
    ...variants.map(variant => modelOf(dialect, variant)),
    `inner-${dialect}`,
  ]);
  const price = "{ input: 1, output: 10, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2 }";
  return `
upstreams:
${[...upstreams, ...inner].join("\n")}
models:
${[...names, "elsewhere"].map(name => `  - { name: ${name}, max_output_tokens: 8000, price: ${price} }`).join("\n")}
groups:
  - { name: default, models: [${names.join(", ")}] }
  - { name: other, models: [elsewhere] }
accounts:
  - { email: ann@example.org, balance: 1000 }
keys:
  - { account: ann@example.org, name: laptop, group: default }
  - { account: ann@example.org, name: single, group: default, concurrency: 1 }
  - { account: ann@example.org, name: poor, group: default, quota: 0.0000001 }
  - { account: ann@example.org, name: other, group: other }
${["chat", "responses", "messages"].map(name => `  - { account: ann@example.org, name: once-${name}, group: default, requests_per_minute: 1 }`).join("\n")}
`;
}

export async function startDialects(env: Environment = {}): Promise<Dialects> {
  const dir = freshDir();
  const upstream = await dialectUpstream();
  const keys = await applyYaml(dir, yaml(upstream.mock.baseUrl));
  const gateway = await startGateway(dir, { WICKETGATE_DEMO: "off", ...env });
  const key = (name = "laptop") => keyOf(keys, name).key;
  return {
    dir,
    gateway,
    upstream,
    key,
    keyId: (name = "laptop") => keyOf(keys, name).id,
    model: modelOf,
    upstreamModel: upstreamModelOf,
    talk: (client, given = key()) => TALKS[client]({ url: gateway.url, key: given }),
    stop: async () => {
      try {
        await verifyClean(dir);
      } finally {
        await upstream.mock.close();
        await gateway.stop();
        removeDir(dir);
      }
    },
  };
}
