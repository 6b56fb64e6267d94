import { expect, test } from "bun:test";
import { Quiet } from "./quiet.ts";

/** A clock that stands until it is moved, and whatever waits for it. */
function stage() {
  let tick = 0;
  let waiting: { at: number; look: () => void }[] = [];
  const tidied: number[] = [];
  const quiet = new Quiet({
    quietMs: 100,
    times: 3,
    worthTidying: 3,
    tidy: () => void tidied.push(tick),
    nowTick: () => tick,
    later: (look, ms) => {
      waiting.push({ at: tick + ms, look });
      return { unref: () => {} };
    },
  });
  const pass = (ms: number) => {
    const end = tick + ms;
    for (;;) {
      const next = waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      waiting = waiting.filter(one => one !== next);
      tick = next.at;
      next.look();
    }
    tick = end;
  };
  return { quiet, pass, tidied, timers: () => waiting.length };
}

test("after a rush it is tidied a few times, when nothing has come for a while", () => {
  const { quiet, pass, tidied, timers } = stage();
  for (let at = 0; at < 50; at += 1) {
    quiet.worked();
    expect(timers()).toBeLessThanOrEqual(1);
    pass(10);
  }
  expect(tidied).toEqual([]);
  pass(1_000);
  expect(tidied).toEqual([590, 690, 790]);
  pass(10_000);
  expect(tidied).toHaveLength(3);
});

test("a little work now and then is not worth it, until it has become much", () => {
  const { quiet, pass, tidied, timers } = stage();
  quiet.worked();
  quiet.worked();
  expect(timers()).toBe(0);
  pass(5_000);
  expect(tidied).toEqual([]);
  quiet.worked();
  pass(1_000);
  expect(tidied).toEqual([5_100, 5_200, 5_300]);
});

test("what trickles in after a rush is let pass, and does not have it tidied on and on", () => {
  const { quiet, pass, tidied } = stage();
  for (let at = 0; at < 3; at += 1) quiet.worked();
  pass(100);
  expect(tidied).toEqual([100]);
  for (let at = 0; at < 4; at += 1) {
    quiet.worked();
    pass(150);
  }
  pass(10_000);
  expect(tidied).toHaveLength(3);
});

test("a rush that comes before the last one is tidied up is tidied up as a whole", () => {
  const { quiet, pass, tidied } = stage();
  for (let at = 0; at < 3; at += 1) quiet.worked();
  pass(200);
  expect(tidied).toEqual([100, 200]);
  for (let at = 0; at < 3; at += 1) quiet.worked();
  pass(1_000);
  expect(tidied).toEqual([100, 200, 300, 400, 500]);
});
