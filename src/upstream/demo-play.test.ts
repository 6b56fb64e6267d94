import { expect, test } from "bun:test";
import { collect, exchange, HELLO } from "./demo.case.ts";

const sleep = (ms: number) => Bun.sleep(ms);
const stream = (model: string) => exchange({ messages: HELLO, stream: true }, model);

/** Counts what it is told, and can be given something to do at each read. */
function listener(onRead: (count: number) => void = () => {}) {
  const heard = { reads: 0, ends: 0, failures: 0 };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const consumer = {
    onBytes: () => onRead(++heard.reads),
    onEnd: () => {
      heard.ends++;
      end();
    },
    onFailure: () => void heard.failures++,
  };
  return { heard, consumer, ended };
}

test("nothing comes before it is read", async () => {
  const answer = await stream("demo").answer;
  await sleep(10);
  const { heard, consumer, ended } = listener();
  answer.read(consumer);
  expect(heard.reads).toBe(0);
  await ended;
  expect(heard.ends).toBe(1);
});

test.each(["demo-tokens-1000", "demo-delay-1-tokens-40"])(
  "%s: a pause inside a read stops at that read",
  async model => {
    const answer = await stream(model).answer;
    const paused = Promise.withResolvers<void>();
    const { heard, consumer, ended } = listener(count => {
      if (count !== 10) return;
      answer.pause();
      paused.resolve();
    });
    answer.read(consumer);
    await paused.promise;
    await sleep(20);
    expect(heard.reads).toBe(10);
    answer.resume();
    await ended;
    expect(heard).toEqual({ reads: 3 + Number(model.split("-").at(-1)), ends: 1, failures: 0 });
  },
);

test("paused and resumed at every read, each token still comes once and at its pace", async () => {
  const answer = await stream("demo-delay-5-tokens-10").answer;
  const start = performance.now();
  const { heard, consumer, ended } = listener(() => {
    answer.pause();
    setTimeout(answer.resume, 0);
  });
  answer.read(consumer);
  await ended;
  expect(performance.now() - start).toBeGreaterThanOrEqual(45);
  expect(heard).toEqual({ reads: 13, ends: 1, failures: 0 });
});

test("paused before it is read, it waits; resumed twice, it plays once", async () => {
  const answer = await stream("demo-tokens-10").answer;
  answer.pause();
  const { heard, consumer, ended } = listener(() => {
    answer.pause();
    answer.resume();
    answer.resume();
  });
  answer.read(consumer);
  await sleep(10);
  expect(heard.reads).toBe(0);
  answer.resume();
  answer.resume();
  await ended;
  await sleep(5);
  expect(heard).toEqual({ reads: 13, ends: 1, failures: 0 });
});

test("a pause on the last bytes holds the end back", async () => {
  const answer = await exchange({ messages: HELLO }).answer;
  const paused = Promise.withResolvers<void>();
  const { heard, consumer, ended } = listener(() => {
    answer.pause();
    paused.resolve();
  });
  answer.read(consumer);
  await paused.promise;
  await sleep(10);
  expect(heard).toEqual({ reads: 1, ends: 0, failures: 0 });
  answer.resume();
  await ended;
  expect(heard).toEqual({ reads: 1, ends: 1, failures: 0 });
});

test.each(["demo-tokens-100000", "demo-delay-5-tokens-100", "demo-cut-3"])(
  "%s: nothing follows an abort",
  async model => {
    const answer = await stream(model).answer;
    const aborted = Promise.withResolvers<void>();
    const { heard, consumer } = listener(count => {
      if (count !== 4) return;
      answer.abort();
      aborted.resolve();
    });
    answer.read(consumer);
    await aborted.promise;
    answer.resume();
    answer.abort();
    await sleep(20);
    expect(heard).toEqual({ reads: 4, ends: 0, failures: 0 });
  },
);

test("an abort between reads, through the exchange, stops the timer", async () => {
  const { answer, abort } = stream("demo-delay-40-tokens-100");
  const begun = Promise.withResolvers<void>();
  const { heard, consumer } = listener(() => begun.resolve());
  (await answer).read(consumer);
  await begun.promise;
  abort();
  await sleep(80);
  expect(heard).toEqual({ reads: 1, ends: 0, failures: 0 });
});

test("an abort before the head rejects the answer", async () => {
  const { answer, abort } = stream("demo-first-30");
  abort();
  await expect(answer).rejects.toMatchObject({ name: "UpstreamFailure", kind: "cut" });
});

test("an abort nobody waits for harms nothing", async () => {
  stream("demo-first-30").abort();
  await sleep(5);
});

test("a long answer without delay leaves the event loop to others", async () => {
  const heard = collect(await stream("demo-tokens-100000").answer);
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  expect((await heard).reads.length).toBe(100_003);
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(5);
});
