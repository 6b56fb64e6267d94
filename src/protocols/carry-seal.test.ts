import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Seal } from "../domain/chat.ts";
import { carriedSeal, carrySeal } from "./carry-seal.ts";

const seals: fc.Arbitrary<Seal> = fc.record({
  origin: fc.constantFrom("chat", "responses", "messages"),
  kind: fc.constantFrom("signature", "ciphertext"),
  value: fc.string({ unit: "binary" }),
  id: fc.option(fc.string()),
});

describe("[P22] a carried seal", () => {
  test("comes back as it was", () => {
    fc.assert(fc.property(seals, seal => expect(carriedSeal(carrySeal(seal))).toEqual(seal)));
  });

  test("can be carried inside another", () => {
    const inner = carrySeal({ origin: "chat", kind: "signature", value: "v", id: null });
    const outer: Seal = { origin: "messages", kind: "signature", value: inner, id: null };
    expect(carriedSeal(carrySeal(outer))).toEqual(outer);
  });

  test("has only characters that need no escape anywhere", () => {
    fc.assert(fc.property(seals, seal => expect(carrySeal(seal)).toMatch(/^[A-Za-z0-9._-]+$/)));
  });
});

describe("what is not one of ours", () => {
  const prefix = carrySeal({ origin: "chat", kind: "signature", value: "v", id: null }).slice(0, 5);
  const wrapped = (value: unknown) => prefix + Buffer.from(JSON.stringify(value)).toString("base64url");

  test("is left to its dialect", () => {
    expect(carriedSeal("EqQBCgIYAhIM")).toBeNull();
    expect(carriedSeal("")).toBeNull();
    expect(carriedSeal(prefix)).toBeNull();
    expect(carriedSeal(`${prefix}!!!`)).toBeNull();
    for (const value of [null, 7, "text", {}, [], ["chat"], ["gemini", "signature", "v", null]])
      expect(carriedSeal(wrapped(value))).toBeNull();
    expect(carriedSeal(wrapped(["chat", "password", "v", null]))).toBeNull();
    expect(carriedSeal(wrapped(["chat", "signature", 7, null]))).toBeNull();
  });

  test("never throws", () => {
    fc.assert(fc.property(fc.string(), text => expect(() => carriedSeal(prefix + text)).not.toThrow()));
  });
});
