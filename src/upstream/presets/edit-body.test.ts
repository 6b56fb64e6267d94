import { describe, expect, test } from "bun:test";
import { editBody } from "./edit-body.ts";

const edited = (text: string, edits: readonly (readonly [string, string | null])[]) =>
  Buffer.from(editBody(Buffer.from(text), new Map(edits))).toString();

describe("an edited body", () => {
  const TEXT = ' { "a": 1.0 , "b":{"a":[2,"}"]},"c" : "x\\u0041" } ';

  test("is as it was where nothing is to be changed", () => {
    expect(edited(TEXT, [])).toBe(TEXT);
    expect(edited(TEXT, [["z", null]])).toBe(TEXT);
  });

  test("has values set in place, and new ones in front", () => {
    expect(edited('{"a":1,"b":2}', [["a", "9"]])).toBe('{"a":9,"b":2}');
    expect(edited('{"b":2}', [["a", "9"]])).toBe('{"a":9,"b":2}');
    expect(edited("{}", [["a", "9"]])).toBe('{"a":9}');
  });

  test("loses what is taken out wherever it stands, and nothing inside another", () => {
    for (const name of ["a", "b", "c"]) {
      const { [name]: _, ...rest } = JSON.parse(TEXT);
      expect(JSON.parse(edited(TEXT, [[name, null]]))).toEqual(rest);
    }
    expect(edited(TEXT, [["b", null]])).toBe('{"a": 1.0,"c" : "x\\u0041"}');
    expect(edited('{"a":1}', [["a", null]])).toBe("{}");
  });

  test("can have both at once", () => {
    const edits = [
      ["a", null],
      ["b", "7"],
      ["d", "8"],
    ] as const;
    expect(edited('{"a":1,"b":2,"c":3}', edits)).toBe('{"d":8,"b":7,"c":3}');
  });
});
