import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { idMaker, isId } from "./ids.ts";

const zeros = (count: number) => new Uint8Array(count);
const ones = (count: number) => new Uint8Array(count).fill(255);

test("an id is its kind, ten digits of time and sixteen of chance", () => {
  expect(idMaker({ nowMs: () => 0, randomBytes: zeros })("key")).toBe("key_00000000000000000000000000");
  // The time is written as a ULID writes it: 2023-11-14T22:13:20Z is 01HF7YAT00.
  const make = idMaker({ nowMs: () => 1_700_000_000_000, randomBytes: zeros });
  expect(make("req")).toBe("req_01hf7yat000000000000000000");
  expect(make("req")).toBe("req_01hf7yat000000000000000001");
});

test("ids of one maker strictly increase, also within a millisecond and when the clock goes back", () => {
  const steps = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 2, maxLength: 60 });
  fc.assert(
    fc.property(steps, fc.constantFrom(zeros, ones, randomBytes), (moves, source) => {
      let nowMs = 1_800_000_000_000;
      const make = idMaker({ nowMs: () => nowMs, randomBytes: source });
      let last = "";
      for (const move of moves) {
        nowMs += move;
        const id = make("led");
        expect(id > last).toBe(true);
        expect(isId("led", id)).toBe(true);
        last = id;
      }
    }),
  );
});

test("the count goes on over its last digits, and over all of them", () => {
  const make = idMaker({ nowMs: () => 0, randomBytes: zeros });
  const ids = Array.from({ length: 3_000 }, () => make("key"));
  expect(ids[1_023]).toBe("key_000000000000000000000000zz");
  expect(ids[1_024]).toBe("key_00000000000000000000000100");
  expect(ids[2_999]).toBe("key_000000000000000000000002xq");
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(3_000);
});

test("chance is drawn once a millisecond", () => {
  let nowMs = 1;
  let draws = 0;
  const source = (count: number) => {
    draws += 1;
    return randomBytes(count);
  };
  const make = idMaker({ nowMs: () => nowMs, randomBytes: source });
  for (let i = 0; i < 1000; i++) make("req");
  expect(draws).toBe(1);
  nowMs = 2;
  make("req");
  expect(draws).toBe(2);
});

test("two makers at the same time do not meet", () => {
  const seen = new Set<string>();
  for (let i = 0; i < 2000; i++) seen.add(idMaker({ nowMs: () => 1, randomBytes })("req"));
  expect(seen.size).toBe(2000);
});

test("an id of another kind, length or alphabet is none", () => {
  const id = idMaker({ nowMs: Date.now, randomBytes })("acc");
  expect(isId("acc", id)).toBe(true);
  const others = [id.slice(1), id.slice(0, -1), `${id}0`, `${id}\n`, ` ${id}`, id.toUpperCase(), "acc_", ""];
  for (const text of [...others, `${id.slice(0, -1)}u`, id.replace("acc_", "key_"), `acc_${id}`]) {
    expect(isId("acc", text)).toBe(false);
  }
});
