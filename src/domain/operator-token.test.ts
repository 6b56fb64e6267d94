import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { checkCustomKey } from "./custom-key.ts";
import { diagnoseKeyString, generateKeyString } from "./key-string.ts";
import { generateOperatorToken, operatorTokenProblem, previewOperatorToken } from "./operator-token.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("an operator token", () => {
  test("has the form of a key with a beginning of its own, and its checksum covers that beginning", () => {
    for (let i = 0; i < 200; i++) {
      const token = generateOperatorToken(randomBytes);
      expect(token).toMatch(/^wgo_[A-Za-z0-9]{49}$/);
      const check = [...token.slice(47)].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0);
      expect(check).toBe(crc32(token.slice(0, 47)));
      expect(operatorTokenProblem(token)).toBeNull();
    }
  });

  test("that is mistyped, cut off or not one at all is told so, and none of it repeated", () => {
    const token = generateOperatorToken(randomBytes);
    const other = token.charAt(20) === "a" ? "b" : "a";
    const damaged: [string, RegExp][] = [
      [token.slice(0, 20) + other + token.slice(21), /checksum/],
      [token.slice(0, -1), /52 characters/],
      [`${token.slice(0, 30)}-${token.slice(31)}`, /only letters and digits/],
      [generateKeyString(randomBytes), /API key/],
      ["sk-something", /begins otherwise/],
    ];
    for (const [presented, problem] of damaged) {
      const told = operatorTokenProblem(presented) ?? "";
      expect(told).toMatch(problem);
      expect(told).not.toContain(presented.slice(4, 12));
    }
  });

  test("at the gateway is told for what it is, and can be no custom key", () => {
    const token = generateOperatorToken(randomBytes);
    for (const presented of [token, `"${token}"`, token.slice(0, 40)]) {
      const told = diagnoseKeyString(presented);
      expect(told).toMatchObject({ kind: "malformed", problem: expect.stringContaining("operator token") });
    }
    expect(checkCustomKey(token)).toMatchObject({ ok: false });
  });

  test("shows its beginning and its last four characters", () => {
    const token = generateOperatorToken(randomBytes);
    expect(previewOperatorToken(token)).toBe(`wgo_${token.slice(4, 6)}…${token.slice(-4)}`);
  });
});
