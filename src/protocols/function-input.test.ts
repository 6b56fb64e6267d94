import { expect, test } from "bun:test";
import { functionInput, inputText } from "./function-input.ts";

test("arguments are taken as a text and as an object, and nothing else is any", () => {
  expect(inputText('{"a": 1}')).toBe('{"a": 1}');
  expect(inputText({ a: 1 })).toBe('{"a":1}');
  for (const given of [undefined, null, 5, []]) expect(inputText(given)).toBe("");
});

test("no arguments are an empty object", () => {
  expect(["", " \n", '{"a":1}', "not JSON"].map(functionInput)).toEqual(["{}", "{}", '{"a":1}', "not JSON"]);
});
