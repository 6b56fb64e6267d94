import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { deriveKeyString, diagnoseKeyString, generateKeyString, previewKeyString } from "./key-string.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const GOOD = deriveKeyString(createHash("sha512").update("a key of the tests").digest());

/** Bytes below 62 stand for one digit each, so every key can be reached and shrinks well. */
const anyKey = fc
  .uint8Array({ minLength: 64, maxLength: 64, max: 61 })
  .map(bytes => deriveKeyString(new Uint8Array(bytes)));
const anyAscii = fc.integer({ min: 0, max: 127 }).map(code => String.fromCharCode(code));

function problemOf(presented: string): string {
  const diagnosis = diagnoseKeyString(presented);
  if (diagnosis.kind !== "malformed") throw new Error(`diagnosed as ${diagnosis.kind}`);
  return diagnosis.problem;
}

function expectMalformed(presented: string, key: string): void {
  const problem = problemOf(presented);
  for (let i = 0; i + 6 <= key.length; i++) {
    if (problem.includes(key.slice(i, i + 6))) throw new Error(`the problem repeats the key: ${problem}`);
  }
}

function splice(text: string, edit: { at: number; remove: number; put: string }): string {
  return text.slice(0, edit.at) + edit.put + text.slice(edit.at + edit.remove);
}

function swap(text: string, first: number, second: number): string {
  const characters = [...text];
  [characters[first], characters[second]] = [text.charAt(second), text.charAt(first)];
  return characters.join("");
}

describe("a generated key", () => {
  test("has the prefix, 43 characters of chance and the CRC-32 in six digits, high digit first", () => {
    fc.assert(
      fc.property(anyKey, key => {
        expect(key).toMatch(/^wgk_[A-Za-z0-9]{49}$/);
        const check = [...key.slice(47)].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0);
        expect(check).toBe(crc32(key.slice(0, 47)));
      }),
    );
  });

  test("is diagnosed as generated, with plain spaces around it too", () => {
    fc.assert(
      fc.property(anyKey, fc.nat(3), fc.nat(3), (key, before, after) => {
        const presented = " ".repeat(before) + key + " ".repeat(after);
        expect(diagnoseKeyString(presented)).toEqual({ kind: "generated", key });
      }),
    );
    for (let i = 0; i < 1000; i++) {
      const key = generateKeyString(randomBytes);
      expect(diagnoseKeyString(key)).toEqual({ kind: "generated", key });
    }
  });

  test("uses every digit equally often", () => {
    const digits = Array.from({ length: 3000 }, () => generateKeyString(randomBytes).slice(4, 47)).join("");
    const expected = digits.length / 62;
    let chiSquare = 0;
    for (const digit of BASE62) chiSquare += (digits.split(digit).length - 1 - expected) ** 2 / expected;
    // 61 degrees of freedom: fewer than one run in ten million lies beyond 140; bytes modulo 62 give about 900.
    expect(chiSquare).toBeLessThan(140);
  });

  test("skips the bytes that would favour a digit, and asks for more", () => {
    let draws = 0;
    const key = generateKeyString(count => new Uint8Array(count).fill(draws++ === 0 ? 248 : 61));
    expect(key.slice(4, 47)).toBe("z".repeat(43));
    expect(() => generateKeyString(count => new Uint8Array(count).fill(255))).toThrow();
  });

  test("derived from bytes is the same each time, and not from too few or from constant ones", () => {
    const bytes = createHash("sha512").update("seed").digest();
    expect(deriveKeyString(bytes)).toBe(deriveKeyString(bytes));
    expect(() => deriveKeyString(bytes.subarray(0, 63))).toThrow(RangeError);
    expect(() => deriveKeyString(new Uint8Array(64).fill(255))).toThrow(RangeError);
  });
});

describe("a damaged key is malformed, and the problem does not repeat it", () => {
  test("any one character replaced by any other of ASCII", () => {
    const check = (key: string) => {
      for (let at = 0; at < key.length; at++) {
        for (let code = 0; code < 128; code++) {
          const put = String.fromCharCode(code);
          if (put !== key[at]) expectMalformed(splice(key, { at, remove: 1, put }), key);
        }
      }
    };
    fc.assert(fc.property(anyKey, check), { numRuns: 10 });
  });

  test("one character put in", () => {
    fc.assert(
      fc.property(anyKey, fc.nat(53), anyAscii, (key, at, put) => {
        fc.pre(put !== " " || (at > 0 && at < 53));
        expectMalformed(splice(key, { at, remove: 0, put }), key);
      }),
      { numRuns: 2000 },
    );
  });

  test("one character left out, or one to three at either end", () => {
    fc.assert(
      fc.property(anyKey, fc.nat(52), fc.integer({ min: 1, max: 3 }), (key, at, cut) => {
        expectMalformed(splice(key, { at, remove: 1, put: "" }), key);
        expectMalformed(key.slice(cut), key);
        expectMalformed(key.slice(0, -cut), key);
      }),
      { numRuns: 1000 },
    );
  });

  test("cut at either end at any length: never generated, and at the end always malformed", () => {
    fc.assert(
      fc.property(anyKey, fc.integer({ min: 4, max: 52 }), (key, cut) => {
        expect(diagnoseKeyString(key.slice(cut)).kind).not.toBe("generated");
        expectMalformed(key.slice(0, 53 - cut), key);
      }),
      { numRuns: 500 },
    );
    expect(diagnoseKeyString("")).toEqual({ kind: "missing" });
    expect(diagnoseKeyString("   ")).toEqual({ kind: "missing" });
  });

  test("any two differing characters swapped", () => {
    const check = (key: string) => {
      for (let first = 0; first < key.length; first++) {
        for (let second = first + 1; second < key.length; second++) {
          if (key[first] !== key[second]) expectMalformed(swap(key, first, second), key);
        }
      }
    };
    fc.assert(fc.property(anyKey, check), { numRuns: 20 });
  });

  test("letters, digits, quotes or spaced words before or after it", () => {
    const padding = fc.oneof(
      fc.string({ unit: fc.constantFrom(...BASE62), maxLength: 3 }),
      fc.constantFrom('"', "'", "`", "“", "\n", "\r\n", "\t", "x ", "a b"),
    );
    fc.assert(
      fc.property(anyKey, padding, padding, (key, before, after) => {
        fc.pre(before !== "" || after !== "");
        expectMalformed(before + key + (after === "x " ? " x" : after), key);
      }),
      { numRuns: 2000 },
    );
  });

  test("in another case, displaced, or with a fitting checksum that we would not have written", () => {
    const digits = (sum: number) =>
      [5, 4, 3, 2, 1, 0].map(i => BASE62[Math.floor(sum / 62 ** i) % 62]).join("");
    const [text, hyphened] = [GOOD.slice(0, 47), `${GOOD.slice(0, 46)}-`];
    expect(text + digits(crc32(text))).toBe(GOOD);
    const forged = [text + digits(crc32(text) + 2 ** 32), hyphened + digits(crc32(hyphened))];
    const others = [GOOD.toLowerCase(), GOOD.toUpperCase(), `ab${GOOD.slice(0, 50)}`, ...forged];
    for (const other of others) expectMalformed(other, GOOD);
  });
});

describe("the problem says what to do about", () => {
  const edited = (at: number, put: string) => splice(GOOD, { at, remove: 1, put });
  const damages: readonly (readonly [string, string])[] = [
    [GOOD.slice(0, 51), "it has 51 characters, and a whole key has 53: the end is cut off"],
    [GOOD.slice(0, 52), "it has 52 characters, and a whole key has 53: one is missing, most likely the last"],
    [`${GOOD}ab`, "and a whole key has 53: it has 2 characters too many at the end"],
    [`x${GOOD}`, "and a whole key has 53: it has 1 character too many at the beginning"],
    [GOOD.slice(1), "it has 52 characters, and a whole key has 53: its beginning is damaged"],
    [`WGK_${GOOD.slice(4)}`, "its beginning is damaged, a key begins with wgk_ in small letters"],
    [swap(GOOD, 20, 21), "its checksum does not fit: a character is mistyped or was swapped"],
    [edited(9, " "), "it has white space inside, at position 10"],
    [edited(9, "\n"), "it has a line break inside"],
    [edited(9, "\u0430"), "it has an invisible or look-alike character, not plain ASCII, at position 10"],
    [edited(9, "-"), "the character at position 10 is wrong"],
    [`${GOOD}\n`, "it ends with a line break"],
    [`${GOOD}\\n`, "it ends with a line break"],
    [`"${GOOD}"`, "it has quotation marks around it"],
    [`Bearer ${GOOD}`, "it has the word Bearer in it once too often"],
    ["Bearer", "it holds no key at all"],
    [`Authorization: Bearer ${GOOD}`, "it has a header's name in it"],
    [`OPENAI_API_KEY=${GOOD}`, "it has a variable's name before it"],
    [`${GOOD}, ${GOOD}`, "it has a comma inside: two keys were joined, or the header is sent twice"],
    [previewKeyString(GOOD), "it is a shortened form for display"],
    ["sesame", "it has 6 characters, and a whole key has 53"],
    ["a".repeat(100_000), "it has 100000 characters, and a whole key has 53"],
    ["my/own/key/with/slashes/in/it", "the character at position 3 is wrong"],
  ];
  test.each(damages)("%p", (presented, problem) => expect(problemOf(presented)).toContain(problem));

  const variables = [
    "$KEY",
    "$".concat("{KEY}"),
    '"$KEY"',
    "{env:NAME}",
    "{{ key }}",
    "%KEY%",
    "OPENAI_API_KEY",
  ];
  const standIns: readonly (readonly [string, readonly string[]])[] = [
    ["placeholder", ["YOUR_API_KEY", "your-api-key-here", "sk-xxxx", "<key>", `wgk_${"x".repeat(49)}`]],
    ["name of a variable", variables],
    ["never set", ["undefined", "null", "None", "[object Object]"]],
    ["signed-in account", [`eyJ${"a".repeat(30)}.${"b".repeat(30)}.${"c".repeat(30)}`]],
  ];
  test.each(standIns)("what is the %s", (clause, presented) => {
    for (const text of presented) expect(problemOf(text)).toContain(clause);
  });
});

test("a provider's key is told as one, in quotes and after Bearer too", () => {
  for (const text of [
    `sk-ant-api03-${"aB3".repeat(30)}`,
    `"gsk_${"aB3d".repeat(13)}"`,
    `Bearer hf_${"a1".repeat(17)}`,
  ]) {
    expect(diagnoseKeyString(text).kind).toBe("provider");
  }
});

test("a string of 24 to 128 permitted characters that is not like ours is a custom key", () => {
  for (const key of ["my-own-key_for-CI-a8F3kq9Z", "a1".repeat(12), "a1".repeat(64), GOOD.slice(10)]) {
    expect(diagnoseKeyString(` ${key} `)).toEqual({ kind: "custom", key });
  }
  expect(diagnoseKeyString("a1".repeat(12).slice(1)).kind).toBe("malformed");
  expect(diagnoseKeyString(`${"a1".repeat(64)}b`).kind).toBe("malformed");
});

test("a preview shows the ends only", () => {
  expect(previewKeyString(GOOD)).toBe(`${GOOD.slice(0, 6)}…${GOOD.slice(-4)}`);
  expect(previewKeyString("my-own-key_for-CI-a8F3kq9Z")).toBe("my-…kq9Z");
});

test("no text makes it throw or take long", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), text => void diagnoseKeyString(text)));
  for (const piece of ["your_", "\n", "{", "x-", "A_", "bearer ", "sk-", "wgk_", "eyJ."]) {
    const started = performance.now();
    diagnoseKeyString(piece.repeat(4096 / piece.length));
    expect(performance.now() - started).toBeLessThan(50);
  }
});
