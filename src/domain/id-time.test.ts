import { describe, expect, test } from "bun:test";
import { firstIdAt, idTimeMs } from "./id-time.ts";
import { idMaker } from "./ids.ts";

const AT = 1_800_000_123_457;
const make = (ms: number, byte: number) =>
  idMaker({ nowMs: () => ms, randomBytes: count => new Uint8Array(count).fill(byte) })("req");

describe("the time of an id", () => {
  test("is the millisecond in which it was made", () => {
    for (const ms of [0, 1, AT, 2 ** 45]) expect(idTimeMs(make(ms, 255))).toBe(ms);
  });

  test("bounds the ids of a millisecond from below, and no others", () => {
    const bound = firstIdAt("req", AT);
    expect(bound).toHaveLength(make(AT, 0).length);
    expect(make(AT, 0) >= bound).toBe(true);
    expect(make(AT - 1, 255) < bound).toBe(true);
    expect(idTimeMs(bound)).toBe(AT);
  });
});
