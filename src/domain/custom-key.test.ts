import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { checkCustomKey, strengthBits } from "./custom-key.ts";
import { deriveKeyString, diagnoseKeyString } from "./key-string.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const GENERATED = deriveKeyString(createHash("sha512").update("a key of the tests").digest());

function problemOf(text: string): string {
  const check = checkCustomKey(text);
  return check.ok ? "" : check.problem;
}

/** fast-check favours the edges of what it draws from, so chance is made from a hash of what it draws. */
const randomText = fc
  .tuple(fc.bigInt({ min: 0n, max: 2n ** 64n }), fc.integer({ min: 24, max: 60 }))
  .map(([seed, length]) =>
    [...createHash("sha512").update(`${seed}`).digest().subarray(0, length)]
      .map(byte => BASE62.charAt(byte % 62))
      .join(""),
  );

describe("accepted", () => {
  test("every random text of 24 letters and digits or more", () => {
    fc.assert(
      fc.property(randomText, text => {
        // One in a few hundred random texts of about 53 characters begins too much like one of ours.
        fc.pre(text.length < 50 || text.length > 56);
        expect(checkCustomKey(text)).toEqual({ ok: true });
      }),
      { numRuns: 3000 },
    );
  });

  test("a random part with words around it, a UUID, and the greatest length", () => {
    expect(checkCustomKey("my-custom-key-for-ci-2026-a8F3kq9Z")).toEqual({ ok: true });
    expect(checkCustomKey("550e8400-e29b-41d4-a716-446655440000")).toEqual({ ok: true });
    expect(checkCustomKey(createHash("sha512").update("seed").digest("hex"))).toEqual({ ok: true });
  });
});

describe("refused", () => {
  test("for its length", () => {
    expect(problemOf("a8F3kq9ZpW2xR7tYvB4nM6c")).toBe("it has 23 characters, and a custom key has 24 to 128");
    expect(problemOf("a8F3kq9Z".repeat(17))).toBe("it has 136 characters, and a custom key has 24 to 128");
  });

  test("for a character that does not pass every shell, header and address", () => {
    for (const odd of [" ", "\n", "é", "/", "+", "=", ".", '"', "$", "\u0430"]) {
      expect(problemOf(`a8F3kq9ZpW2xR7tYvB4n${odd}M6cQ1s`)).toContain("only the letters");
    }
    expect(problemOf(" a8F3kq9ZpW2xR7tYvB4nM6cQ1s")).toContain("only the letters");
  });

  test("for beginning like a key of ours or of a provider", () => {
    for (const text of [GENERATED, GENERATED.slice(0, 30), `WGK_${GENERATED.slice(4)}`]) {
      expect(problemOf(text)).toBe("it begins like a Wicketgate key: choose another beginning");
    }
    expect(problemOf(GENERATED.slice(2))).toContain("its beginning is damaged");
    expect(problemOf(`sk-ant-${GENERATED.slice(10)}`)).toBe(
      "it begins like a key of Anthropic: choose another beginning",
    );
    expect(problemOf("your-api-key-a8F3kq9ZpW2xR7tY")).toContain("placeholder");
  });

  test("for being easy to guess", () => {
    const weak = [
      "a".repeat(24),
      "a".repeat(128),
      "ab".repeat(40),
      "123456789012345678901234",
      "987654321098765432109876",
      "password-password-password",
      "abcdefghijklmnopqrstuvwxyz",
      "qwertyuiopasdfghjklzxcvbnm",
      "Admin1234Admin1234Admin1234",
      "correct-horse-battery-staple",
      "company-production-gateway-key-2026",
      "aaa-bbb-ccc-ddd-eee-fff-ggg",
      "my-laptop-my-laptop-my-laptop",
    ];
    for (const text of weak) expect(problemOf(text)).toContain("too easy to guess");
  });
});

test("what is accepted is always diagnosed as a custom key, unchanged", () => {
  const letter = fc.constantFrom(...BASE62, "-", "_");
  const text = fc.oneof(fc.string({ unit: letter, maxLength: 130 }), randomText, fc.string());
  fc.assert(
    fc.property(text, key => {
      if (checkCustomKey(key).ok) expect(diagnoseKeyString(key)).toEqual({ kind: "custom", key });
    }),
    { numRuns: 2000 },
  );
});

test("repeating a text adds little strength", () => {
  fc.assert(
    fc.property(randomText, text => {
      expect(strengthBits(text + text)).toBeLessThan(strengthBits(text) + 30);
    }),
  );
});
