import { expect, test } from "bun:test";
import { demoSeal, isDemoSeal } from "./demo-seal.ts";

const seal = demoSeal({ kind: "signature", seed: "a", text: "I think" });

test("a seal holds for its kind and its text", () => {
  expect(isDemoSeal(seal, { kind: "signature", text: "I think" })).toBe(true);
  expect(isDemoSeal(seal, { kind: "signature", text: null })).toBe(true);
  expect(isDemoSeal(seal, { kind: "signature", text: "I thought" })).toBe(false);
  expect(isDemoSeal(seal, { kind: "encrypted", text: null })).toBe(false);
});

test("the same is sealed alike, and another conversation otherwise", () => {
  expect(demoSeal({ kind: "signature", seed: "a", text: "I think" })).toBe(seal);
  expect(demoSeal({ kind: "signature", seed: "b", text: "I think" })).not.toBe(seal);
});

test.each(["", "x", "wgs1.e30", seal.slice(4), `${seal.slice(0, -8)}AAAAAAA=`, `B${seal.slice(1)}`])(
  "%s holds for nothing",
  other => {
    expect(isDemoSeal(other, { kind: "signature", text: null })).toBe(false);
  },
);
