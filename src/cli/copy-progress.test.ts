import { expect, test } from "bun:test";
import type { Io } from "./command.ts";
import { count, size, withProgress } from "./copy-progress.ts";

type Seen = { io: Io; err: () => string; signal: () => void; exits: number[] };

function terminal(isTerminal: boolean): Seen {
  let err = "";
  let listener = () => {};
  const exits: number[] = [];
  const stderr = (text: string) => {
    err += text;
  };
  const onSignal = (given: () => void) => {
    listener = given;
  };
  const io: Io = {
    stdout: () => {},
    stderr,
    isTerminal,
    env: {},
    onSignal,
    exitNow: code => exits.push(code),
  };
  return { io, err: () => err, signal: () => listener(), exits };
}

test("on a terminal one line changes, and is gone at the end", async () => {
  const { io, err } = terminal(true);
  const code = await withProgress(
    { io },
    async watch => {
      const on = watch("Copying");
      for (let done = 1; done <= 3; done++) {
        await Bun.sleep(110);
        on({ done: done * 1_000, all: 3_000, what: "rows, in usage" });
      }
      return 7;
    },
    value => value,
  );
  expect(code).toBe(7);
  expect(err()).toContain("\r\u001b[KCopying: 66 % (2,000 of 3,000 rows, in usage)");
  expect(err()).not.toContain("\n");
  expect(err()).toEndWith("\r\u001b[K");
});

test("elsewhere a short command says nothing of it", async () => {
  const { io, err } = terminal(false);
  const work = async (
    watch: (doing: string) => (progress: { done: number; all: number; what: string }) => void,
  ) => watch("Copying")({ done: 1, all: 2, what: "rows" });
  expect(await withProgress({ io }, work, () => 0)).toBe(0);
  expect(err()).toBe("");
});

test("a signal ends it at the next step, and a second one at once", async () => {
  const { io, err, signal, exits } = terminal(false);
  const code = await withProgress(
    { io },
    async watch => {
      signal();
      watch("Copying")({ done: 1, all: 2, what: "rows" });
      return 0;
    },
    () => 0,
  );
  expect(code).toBe(130);
  expect(err()).toContain("interrupted");
  signal();
  expect(exits).toEqual([130]);
});

test("numbers are for people", () => {
  expect([count(1_234_567), size(12), size(2_048), size(5 * 1024 * 1024)]).toEqual([
    "1,234,567",
    "12 bytes",
    "2.0 KiB",
    "5.0 MiB",
  ]);
});
