import fc from "fast-check";
import type { Dialect } from "../src/domain/usage.ts";
import { PROMPT_TARGETS } from "../src/protocols/heard-prompt.case.ts";
import { HEAD, prompts } from "../src/protocols/prompt.case.ts";
import { PROTOCOLS } from "../src/protocols/protocols.ts";
import { repliesWith } from "../src/protocols/reply.case.ts";
import { interleaved, writtenStream } from "../src/protocols/stream.case.ts";
import { recordedStream, recordings } from "../src/protocols/tap.case.ts";
import { unfoldReply } from "../src/protocols/unfold.ts";
import { type Ask, hearAt } from "../src/upstream/demo.case.ts";

/** Good answers and requests of a dialect: what the demo says, what was recorded, and what our own codecs write. */

export type Corpus = { streams: string[]; bodies: string[]; requests: string[] };

const WRITTEN = 12;
const STREAM_CHARACTERS_MAX = 40_000;
const SEED = 20_261_115;
const MODELS = ["demo", "demo-think", "demo-tool-first", "demo-tokens-30"];

const look = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** With a tool that may be called, and something to think about. */
function demoAsk(dialect: Dialect): Ask {
  const content = "What is the weather in Oslo?";
  switch (dialect) {
    case "chat":
      return {
        messages: [{ role: "user", content }],
        tools: [{ type: "function", function: { name: "look", parameters: look } }],
      };
    case "messages":
      return {
        max_tokens: 200,
        messages: [{ role: "user", content }],
        tools: [{ name: "look", input_schema: look }],
      };
    case "responses":
      return { input: content, tools: [{ type: "function", name: "look", parameters: look }] };
    default:
      return dialect satisfies never;
  }
}

async function demoSays(dialect: Dialect, stream: boolean): Promise<string[]> {
  const plain = { ...demoAsk(dialect), tools: [] };
  const asks = [demoAsk(dialect), plain].flatMap(ask => MODELS.map(model => ({ ...ask, model, stream })));
  const heard = await Promise.all(asks.map(ask => hearAt(dialect, { ask, model: ask.model })));
  return heard.filter(({ status }) => status === 200).map(({ text }) => text);
}

export async function corpusOf(dialect: Dialect): Promise<Corpus> {
  const protocol = PROTOCOLS[dialect];
  const arbitrary = repliesWith({ seals: dialect, custom: true, citations: true, foreign: true });
  const replies = fc.sample(arbitrary, { seed: SEED, numRuns: WRITTEN });
  const asked = fc.sample(prompts(dialect), { seed: SEED, numRuns: 2 * WRITTEN });
  const written = asked.flatMap(prompt => {
    const made = protocol.writePrompt(prompt, PROMPT_TARGETS[dialect]);
    return "body" in made ? [JSON.stringify(made.body)] : [];
  });
  const streams = [
    ...(await demoSays(dialect, true)),
    ...recordings(dialect, ".chunks.txt").map(({ text }) => recordedStream(dialect, text)),
    ...replies.map(reply => writtenStream(protocol, unfoldReply(reply), HEAD)),
    ...replies.map(reply => writtenStream(protocol, interleaved(unfoldReply(reply)), HEAD)),
  ];
  const bodies = [
    ...(await demoSays(dialect, false)),
    ...recordings(dialect, ".json").map(({ text }) => text),
    ...replies.map(reply => JSON.stringify(protocol.writeReply(reply, HEAD))),
  ];
  const short = (text: string) => text.length <= STREAM_CHARACTERS_MAX;
  const requests = [...written, JSON.stringify({ model: "demo", ...demoAsk(dialect) })];
  return { streams: streams.filter(short), bodies: bodies.filter(short), requests };
}
