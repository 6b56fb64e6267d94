import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TapOptions } from "../protocol.ts";
import { escapedBytes, singly, split, viewFor } from "../tap.case.ts";
import { chatTap } from "./tap.ts";

const REQUEST = viewFor("chat");
const OPTIONS: TapOptions = { request: REQUEST, renameTo: null, eventBytesMax: 1_000_000 };
const WANTED: Partial<TapOptions> = { request: { ...REQUEST, wantsUsage: true } };
const USAGE = { prompt_tokens: 12, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } };
const READ = { input: 8, cacheRead: 4, output: 7 };
const DONE = "data: [DONE]\n\n";

/** One event of a stream: `own` is the usage that only the gateway asked for. */
type Piece = { text: string; own?: true; said?: string };

function chunk(extra: object = {}): string {
  return JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "up-1", choices: [], ...extra });
}
function says(content: string, extra: object = {}): Piece {
  const json = chunk({ choices: [{ index: 0, delta: { content } }], ...extra });
  return { text: `data: ${json}\n\n`, said: content };
}
const usageOnly = (usage: object = USAGE): Piece => ({ text: `data: ${chunk({ usage })}\n\n`, own: true });
const done: Piece = { text: DONE };
const finish: Piece = {
  text: `data: ${chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`,
};
const withEnds = (pieces: Piece[], end: string) =>
  pieces.map(piece => ({ ...piece, text: piece.text.replaceAll("\n", end) }));

const OPENAI = [
  says("", { usage: null }),
  says("Héllo ", { usage: null }),
  says('😀\n"quoted" \\ text', { usage: null }),
  usageOnly(),
  done,
];
const FOOLING = [
  says('{"usage":{"prompt_tokens":1,"completion_tokens":1}}'),
  says('"usage'),
  says('"usage":'),
  says('\\"usage\\":{'),
  says('"error":{"message":"no"}'),
  says("data: [DONE]\n\ndata: [DONE]"),
  says("[DONE]"),
  says('"model":"other"', { tool: { usage: { prompt_tokens: 99, completion_tokens: 99 } } }),
  usageOnly(),
  done,
];
const PRETTY = JSON.stringify({ id: "c1", choices: [], usage: USAGE }, null, 2);

type Stream = { pieces: Piece[]; usage: object | null };
const STREAMS: Record<string, Stream> = {
  "OpenAI's": { pieces: OPENAI, usage: READ },
  "with CRLF": { pieces: withEnds(OPENAI, "\r\n"), usage: READ },
  "with CR": { pieces: withEnds(OPENAI, "\r"), usage: READ },
  "with LF and CRLF by turns": {
    pieces: [...OPENAI.slice(0, 2), ...withEnds(OPENAI.slice(2), "\r\n")],
    usage: READ,
  },
  "with usage on the last chunk": { pieces: [says("a"), says("b", { usage: USAGE }), done], usage: READ },
  "with usage on every chunk": {
    pieces: [
      says("a", { usage: { prompt_tokens: 12, completion_tokens: 1 } }),
      says("b", { usage: { prompt_tokens: 12, completion_tokens: 2 } }),
      usageOnly(),
      done,
    ],
    usage: READ,
  },
  "without usage": { pieces: [says("a"), says("b"), done], usage: null },
  "without [DONE] after its usage": { pieces: [says("a"), usageOnly()], usage: READ },
  "without [DONE] after its choice": { pieces: [says("a"), finish, { text: ": bye\n\n" }], usage: null },
  "with spaces after colons": {
    pieces: [
      { text: 'data: {"choices" : [ {"delta" : {"content" : "ab"}} ], "usage" : null}\n\n', said: "ab" },
      { text: `data: { "choices" : [ ] , "usage" :\t ${JSON.stringify(USAGE)} }\n\n`, own: true },
      done,
    ],
    usage: READ,
  },
  "without spaces": {
    pieces: OPENAI.map(p => ({ ...p, text: p.text.replace("data: ", "data:") })),
    usage: READ,
  },
  "with comments, ids and event names": {
    pieces: [
      { text: ": keep-alive\n\n" },
      { ...says("a"), text: `: {"model":\nevent: x\nid: 1\nretry: 5\n${says("a").text}` },
      { text: ":\n\n" },
      usageOnly(),
      done,
    ],
    usage: READ,
  },
  "with an event over many lines": {
    pieces: [says("a"), { text: PRETTY.replace(/^/gm, "data: ").concat("\n\n"), own: true }, done],
    usage: READ,
  },
  "that begins with a byte order mark": {
    pieces: [{ ...usageOnly(), text: `\ufeff${usageOnly().text}` }, says("a"), done],
    usage: READ,
  },
  "whose text tries to fool": { pieces: FOOLING, usage: READ },
};

function play(parts: readonly Buffer[], options: Partial<TapOptions> = {}) {
  const tap = chatTap({ ...OPTIONS, ...options });
  const passed = [...parts.map(part => tap.feed(part)), tap.rest()].flatMap(bytes => bytes ?? []);
  const text = Buffer.concat(passed).toString();
  const { usage, bad, isFinal } = tap.reported();
  return { text, usage, bad, isFinal, ended: tap.ended, failed: tap.failed, contentBytes: tap.content.bytes };
}

describe("however it is cut,", () => {
  for (const [name, { pieces, usage }] of Object.entries(STREAMS)) {
    const whole = Buffer.from(pieces.map(piece => piece.text).join(""));
    const withoutOwn = pieces.filter(piece => piece.own !== true).map(piece => piece.text);
    const contentBytes = pieces.reduce((sum, piece) => sum + escapedBytes(piece.said ?? ""), 0);

    function check(parts: readonly Buffer[]): void {
      for (const wantsUsage of [false, true]) {
        const seen = play(parts, wantsUsage ? WANTED : {});
        expect(seen.text).toBe(wantsUsage ? whole.toString() : withoutOwn.join(""));
        expect(seen).toMatchObject({ usage, bad: false, failed: false, contentBytes });
        expect(seen.ended).toBe(pieces.includes(done) || /\[DONE\][\r\n]+$/.test(whole.toString()));
      }
    }

    test(`[P28] a stream ${name} passes as it is, but for the usage nobody asked for`, () => {
      check([whole]);
      check(singly(whole));
      for (let cut = 0; cut <= whole.length; cut++) check(split(whole, [cut]));
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 8 }), cuts => check(split(whole, cuts))),
        { numRuns: 50 },
      );
    });
  }

  test("a stream with an error gives on what came before it, and nothing of it or after", () => {
    const before = says("a").text;
    const whole = Buffer.from(`${before}data: {"error":{"message":"sk-secret"}}\n\n${says("b").text}${DONE}`);
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(play(split(whole, [cut]))).toMatchObject({
        text: before,
        failed: true,
        ended: false,
        contentBytes: 1,
      });
    }
  });

  test("the model has the client's name, and only the model", () => {
    const tricky = (model: string) =>
      [
        says("a", { model }).text,
        `data: {"choices":[{"delta":{"content":"\\"model"}}],"model":"${model}"}\n\n`,
        `data: {"inner":{"model":"up-1"},"list":["model"],"object":"model","model" : "${model}"}\n\n`,
        `: "comment {\ndata: {"a":{},"model":"${model}"}\n\n`,
        `data: {\ndata:  "choices": [{}],\ndata:  "model": "${model}"\ndata: }\n\n`,
        'data: {"model":null,"choices":[]}\n\n',
        says('"model":"up-1"', { model }).text,
        DONE,
      ].join("");
    const whole = Buffer.from(tricky("up-1"));
    for (let cut = 0; cut <= whole.length; cut++) {
      const seen = play(split(whole, [cut]), { renameTo: "mine" });
      expect(seen).toMatchObject({ text: tricky("mine"), ended: true });
    }
  });
});

describe("the end", () => {
  const ended = (text: string) => play([Buffer.from(text)]).ended;

  test.each([
    DONE,
    "data:[DONE]\r\n\r\n",
    `${DONE}: bye\n\n`,
    "event: end\ndata: [DONE]\nid: 9\n\n",
    "data: [DONE]",
  ])("is %j", text => expect(ended(says("a").text + text)).toBe(true));

  test.each([
    says("[DONE]").text,
    says("data: [DONE]").text,
    says("\n\ndata: [DONE]\n\n").text,
    ": data: [DONE]\n\n",
    'data: "[DONE]"\n\n',
    "data: [DONE\n\n",
    "data: a\ndata: [DONE]\n\n",
    "xdata: [DONE]\n\n",
  ])("is not %j", text => expect(ended(says("a").text + text)).toBe(false));

  test("comes with its blank line, not before", () => {
    const tap = chatTap(OPTIONS);
    tap.feed(Buffer.from("data: [DONE]\n"));
    expect(tap.ended).toBe(false);
    tap.feed(Buffer.from("\n"));
    expect(tap.ended).toBe(true);
  });
});

describe("an unfinished event", () => {
  test("waits, and is given at the end, once", () => {
    const tap = chatTap(OPTIONS);
    const text = says("a").text.trimEnd();
    tap.feed(Buffer.from(finish.text));
    expect(tap.feed(Buffer.from(text))).toBeNull();
    expect(Buffer.from(tap.rest() ?? []).toString()).toBe(text);
    expect(tap.content.bytes).toBe(1);
    expect(tap.rest()).toBeNull();
  });

  test("is metered, withheld and renamed like a whole one", () => {
    const cut = (text: string, options: Partial<TapOptions> = {}) =>
      play([Buffer.from(says("a").text + text)], options);
    expect(cut(usageOnly().text.trimEnd())).toMatchObject({ text: says("a").text, usage: READ });
    expect(cut(says("b").text.trimEnd(), { renameTo: "mine" }).text).not.toContain("up-1");
    for (const error of [
      'data: {"error":"no"}',
      '{"error":{"message":"sk-secret"}}',
      '{\n "error": {}\n}\n',
    ]) {
      expect(cut(error)).toMatchObject({ text: says("a").text, failed: true });
    }
  });

  test("[P43] of which more is lost than its blank line is dropped, and the end that came before it counts", () => {
    const before = says("a").text + finish.text;
    const half = says("half").text.slice(0, -20);
    const cut = { text: before, ended: false, failed: false, contentBytes: 1 };
    expect(play([Buffer.from(before + half)])).toMatchObject(cut);
    expect(play([Buffer.from(`${before}data: [DONE]`)])).toMatchObject({
      ...cut,
      text: `${before}data: [DONE]`,
      ended: true,
    });
  });

  test("is overlong beyond the limit, and no event is when it has ended", () => {
    const tap = chatTap({ ...OPTIONS, eventBytesMax: 100 });
    tap.feed(Buffer.from("data:".padEnd(100, "x")));
    expect(tap.isOverlong).toBe(false);
    tap.feed(Buffer.from("y"));
    expect(tap.isOverlong).toBe(true);
    expect(tap.feed(Buffer.from("\n\n"))?.length).toBe(103);
    expect(tap.isOverlong).toBe(false);
  });
});

describe("a report", () => {
  test.each([-1, 1.5, 2 ** 53, 1e30, "12", null])(
    "of %p tokens is told as bad, and withheld like a good one",
    tokens => {
      const piece = usageOnly({ prompt_tokens: 5, completion_tokens: tokens });
      const seen = play([Buffer.from(piece.text + DONE)]);
      expect(seen).toMatchObject({ text: DONE, usage: null, bad: true });
    },
  );

  test.each(["null", '"none"', "5", "true"])("that is %s is none", usage => {
    const text = `data: {"choices":[],"usage":${usage}}\n\n`;
    expect(play([Buffer.from(text + DONE)])).toMatchObject({ text: text + DONE, usage: null, bad: false });
  });

  test("may come with an error that is null", () => {
    const text = `data: ${chunk({ error: null, choices: [{}], usage: USAGE })}\n\n${DONE}`;
    expect(play([Buffer.from(text)])).toMatchObject({ text, usage: READ, failed: false });
  });
});

test("text, reasoning, refusals and arguments are what is said; names and null are not", () => {
  const call = { function: { name: "find", arguments: '{"a":"b"}' } };
  const delta = {
    role: "assistant",
    content: "é",
    reasoning_content: "ab",
    refusal: null,
    tool_calls: [call],
  };
  const text = `data: ${chunk({ choices: [{ delta, logprobs: { content: [{ token: "x" }] } }] })}\n\n`;
  expect(play([Buffer.from(text)]).contentBytes).toBe(2 + 2 + escapedBytes(call.function.arguments));
});

test("[P29] the usage of a last chunk that ends its choice is of the whole answer", () => {
  const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: USAGE });
  const text = `${says("a").text}data: ${last}\n\n`;
  expect(play([Buffer.from(text)])).toMatchObject({ text, usage: READ, isFinal: true, failed: false });
});

test("[P30] usage in the middle is told as such, and the last word counts", () => {
  const middle = says("a", { usage: { prompt_tokens: 1, completion_tokens: 1 } }).text;
  expect(play([Buffer.from(middle + DONE)])).toMatchObject({ usage: { output: 1 }, isFinal: false });
  expect(play([Buffer.from(middle + usageOnly().text + DONE)])).toMatchObject({ usage: READ, isFinal: true });
});

test("what comes after the end neither fails it nor tells an error's text", () => {
  const text = says("a").text + DONE;
  const seen = play([Buffer.from(`${text}data: {"error":{"message":"sk-secret"}}\n\n`)]);
  expect(seen).toMatchObject({ text, ended: true, failed: false });
});

test("what begins like no event is a page under the wrong name: it has failed, and nothing of it passes", () => {
  for (const page of [
    "<html>\n\nsk-secret",
    '["sk-secret"]',
    '{"a":1}\n\n',
    "\n\nsk-secret\n\n",
    "datas: 1\n\n",
  ]) {
    for (const pieces of [[Buffer.from(page)], split(Buffer.from(page), [1, 2, 3])])
      expect(play(pieces)).toMatchObject({ text: expect.stringMatching(/^\s*$/), failed: true });
  }
});

test("no bytes make it throw, and events that it does not understand pass", () => {
  const letters = fc.constantFrom(
    "data:",
    "\n",
    "\r",
    " ",
    '"usage"',
    '"model"',
    '"finish_reason"',
    ":",
    "{",
    "}",
    '"',
    "\\",
    "[DONE",
  );
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 4 }), (parts, cuts) => {
      const whole = Buffer.from(`:\n\n${parts.join("")}\n\n${DONE}`);
      expect(play(split(whole, cuts), WANTED).text).toBe(whole.toString());
      play(split(whole.subarray(0, -20), cuts), { renameTo: "mine" });
    }),
  );
});
