import { expect, test } from "bun:test";
import fc from "fast-check";
import { groupHasModel, matchesPattern } from "./group.ts";

test("a name without a star is itself only", () => {
  expect(matchesPattern("gpt-5", "gpt-5")).toBe(true);
  expect(matchesPattern("gpt-5", "gpt-5-mini")).toBe(false);
  expect(matchesPattern("gpt-5", "GPT-5")).toBe(false);
  expect(matchesPattern("gpt.5", "gpt-5")).toBe(false);
  expect(matchesPattern("", "")).toBe(true);
  expect(matchesPattern("", "a")).toBe(false);
});

test("a star stands for any run of characters, also for none", () => {
  expect(matchesPattern("*", "")).toBe(true);
  expect(matchesPattern("*", "anything/at:all")).toBe(true);
  expect(matchesPattern("claude-*", "claude-")).toBe(true);
  expect(matchesPattern("claude-*", "claude")).toBe(false);
  expect(matchesPattern("*-mini", "gpt-5-mini")).toBe(true);
  expect(matchesPattern("*-mini", "gpt-5-mini-2026")).toBe(false);
  expect(matchesPattern("a*b*c", "a-b-b-c")).toBe(true);
  expect(matchesPattern("a*b*c", "a-c")).toBe(false);
});

test("the two ends do not share a character", () => {
  expect(matchesPattern("ab*ba", "aba")).toBe(false);
  expect(matchesPattern("ab*ba", "abba")).toBe(true);
  expect(matchesPattern("a*ab*b", "aab")).toBe(false);
  expect(matchesPattern("a*ab*b", "aabb")).toBe(true);
});

/** The definition, as slow as it is plain. */
function matchesPlainly(pattern: string, name: string): boolean {
  if (pattern === "") return name === "";
  if (pattern.startsWith("*")) {
    return matchesPlainly(pattern.slice(1), name) || (name !== "" && matchesPlainly(pattern, name.slice(1)));
  }
  return pattern[0] === name[0] && matchesPlainly(pattern.slice(1), name.slice(1));
}

test("agrees with the definition", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 7 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 9 });
  fc.assert(
    fc.property(pattern, name, (left, right) => {
      expect(matchesPattern(left, right)).toBe(matchesPlainly(left, right));
    }),
    { numRuns: 3000 },
  );
});

test("many stars do not make it slow", () => {
  expect(matchesPattern(`${"a*".repeat(500)}b`, "a".repeat(5000))).toBe(false);
});

test("a group has what any of its patterns matches, and nothing without patterns", () => {
  expect(groupHasModel({ models: ["gpt-5", "claude-*"] }, "claude-opus")).toBe(true);
  expect(groupHasModel({ models: ["gpt-5", "claude-*"] }, "gemini")).toBe(false);
  expect(groupHasModel({ models: [] }, "gpt-5")).toBe(false);
});
