import { afterAll, describe, expect, test } from "bun:test";
import { type Content, type Countable, type CounterOptions, TokenCounter } from "./count-tokens.ts";

const GUESS = { input: 11_111, output: 22_222 };
const NOTHING: Content = { bytes: 0, sample: new Uint8Array() };
/** Loading takes as long as it takes on a busy machine; the limit itself has a test of its own. */
const PATIENT_MS = 20_000;

const said = (text: string): Content => {
  const sample = Buffer.from(JSON.stringify(text).slice(1, -1));
  return { bytes: sample.length, sample };
};

function asked(content: unknown, more: Partial<Countable> = {}): Countable {
  const request = Buffer.from(JSON.stringify({ messages: [{ role: "user", content }] }));
  return { dialect: "chat", request, dataTokens: 0, content: NOTHING, guess: GUESS, ...more };
}

function counterOf(options: Partial<CounterOptions> = {}) {
  const logged: string[] = [];
  const threads: Worker[] = [];
  const url = new URL("./count-thread.ts", import.meta.url).href;
  const { openThread = () => new Worker(url) } = options;
  const counter = new TokenCounter({
    log: (_, event) => logged.push(event),
    countMsMax: PATIENT_MS,
    ...options,
    openThread: () => {
      const opened = openThread();
      threads.push(opened);
      return opened;
    },
  });
  return { counter, logged, threads };
}

const scripted = (code: string) => () => new Worker(URL.createObjectURL(new Blob([code])));

describe("counted by the tokenizer:", () => {
  const { counter, threads, logged } = counterOf();
  afterAll(() => {
    counter.close();
    expect(logged).toEqual([]);
  });
  const inputOf = async (content: unknown) => (await counter.count(asked(content))).input;
  const outputOf = async (content: Content) => (await counter.count(asked("", { content }))).output;

  test("two words are two tokens, and a message takes four more", async () => {
    expect(await inputOf("hello world")).toBe(6);
    expect(await outputOf(said("hello world"))).toBe(2);
  });

  test.each([
    ["Chinese", "你好世界，今天的天气非常好。", 9],
    ["white space", " ".repeat(400), 4],
    ["escapes", 'a\n"b"\\', 5],
    ["the name of a special token", "<|endoftext|>", 7],
  ])("%s", async (_, text, tokens) => {
    expect(await inputOf(text)).toBe(tokens + 4);
    expect(await outputOf(said(text))).toBe(tokens);
  });

  test("what is no text is added to it", async () => {
    const { input } = await counter.count(asked([{ type: "text", text: "hello" }], { dataTokens: 3_000 }));
    expect(input).toBe(3_005);
  });

  test("the whole is like its sample", async () => {
    const { sample } = said("hello world");
    expect(await outputOf({ sample, bytes: 10 * sample.length })).toBe(20);
    expect(await outputOf(NOTHING)).toBe(GUESS.output);
  });

  test("a sample that is cut within a letter or an escape loses no more than that", async () => {
    const { sample } = said("hello 你");
    const escaped = Buffer.from("hello \\u4f60");
    for (let cut = 0; cut <= 5; cut++) {
      for (const whole of [sample, escaped]) {
        const kept = whole.subarray(0, whole.length - Math.min(cut, whole.length - 6));
        expect(await outputOf({ sample: kept, bytes: kept.length })).toBeLessThanOrEqual(5);
      }
    }
  });

  test("a request that is not understood has the guessed input, and a counted output", async () => {
    for (const request of ["", "{", "[]", '{"messages":1}', "\xff"]) {
      const what = asked("", { request: Buffer.from(request, "latin1"), content: said("hello world") });
      expect(await counter.count(what)).toEqual({ input: GUESS.input, output: 2 });
    }
  });

  test("a long text in pieces has as many tokens as in one", async () => {
    const words = "The quick brown fox jumps over the lazy dog, then it rests.\n";
    const one = (await inputOf(words)) - 4;
    expect(Math.abs((await inputOf(words.repeat(5_000))) - one * 5_000)).toBeLessThan(one * 25);
    // Above the limit the rest is taken to be alike.
    expect(Math.abs((await inputOf(words.repeat(40_000))) - one * 40_000)).toBeLessThan(one * 200);
  });

  /** No two pieces are the same, so nothing is remembered from one to the next. */
  function unrepeated(length: number): string {
    let state = 1;
    const letters = Array.from({ length }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return 0x4e00 + ((state >>> 8) % 0x5000);
    });
    return letters.map(code => String.fromCharCode(code)).join("");
  }

  test.each([
    ["one letter", "x".repeat(5_000_000), 625_000],
    ["white space", " ".repeat(5_000_000), 40_000],
    ["emoji", "😀".repeat(1_250_000), 1_250_000],
    ["rare letters without a space", unrepeated(1_666_666), 1_666_666],
  ])("5 MB of %s do not hang it", async (_, text, tokensMin) => {
    const tick = performance.now();
    const input = await inputOf(text);
    expect(performance.now() - tick).toBeLessThan(PATIENT_MS / 4);
    expect(input).toBeGreaterThanOrEqual(tokensMin * 0.95);
    expect(input).not.toBe(GUESS.input);
  });

  test("many at once, each its own, all in one thread", async () => {
    const all = Array.from({ length: 300 }, (_, at) => inputOf(" a".repeat(at + 1)));
    expect(await Promise.all(all)).toEqual(all.map((_, at) => at + 5));
    expect(threads).toHaveLength(1);
  });

  test("a request too large to be copied is guessed", async () => {
    expect(await inputOf("x".repeat(9 * 1_024 * 1_024))).toBe(GUESS.input);
  });

  test("the request itself is left as it was", async () => {
    const what = asked("hello");
    await counter.count(what);
    expect(Buffer.from(what.request).toString()).toContain("hello");
  });
});

describe("the guess is taken", () => {
  const DEAF = "self.onmessage = () => {};";

  test("after the time limit, also by those who wait behind", async () => {
    const { counter } = counterOf({ openThread: scripted(DEAF), countMsMax: 50 });
    const tick = performance.now();
    const counts = [counter.count(asked("a")), counter.count(asked("b"))];
    expect(await Promise.all(counts)).toEqual([GUESS, GUESS]);
    expect(performance.now() - tick).toBeLessThan(1_000);
    counter.close();
  });

  test("beyond what may wait, at once", async () => {
    const { counter } = counterOf({ openThread: scripted(DEAF) });
    const bulky = { request: Buffer.alloc(20 * 1_024 * 1_024) };
    const waiting = Array.from({ length: 4 }, () => counter.count(asked("", bulky)));
    expect(await counter.count(asked("", bulky))).toEqual(GUESS);
    for (let at = 0; at < 2_000; at++) waiting.push(counter.count(asked("a")));
    expect(await waiting.at(-1)).toEqual(GUESS);
    counter.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([GUESS]));
  });

  test("when it is closed, and afterwards", async () => {
    const { counter, threads } = counterOf({ openThread: scripted(DEAF) });
    const waiting = counter.count(asked("a"));
    counter.close();
    expect(await waiting).toEqual(GUESS);
    expect(await counter.count(asked("a"))).toEqual(GUESS);
    expect(threads).toHaveLength(1);
  });

  test("while a thread that died has not been replaced", async () => {
    const { counter, logged, threads } = counterOf({ restMs: 100 });
    expect((await counter.count(asked("hello"))).input).toBe(5);
    const waiting = [counter.count(asked("hello")), counter.count(asked("hello"))];
    threads[0]?.terminate();
    for (const { input } of await Promise.all(waiting)) expect([5, GUESS.input]).toContain(input);
    while (logged.length === 0) await Bun.sleep(1);
    expect(await counter.count(asked("hello"))).toEqual(GUESS);
    await Bun.sleep(150);
    expect((await counter.count(asked("hello"))).input).toBe(5);
    expect(logged).toEqual(["tokens.thread_ended"]);
    expect(threads).toHaveLength(2);
    counter.close();
  });

  test.each([
    ["throws", "self.onmessage = () => { throw new Error('no'); };"],
    ["ends", "self.onmessage = () => process.exit(1);"],
    ["is no program", "}"],
  ])("when a thread %s, and none is begun again and again", async (_, code) => {
    const { counter, threads } = counterOf({ openThread: scripted(code) });
    for (let at = 0; at < 5; at++) expect(await counter.count(asked("a"))).toEqual(GUESS);
    expect(threads).toHaveLength(1);
    counter.close();
  });

  test("when there can be no thread", async () => {
    const openThread = () => {
      throw new Error("no more threads");
    };
    const { counter, logged } = counterOf({ openThread });
    expect(await counter.count(asked("a"))).toEqual(GUESS);
    expect(logged).toEqual(["tokens.thread_ended"]);
    counter.close();
  });
});

test("a thread with nothing to do is ended, and begun again when there is", async () => {
  const { counter, threads, logged } = counterOf({ idleMsMax: 50 });
  for (const count of [1, 2]) {
    expect((await counter.count(asked("hello"))).input).toBe(5);
    expect(threads).toHaveLength(count);
    await Bun.sleep(150);
  }
  expect(logged).toEqual([]);
  counter.close();
});
