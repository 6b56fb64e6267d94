import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fromMessagesId, toCallId, toMessagesId } from "./tool-id.ts";

const ALLOWED = /^[A-Za-z0-9_-]+$/;
/** As providers make them, as careless ones make them, and as nobody should. */
const ids = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("_", "0", "a", "f", "5", "g", ".", "-"), maxLength: 30 }),
  fc.string({ maxLength: 20 }).map(tail => `toolu_${tail}`),
  fc.string({ maxLength: 20 }).map(tail => `toolu_wg${tail}`),
  fc.constantFrom("", "functions.Bash:0", "call_a1B2", "toolu_01AbC", "chatcmpl-tool-1", "\ud800", "\udfff"),
);

describe("[P9] an id in the messages dialect", () => {
  test("has only the characters that are allowed there", () => {
    fc.assert(fc.property(ids, raw => expect(toMessagesId(raw)).toMatch(ALLOWED)));
  });

  test("is read back as it was", () => {
    const readable = ids.filter(raw => raw.isWellFormed());
    fc.assert(fc.property(readable, raw => expect(fromMessagesId(toMessagesId(raw))).toBe(raw)));
  });

  test("is never the same for two", () => {
    const pairs = fc.tuple(ids, ids).filter(([one, other]) => one !== other);
    fc.assert(fc.property(pairs, ([one, other]) => toMessagesId(one) !== toMessagesId(other)));
    expect(toMessagesId("\ud800")).not.toBe(toMessagesId("\ud801"));
  });

  test("comes back to its maker as the maker wrote it, whatever that was", () => {
    const foreign = fc.string({
      unit: fc.constantFrom("_", "-", "0", "1", "a", "A", "f", "z"),
      minLength: 1,
      maxLength: 30,
    });
    const written = foreign.map(tail => `toolu_${tail}`);
    fc.assert(
      fc.property(written, id => id.startsWith("toolu_wg") || toMessagesId(fromMessagesId(id)) === id),
    );
  });

  test("of the same call stays the same through any number of turns", () => {
    fc.assert(
      fc.property(ids, raw => {
        const once = toMessagesId(raw);
        expect(toMessagesId(fromMessagesId(once))).toBe(once);
      }),
    );
  });

  test("that only looks like one of ours is left alone", () => {
    for (const id of ["toolu_wg_4", "toolu_wg_zz", "toolu_wg_41", "toolu_wg_4A", "toolu_wg_ff"])
      expect(fromMessagesId(id)).toBe(id);
  });

  test("of endless length is shortened, and still told apart", () => {
    const long = "x".repeat(5_000);
    expect(toMessagesId(long).length).toBeLessThan(300);
    expect(toMessagesId(`${long}a`)).not.toBe(toMessagesId(`${long}b`));
  });
});

test("[P10] an id of another maker looks like one of the messages dialect, and shows nothing of a chat answer's", () => {
  expect(toMessagesId("call_abc")).toBe("toolu_wgcall__abc");
  expect(toMessagesId("toolu_01AbC")).toBe("toolu_01AbC");
  expect(toMessagesId("functions.Bash:0")).toBe("toolu_wgfunctions_2eBash_3a0");
});

describe("[P9] an id for OpenAI's dialects", () => {
  test("has at most 64 characters, and stays as it is where it has no more", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), raw => {
        const id = toCallId(raw);
        expect(id.length).toBeLessThanOrEqual(64);
        if (raw.length <= 64) expect(id).toBe(raw);
      }),
    );
  });

  test("is never empty, and never the same for two long ones", () => {
    expect(toCallId("")).not.toBe("");
    const long = "x".repeat(100);
    expect(toCallId(`${long}a`)).not.toBe(toCallId(`${long}b`));
    expect(toCallId(`${long}a`)).toBe(toCallId(`${long}a`));
  });
});
