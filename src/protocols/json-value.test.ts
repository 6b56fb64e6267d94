import { describe, expect, test } from "bun:test";
import {
  booleanOrNull,
  isDeep,
  isText,
  jsonText,
  listOf,
  numberOf,
  objectOf,
  parsedObject,
  stringOrNull,
  textOf,
  textOrNull,
} from "./json-value.ts";

const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

describe("what is nested", () => {
  test("is deep beyond a hundred levels, in objects and lists alike", () => {
    expect([nested(100), { a: nested(99) }, "[[[", null, 5].some(value => isDeep(value))).toBe(false);
    expect([nested(101), { a: nested(100) }, [1, { b: nested(99) }]].every(value => isDeep(value))).toBe(
      true,
    );
  });

  test("too deeply is not written, and soon found", () => {
    const startedAtMs = performance.now();
    expect(jsonText(nested(100_000))).toBe("");
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    expect(jsonText({ a: [1] })).toBe('{"a":[1]}');
    expect(jsonText(undefined)).toBe("");
  });
});

test("an object is one, and nothing else is", () => {
  expect(parsedObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of ["", "{", "[]", "null", '"{}"', "5"]) expect(parsedObject(text)).toBeNull();
  for (const value of [undefined, null, [], "a", 5]) expect(objectOf(value)).toEqual({});
});

test("a text or a list is one, and nothing else is", () => {
  expect(["a", "", undefined, 5, {}].map(textOf)).toEqual(["a", "", "", "", ""]);
  expect(["a", "", undefined, 5, {}].map(isText)).toEqual([true, false, false, false, false]);
  expect(["a", "", undefined, 5, {}].map(textOrNull)).toEqual(["a", null, null, null, null]);
  expect(["a", "", undefined, 5, {}].map(stringOrNull)).toEqual(["a", "", null, null, null]);
  expect([[1], "a", undefined, {}].map(listOf)).toEqual([[1], [], [], []]);
});

test("a number or a boolean is one, and nothing else is", () => {
  expect([5, "5", null].map(numberOf)).toEqual([5, 0, 0]);
  expect([true, false, 0, "true", null].map(booleanOrNull)).toEqual([true, false, null, null, null]);
});
