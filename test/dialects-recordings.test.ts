import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import { carriedSeal } from "../src/protocols/carry-seal.ts";
import { HEAD } from "../src/protocols/prompt.case.ts";
import { PROTOCOLS } from "../src/protocols/protocols.ts";
import { sdkReply } from "../src/protocols/sdk-reply.case.ts";
import { streamedReply } from "../src/protocols/stream.case.ts";
import { NO_RECORDINGS, recordedStream, recordings } from "../src/protocols/tap.case.ts";
import { PATHS, plainBody } from "./dialects-checks-money.ts";
import { type Dialects, startDialects } from "./dialects-gateway.ts";
import { DIALECTS, type Told, WAYS, type Way } from "./dialects-talk.ts";

/**
 * What real providers have said, played by an upstream and heard by the makers' own SDKs in every dialect. The judge of
 * a stream is the whole answer that its provider's own SDK makes of it.
 */

/** What has no place in a conversation, and so is no answer to one. */
const NOT_ANSWERS = ["openai-embedding.json", "openai-image.json"];
const isError = (name: string) => name.startsWith("openai-error");

let rig: Dialects;
beforeAll(async () => {
  rig = await startDialects();
});
afterAll(() => rig.stop());

type Heard = Omit<Told, "id" | "requestId">;

async function hear(pair: { client: Dialect; upstream: Dialect }, way: Way): Promise<Heard> {
  const talk = rig.talk(pair.client);
  talk.say("Hello");
  const model = rig.model(pair.upstream);
  const { id: _, requestId, ...heard } = await talk.hear({ model, thinks: true }, way);
  expect(requestId).toMatch(/^req_/);
  expect(heard.model).toBe(model);
  return heard;
}

function playWhole(text: string, status = 200): void {
  rig.upstream.mock.script(exchange => exchange.reply(status, text));
}

function playStream(text: string): void {
  rig.upstream.mock.script(exchange => exchange.stream([text]));
}

/** Null where the maker's own SDK does not understand the stream, as OpenAI's does not understand Mistral's tool calls. */
async function sdkFold(dialect: Dialect, text: string): Promise<Record<string, unknown> | null> {
  const stream = Buffer.from(recordedStream(dialect, text));
  const folded = await sdkReply(dialect, stream).catch(() => null);
  if (folded === null || dialect !== "chat") return folded;
  // It keeps the last piece only of what a chat model thought.
  type Chunk = { choices: { delta: { reasoning_content?: string | null } }[] };
  const chunks = linesOf(text).map(line => JSON.parse(line) as Chunk);
  const thought = chunks.map(({ choices }) => choices[0]?.delta.reasoning_content ?? "").join("");
  const [choice] = folded["choices"] as { message: Record<string, unknown> }[];
  if (choice !== undefined && thought !== "") choice.message["reasoning_content"] = thought;
  return folded;
}

/** Where there is no other judge: the answer as the gateway's own reader folds it. */
function ownFold(dialect: Dialect, text: string): Record<string, unknown> {
  const reply = streamedReply(PROTOCOLS[dialect], [Buffer.from(recordedStream(dialect, text))]);
  if (reply === null) throw new Error("the recording does not end");
  return PROTOCOLS[dialect].writeReply(reply, HEAD);
}

function linesOf(text: string): string[] {
  return text.split("\n").filter(line => line !== "");
}

/** OpenAI encrypts the same thought anew in each event that has it; the one of an item that only begins is not whole. */
function expectSeals(seals: readonly string[], recorded: { upstream: Dialect; text: string }): void {
  const whole = linesOf(recorded.text).filter(line => !line.includes("output_item.added"));
  if (recorded.upstream === "chat") return;
  for (const seal of seals) expect(whole.join("\n")).toContain(carriedSeal(seal)?.value ?? seal);
}

for (const upstream of DIALECTS) {
  const wholes = recordings(upstream, ".json");
  const streams = recordings(upstream, ".chunks.txt");
  if (wholes.length === 0) test.skip(NO_RECORDINGS, () => {});

  describe(`recorded ${upstream}`, () => {
    for (const { name, text } of streams.filter(({ name }) => !isError(name))) {
      test(`${name} streams to every client as the whole answer that it is`, async () => {
        const folded = await sdkFold(upstream, text);
        const clients = folded === null ? DIALECTS.filter(client => client !== upstream) : DIALECTS;
        for (const client of clients) {
          playWhole(JSON.stringify(folded ?? ownFold(upstream, text)));
          const whole = await hear({ client, upstream }, "whole");
          playStream(recordedStream(upstream, text));
          const streamed = await hear({ client, upstream }, "stream");
          expect({ ...streamed, seals: streamed.seals.length }).toEqual({
            ...whole,
            seals: whole.seals.length,
          });
          expectSeals(streamed.seals, { upstream, text });
          expect(whole.usage.output).toBeGreaterThan(0);
        }
      });
    }

    for (const { name, text } of wholes.filter(({ name }) => !isError(name) && !NOT_ANSWERS.includes(name))) {
      test(`${name} says the same to every client, asked for as a stream or not`, async () => {
        playWhole(text);
        const native = await hear({ client: upstream, upstream }, "whole");
        for (const client of DIALECTS.filter(dialect => dialect !== upstream)) {
          const whole = await hear({ client, upstream }, "whole");
          expect(whole.text).toBe(native.text);
          expect(whole.calls.map(({ name }) => name)).toEqual(native.calls.map(({ name }) => name));
          for (const [place, { input }] of native.calls.entries()) {
            // In messages every tool takes an object, so free text stands in a field of one.
            const isText = client === "messages" && typeof input === "string";
            expect(whole.calls[place]?.input).toEqual(isText ? { input } : input);
          }
          expect(whole.usage).toEqual(native.usage);
          // The upstream does not stream although it was asked to.
          expect(await hear({ client, upstream }, "stream")).toEqual(whole);
        }
      });
    }

    for (const { name, text } of wholes.filter(({ name }) => NOT_ANSWERS.includes(name))) {
      test(`${name} is no answer to a conversation, and costs nothing`, async () => {
        playWhole(text);
        for (const client of DIALECTS)
          for (const way of WAYS)
            await expect(hear({ client, upstream }, way)).rejects.toMatchObject({ status: 502 });
      });
    }
  });
}

describe("recorded errors", () => {
  const found = recordings("responses", ".json").find(({ name }) => isError(name));
  const stream = recordings("responses", ".chunks.txt").find(({ name }) => isError(name));
  if (found === undefined || stream === undefined) {
    test.skip(NO_RECORDINGS, () => {});
    return;
  }

  for (const client of DIALECTS) {
    test(`are errors to a ${client} client, whatever their status, and keep what they say to themselves`, async () => {
      for (const [status, told] of [
        [429, client === "messages" ? 529 : 503],
        [200, 502],
      ] as const) {
        playWhole(found.text, status);
        for (const way of WAYS) {
          const refused = await hear({ client, upstream: "responses" }, way).then(
            () => null,
            (error: unknown) => error,
          );
          expect(refused).toMatchObject({ status: told });
          expect(String(refused)).not.toContain("exceeded your current quota");
        }
      }
    });

    test(`inside a stream end it for a ${client} client in its own way`, async () => {
      playStream(recordedStream("responses", stream.text));
      const response = await fetch(rig.gateway.url + PATHS[client], {
        method: "POST",
        headers: { authorization: `Bearer ${rig.key()}`, "content-type": "application/json" },
        body: JSON.stringify(plainBody(client, rig.model("responses"), { stream: true })),
      });
      const text = await response.text();
      expect(text).not.toContain("exceeded your current quota");
      const last = text.trimEnd().split("\n\n").at(-1) ?? "";
      const begins = {
        chat: 'data: {"error":',
        responses: "event: response.failed\n",
        messages: "event: error\n",
      };
      expect(last).toStartWith(begins[client]);
      expect(text).not.toContain("[DONE]");
    });
  }
});
