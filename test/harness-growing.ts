import { afterAll, beforeAll } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { applyYaml, eventually, mustRun, nanos, settledRow } from "./harness.ts";
import { chat, chatBody, openStream, type StreamSeen } from "./harness-client.ts";
import { type Rig, startRig, UPSTREAM_NAME } from "./harness-rig.ts";
import { chatCompletion, chatEvent, DONE, type UpstreamExchange } from "./harness-upstream.ts";

/** What tests of long streams share: a dear model with long answers, accounts that can be emptied, streams by the step. */

export const FIRST_TOKENS = 4_096;
/** As many tokens as a fourth of its bytes, so that the tokenizer and the guess agree on it. */
export const WORDS = " the cat sat and the dog ran out for one day the man saw his own";
export const WORDS_TOKENS = countTokens(WORDS);

/** 1 USD per million input tokens, 100 per million output tokens: 10,000 tokens of output are a dollar. */
export const longPrice = (input: number, output: number) =>
  BigInt(input) * 1_000n + BigInt(output) * 100_000n;

export const longBody = (more: Record<string, unknown> = {}) => chatBody("long", { stream: true, ...more });

/** Sends as many tokens more as it is told, in pieces, and waits until the client has them. */
export type Stepwise = {
  seen: StreamSeen;
  exchange: UpstreamExchange;
  send: (tokens: number) => Promise<void>;
  finish: (usage: unknown) => Promise<void>;
};

export type GrowingRig = {
  rig: () => Rig;
  account: (balance: string) => Promise<{ email: string; key: string; id: string }>;
  balance: (email: string) => Promise<bigint>;
  /** What a key holds at the moment. */
  heldNow: (key: string) => Promise<bigint>;
  stepwise: (key: string, body?: unknown) => Promise<Stepwise>;
};

/** Begun before the tests of a file and ended after them, with clean books. */
export function growingRig(): GrowingRig {
  let rig: Rig;
  let accounts = 0;
  beforeAll(async () => {
    rig = await startRig();
    await applyYaml(rig.dir, longYaml(rig));
    await warmUp(rig);
  });
  afterAll(() => rig.stop());
  return {
    rig: () => rig,
    account: async balance => {
      accounts += 1;
      const email = `grower${accounts}@example.org`;
      await mustRun(rig.dir, ["account", "add", email, "--balance", balance]);
      return { email, ...(await rig.key("--account", email)) };
    },
    balance: async email => {
      const listed = await mustRun(rig.dir, ["account", "list", "--json"]);
      const list = JSON.parse(listed) as { email: string; balance: string }[];
      return nanos(list.find(one => one.email === email)?.balance ?? "-1");
    },
    heldNow: async key => {
      const answer = await fetch(`${rig.gateway.base}/key`, { headers: { authorization: `Bearer ${key}` } });
      return nanos(((await answer.json()) as { held_usd: string }).held_usd);
    },
    stepwise: async (key, body = longBody()) => {
      const from = rig.upstream.exchanges.length;
      rig.upstream.script(exchange =>
        exchange.begin().then(() => exchange.piece(chatEvent({ content: "a" }))),
      );
      const seen = await openStream(rig.gateway.base, { key, body });
      await seen.bytes(1);
      const exchange = rig.upstream.exchanges[from];
      if (exchange === undefined) throw new Error("the upstream was not asked");
      return { seen, exchange, ...sender(seen, exchange) };
    },
  };
}

function longYaml({ upstream }: Rig): string {
  return `
upstreams:
  - name: ${UPSTREAM_NAME}
    kind: openai-compatible
    base_url: ${upstream.baseUrl}
    models: [mock, call, long]
models: [{ name: long, max_output_tokens: 100000, price: { input: 1, output: 100 } }]
groups: [{ name: default, models: [mock, call, long] }]`;
}

/** The first count loads the tokenizer, which on a busy machine takes longer than a count may. */
async function warmUp({ dir, gateway, upstream, key }: Rig): Promise<void> {
  const made = await key();
  upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", undefined)));
  const isCounted = async () => {
    const seen = await chat(gateway.base, { key: made.key, body: chatBody("mock") });
    return (await settledRow(dir, seen.requestId)).input_tokens === 5;
  };
  if ((await eventually(isCounted, 30_000)) === null) throw new Error("nothing is counted");
}

function sender(seen: StreamSeen, exchange: UpstreamExchange): Pick<Stepwise, "send" | "finish"> {
  const event = chatEvent({ content: WORDS.repeat(8) });
  let bytes = seen.text().length;
  return {
    send: async tokens => {
      const pieces = Math.ceil(tokens / (8 * WORDS_TOKENS));
      for (let at = 0; at < pieces && exchange.isOpen; at++) await exchange.piece(event);
      bytes += pieces * event.length;
      await seen.bytes(bytes);
    },
    finish: async usage => {
      await exchange.piece(chatEvent({ finish: "stop" }) + chatEvent({ usage }) + DONE);
      await exchange.end();
      await seen.ended;
    },
  };
}
