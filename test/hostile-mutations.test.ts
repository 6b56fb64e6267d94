import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Dialect, Usage } from "../src/domain/usage.ts";
import { orderFaults } from "../src/protocols/event-order.case.ts";
import { PROMPT_TARGETS } from "../src/protocols/heard-prompt.case.ts";
import { HEAD, PROMPT } from "../src/protocols/prompt.case.ts";
import type { Json, Tap } from "../src/protocols/protocol.ts";
import { PROTOCOLS } from "../src/protocols/protocols.ts";
import { SseReader } from "../src/protocols/sse-reader.ts";
import { readStream } from "../src/protocols/stream.case.ts";
import { shattered, viewFor } from "../src/protocols/tap.case.ts";
import { noToolBook, type ToolBook, toolBook } from "../src/protocols/tool-book.ts";
import { translatePrompt } from "../src/protocols/translate-prompt.ts";
import { translatingTap } from "../src/protocols/translate-stream.ts";
import { translateWhole, unfoldedStream } from "../src/protocols/translate-whole.ts";
import { seeded } from "./harness.ts";
import { type Corpus, corpusOf } from "./hostile-corpus.ts";
import { below, type Chance, mutatedBody, mutatedStream, pick } from "./hostile-mutator.ts";
import {
  ALL_PAIRS,
  type HostileRig,
  logFaults,
  PAIRS,
  type Pair,
  pairName,
  startHostileRig,
} from "./hostile-rig.ts";
import { DIALECTS } from "./hostile-voice.ts";

/**
 * Streams and bodies with something wrong in them, each made from the seed and its own number. A failure names both:
 * SEED=… MUTATION=… plays that one alone, and another seed makes others.
 */

const { SEED = "20261115", MUTATION } = process.env;
const STREAMS = 5_400;
const BODIES = 2_700;
const REQUESTS = 1_900;
const OVER_HTTP = 600;
const WARM_UP = 200;
const RUN_MS_MAX = 3_000;
const EVENT_BYTES_MAX = 10_000_000;
const RSS_MIB_MAX = 96;

const corpora = new Map<Dialect, Corpus>();
beforeAll(async () => {
  for (const dialect of DIALECTS) corpora.set(dialect, await corpusOf(dialect));
});

function corpus(dialect: Dialect): Corpus {
  const found = corpora.get(dialect);
  if (found === undefined) throw new Error("no corpus");
  return found;
}

const chanceOf = (number: number) => seeded(Number(SEED) + number * 2_654_435_761);

/** Plays a number of them; what is thrown is told with the number that made it. */
function each(count: number, play: (chance: Chance, number: number) => void): void {
  const numbers = MUTATION === undefined ? Array.from({ length: count }, (_, at) => at) : [Number(MUTATION)];
  for (const number of numbers) {
    const startedTick = performance.now();
    try {
      play(chanceOf(number), number);
    } catch (error) {
      throw new Error(`SEED=${SEED} MUTATION=${number}: ${error instanceof Error ? error.stack : error}`);
    }
    const ms = performance.now() - startedTick;
    if (ms > RUN_MS_MAX) throw new Error(`SEED=${SEED} MUTATION=${number} took ${ms} ms`);
  }
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function streamFor(upstream: Dialect, chance: Chance): Buffer {
  const other = pick(chance, corpus(pick(chance, DIALECTS)).streams);
  return mutatedStream(pick(chance, corpus(upstream).streams), chance, other);
}

const bodyFor = (upstream: Dialect, chance: Chance) =>
  mutatedBody(pick(chance, corpus(upstream).bodies), chance);

const REFUSAL: Json = { type: "error", error: { type: "api_error", message: "The upstream failed." } };

/** The tool that the demo calls was one of free text here, and its answer has to be read as such. */
function restoringBook(): ToolBook {
  const tool = { kind: "custom", name: "look", description: null, format: null, cache: null } as const;
  const rules = { custom: false, namespaces: false, nameCharactersMax: 64 };
  return toolBook({ ...PROMPT, tools: [tool] }, rules).book;
}

function tapOf({ client, upstream }: Omit<Pair, "stream">, chance: Chance): Tap {
  if (client !== upstream) {
    const book = chance() < 0.5 ? noToolBook : restoringBook();
    const through = { from: PROTOCOLS[upstream], to: PROTOCOLS[client], head: HEAD, book };
    return translatingTap({ ...through, eventBytesMax: EVENT_BYTES_MAX });
  }
  const request = viewFor(client, { wantsUsage: chance() < 0.5 });
  return PROTOCOLS[client].tap({
    request,
    renameTo: chance() < 0.5 ? "mine" : null,
    eventBytesMax: EVENT_BYTES_MAX,
  });
}

/** Played to its end, or to a place at which we end it. */
function playTap(tap: Tap, pieces: readonly Buffer[], chance: Chance): string {
  const out: Uint8Array[] = [];
  const stopAt = chance() < 0.3 ? below(chance, pieces.length) : pieces.length;
  for (const piece of pieces.slice(0, stopAt)) {
    if (tap.ended || tap.failed) break;
    const passing = tap.feed(piece);
    if (passing !== null) out.push(passing);
  }
  if (!tap.ended && !tap.failed && stopAt < pieces.length) out.push(tap.lengthEnd({ input: 5, output: 7 }));
  else if (!tap.ended && !tap.failed) out.push(tap.rest() ?? Buffer.alloc(0));
  if (tap.failed) out.push(tap.failureEnd(REFUSAL));
  return Buffer.concat(out).toString("utf8");
}

function mustBeUsage(usage: Usage | null): void {
  for (const [name, value] of Object.entries(usage ?? {}))
    must(Number.isSafeInteger(value) && value >= 0 && value <= 4e9, `${name} is ${value}`);
}

/** What a client of the dialect makes of it: in order, and at an end. */
function mustBeStream(client: Dialect, text: string, tap: Tap): void {
  const events = readStream(PROTOCOLS[client], [Buffer.from(text)]);
  const faults = orderFaults(events);
  must(faults.length === 0, `${faults[0]} in ${text.slice(0, 2_000)}`);
  const last = events.at(-1)?.kind;
  must(last === (tap.failed ? "failure" : "end"), `it ends with ${last}: ${text.slice(-500)}`);
}

describe("in process", () => {
  test(`${STREAMS} streams of seed ${SEED}: nothing throws, and every client gets one that is in order and has an end`, () => {
    each(STREAMS, (chance, number) => {
      const pair = PAIRS[number % PAIRS.length] ?? { client: "chat", upstream: "chat" };
      const bytes = streamFor(pair.upstream, chance);
      const tap = tapOf(pair, chance);
      const text = playTap(tap, shattered(bytes, chance), chance);
      mustBeUsage(tap.reported().usage);
      must(tap.content.bytes <= 8 * bytes.length, `${tap.content.bytes} of ${bytes.length} bytes were said`);
      if (pair.client === pair.upstream) return;
      mustBeStream(pair.client, text, tap);
      // The tap takes an exception for a failure: the codecs are to throw none at all.
      const reader = PROTOCOLS[pair.upstream].streamReader();
      const writer = PROTOCOLS[pair.client].streamWriter(HEAD);
      const events = new SseReader(EVENT_BYTES_MAX).feed(bytes).flatMap(event => reader.read(event));
      for (const event of [...events, ...reader.finish()]) if (event.kind !== "failure") writer.write(event);
    });
  }, 120_000);

  test(`${BODIES} whole answers: nothing throws, and what is taken for one can be told in each dialect`, () => {
    each(BODIES, (chance, number) => {
      const { client, upstream } = PAIRS[number % PAIRS.length] ?? { client: "chat", upstream: "chat" };
      const bytes = bodyFor(upstream, chance);
      const [from, to] = [PROTOCOLS[upstream], PROTOCOLS[client]];
      const native = from.readWhole(bytes);
      mustBeUsage(native?.usage ?? null);
      native?.said();
      const body = objectIn(bytes);
      const reply = body === null ? null : from.readReply(body);
      if (reply !== null) JSON.stringify(to.writeReply(reply, HEAD));
      const through = { from, to, head: HEAD, book: noToolBook };
      const [whole, stream] = [translateWhole(bytes, through), unfoldedStream(bytes, through)];
      must((whole === null) === (reply === null), "translated differs from read");
      must((stream === null) === (reply === null), "streamed differs from read");
      mustBeUsage(whole?.usage ?? null);
      if (stream === null) return;
      const faults = orderFaults(readStream(to, [stream.bytes]));
      must(faults.length === 0, `${faults[0]}`);
    });
  }, 120_000);

  test(`${REQUESTS} requests: nothing throws, and what is not taken names its field`, () => {
    each(REQUESTS, (chance, number) => {
      const { client, upstream } = PAIRS[number % PAIRS.length] ?? { client: "chat", upstream: "chat" };
      const read = PROTOCOLS[client].readRequest(mutatedBody(pick(chance, corpus(client).requests), chance));
      if ("refusal" in read) return must(read.refusal.reason === "request_invalid", read.refusal.reason);
      const { request } = read;
      PROTOCOLS[client].writeRequest(request, {
        upstreamModel: "up",
        outputTokens: 5,
        kind: "openai-compatible",
      });
      const prompt = PROTOCOLS[client].readPrompt(request.body);
      const written =
        "problem" in prompt
          ? prompt
          : translatePrompt({
              prompt: prompt.prompt,
              to: PROTOCOLS[upstream],
              target: PROMPT_TARGETS[upstream],
            });
      if (!("problem" in written)) return;
      const { param, problem } = written.problem;
      must(param !== "" && problem.includes(`“${param}”`), `${param}: ${problem}`);
    });
  }, 120_000);
});

function objectIn(bytes: Buffer): Json | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

describe("over HTTP", () => {
  let rig: HostileRig;
  beforeAll(async () => {
    rig = await startHostileRig({ WICKETGATE_IDLE_SECONDS: "2" });
  });
  afterAll(() => rig.stop());

  async function play(number: number): Promise<string[]> {
    const chance = chanceOf(number);
    const pair = ALL_PAIRS[number % ALL_PAIRS.length] ?? { client: "chat", upstream: "chat", stream: true };
    rig.upstreams[pair.upstream].script(async exchange => {
      if (!pair.stream) return exchange.reply(200, bodyFor(pair.upstream, chance));
      await exchange.begin();
      for (const piece of shattered(streamFor(pair.upstream, chance), chance)) await exchange.piece(piece);
      return chance() < 0.2 ? exchange.reset() : exchange.end();
    });
    const { status, whole } = await rig.ask(pair);
    const isRight = whole && (status === 200 || status === 502 || status === 504);
    return isRight
      ? []
      : [`SEED=${SEED} ${number}, ${pairName(pair)}: ${status}, ${whole ? "whole" : "cut off"}`];
  }

  const rssMib = () =>
    (Number(readFileSync(`/proc/${rig.gateway.pid}/statm`, "utf8").split(" ")[1]) * 4) / 1024;

  test(`${OVER_HTTP} answers of seed ${SEED}: no 500, no connection that breaks, no word in the log, and memory stays where it is`, async () => {
    const wrong: string[] = [];
    for (let number = 0; number < WARM_UP; number++) wrong.push(...(await play(number)));
    const before = rssMib();
    for (let number = WARM_UP; number < WARM_UP + OVER_HTTP; number++) wrong.push(...(await play(number)));
    expect(wrong).toEqual([]);
    expect(rssMib() - before).toBeLessThan(RSS_MIB_MAX);
    expect(logFaults(rig.gateway.log())).toEqual([]);
    process.kill(rig.gateway.pid, 0);
    expect((await rig.rows()).size).toBe(WARM_UP + OVER_HTTP);
  }, 120_000);
});
