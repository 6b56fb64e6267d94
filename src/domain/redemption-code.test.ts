import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import {
  diagnoseRedemptionCode,
  generateRedemptionCode,
  previewRedemptionCode,
  redemptionCodeHash,
} from "./redemption-code.ts";

const anyCode = fc
  .uint8Array({ minLength: 26, maxLength: 26 })
  .map(bytes => generateRedemptionCode(() => new Uint8Array(bytes)));
const CODE_LENGTH = 43;
/** Where two characters mean the same; everything else is a mistake. */
const meaning = (text: string) =>
  text
    .replace(/[\s_-]/g, "")
    .replace(/[a-z]/g, letter => letter.toUpperCase())
    .replace(/(?<=.{3})[IL]/g, "1")
    .replace(/(?<=.{3})O/g, "0");

function expectMalformed(presented: string, code: string): void {
  const diagnosis = diagnoseRedemptionCode(presented);
  if (diagnosis.kind !== "malformed") throw new Error(`“${presented}” is taken for ${diagnosis.kind}`);
  for (const group of code.slice(4).split("-")) {
    if (diagnosis.problem.includes(group))
      throw new Error(`the problem repeats the code: ${diagnosis.problem}`);
  }
}

/** An edit that means the same is the same code; any other is refused. */
function expectEdit(presented: string, code: string): void {
  if (meaning(presented) === meaning(code)) {
    expect(diagnoseRedemptionCode(presented)).toEqual({ kind: "good", code });
  } else expectMalformed(presented, code);
}

function splice(text: string, edit: { at: number; remove: number; put: string }): string {
  return text.slice(0, edit.at) + edit.put + text.slice(edit.at + edit.remove);
}

describe("a code", () => {
  test("is wgc_ and eight groups of four, without letters that look like others", () => {
    fc.assert(
      fc.property(anyCode, code => {
        expect(code).toMatch(/^wgc_(?:[0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/);
        expect(code).toHaveLength(CODE_LENGTH);
        expect(diagnoseRedemptionCode(code)).toEqual({ kind: "good", code });
      }),
    );
  });

  test("has a checksum that others can make: Bech32m over the prefix wgc", () => {
    // A vector of BIP 350, so that what the codes are compared with is itself known to be right.
    expect(bech32m({ prefix: "a", values: [], symbols: "qpzry9x8gf2tvdw0s3jn54khce6mua7l" })).toBe("lqfn3a");
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 26, maxLength: 26, max: 31 }), bytes => {
        const symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        const code = generateRedemptionCode(() => new Uint8Array(bytes));
        const chance = [...bytes].map(byte => symbols.charAt(byte)).join("");
        const check = bech32m({ prefix: "wgc", values: [...bytes], symbols });
        expect(code.replaceAll("-", "")).toBe(`wgc_${chance}${check}`);
      }),
    );
  });

  test("differs from every other, and takes all of its chance from the bytes", () => {
    const codes = Array.from({ length: 2000 }, () => generateRedemptionCode(randomBytes));
    expect(new Set(codes).size).toBe(codes.length);
    for (let at = 0; at < 26; at++) {
      const bytes = new Uint8Array(26);
      bytes[at] = 31;
      const code = generateRedemptionCode(() => bytes);
      expect(code.slice(4).replaceAll("-", "")[at]).toBe("Z");
    }
    expect(() => generateRedemptionCode(() => new Uint8Array(25))).toThrow(RangeError);
  });

  test("may come in any case, in any grouping, and with the letters that look like digits", () => {
    const separator = fc.constantFrom("", " ", "-", "_", "\t", "\n", " - ", "\u2013", "\u2011", "\u00a0");
    fc.assert(
      fc.property(
        anyCode,
        fc.array(separator, { minLength: 64, maxLength: 64 }),
        fc.boolean(),
        (code, breaks, small) => {
          const typed = [...code.replace(/[-_]/g, "")].map((symbol, at) => {
            const look = at < 3 ? symbol : ({ "0": "O", "1": at % 2 === 0 ? "I" : "l" }[symbol] ?? symbol);
            return (small ? look.toLowerCase() : look) + breaks[at];
          });
          expect(diagnoseRedemptionCode(typed.join(""))).toEqual({ kind: "good", code });
        },
      ),
    );
  });
});

describe("no single edit is taken for a good code", () => {
  test("any one character replaced by any other of ASCII", () => {
    const check = (code: string) => {
      for (let at = 0; at < code.length; at++) {
        for (let put = 0; put < 128; put++) {
          expectEdit(splice(code, { at, remove: 1, put: String.fromCharCode(put) }), code);
        }
      }
    };
    fc.assert(fc.property(anyCode, check), { numRuns: 10 });
  });

  test("any character put in or left out", () => {
    const any = fc.oneof(
      fc.integer({ min: 0, max: 127 }).map(code => String.fromCharCode(code)),
      fc.constantFrom("ſ", "ı", "K", "Ａ", "０", "é", "😀"),
    );
    fc.assert(
      fc.property(anyCode, fc.nat(CODE_LENGTH), any, (code, at, put) => {
        expectEdit(splice(code, { at, remove: 0, put }), code);
        expectEdit(splice(code, { at, remove: 1, put: "" }), code);
        expectEdit(splice(code, { at, remove: 1, put }), code);
      }),
      { numRuns: 3000 },
    );
  });

  test("two characters swapped, wherever they stand", () => {
    fc.assert(
      fc.property(anyCode, fc.nat(CODE_LENGTH - 1), fc.nat(CODE_LENGTH - 1), (code, first, second) => {
        const characters = [...code];
        [characters[first], characters[second]] = [code.charAt(second), code.charAt(first)];
        expectEdit(characters.join(""), code);
      }),
      { numRuns: 3000 },
    );
  });

  test("up to four symbols mistyped at once", () => {
    const symbol = fc.constantFrom(..."0123456789ABCDEFGHJKMNPQRSTVWXYZ");
    const edits = fc.array(fc.tuple(fc.nat(31), symbol), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyCode, edits, (code, changes) => {
        const symbols = [...code.slice(4).replaceAll("-", "")];
        for (const [at, put] of changes) symbols[at] = put;
        expectEdit(`wgc_${symbols.join("")}`, code);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("what is wrong is said", () => {
  const code = generateRedemptionCode(count => new Uint8Array(count).fill(7));
  const cases: readonly (readonly [string, string])[] = [
    [code.slice(4), "its beginning is missing or mistyped"],
    [code.replace("wgc", "wgd"), "its beginning is missing or mistyped"],
    ["hello", "its beginning is missing or mistyped"],
    [code.slice(0, -1), "it has 31 letters and digits after wgc_, and a whole code has 32"],
    [`${code}A`, "it has 33 letters and digits after wgc_"],
    ["wgc_A", "it has 1 letter or digit after wgc_"],
    [splice(code, { at: 6, remove: 1, put: "u" }), "the character at position 7 is wrong: no code has a U"],
    [splice(code, { at: 6, remove: 1, put: "!" }), "the character at position 7 is wrong: after wgc_"],
    [splice(code, { at: 6, remove: 1, put: "8" }), "its checksum does not fit"],
    [previewRedemptionCode(code), "it is a shortened form for display"],
    ["wgk_0123456789", "it is an API key"],
    ["x".repeat(100_000), "and a whole code has 32"],
  ];
  for (const [presented, problem] of cases) {
    test(problem, () => {
      const diagnosis = diagnoseRedemptionCode(presented);
      expect(diagnosis).toMatchObject({ kind: "malformed", problem: expect.stringContaining(problem) });
    });
  }

  test("nothing at all is missing", () => {
    for (const nothing of ["", " ", "\n\t"])
      expect(diagnoseRedemptionCode(nothing)).toEqual({ kind: "missing" });
  });
});

test("the preview shows the first and the last group", () => {
  expect(previewRedemptionCode("wgc_ABCD-0000-0000-0000-0000-0000-0000-WXYZ")).toBe("wgc_ABCD…WXYZ");
});

test("the hash depends on code and pepper, and holds neither", () => {
  const code = generateRedemptionCode(randomBytes);
  const [one, two] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  expect(redemptionCodeHash(one, code)).toMatch(/^[\w-]{43}$/);
  expect(redemptionCodeHash(one, code)).toBe(redemptionCodeHash(one, code));
  expect(redemptionCodeHash(one, code)).not.toBe(redemptionCodeHash(two, code));
});

/** The checksum as BIP 350 writes it down. */
function bech32m(sum: { prefix: string; values: number[]; symbols: string }): string {
  const hrp = [...sum.prefix].map(letter => letter.charCodeAt(0));
  const expanded = [...hrp.map(code => code >> 5), 0, ...hrp.map(code => code & 31)];
  let chk = 1n;
  for (const value of [...expanded, ...sum.values, 0, 0, 0, 0, 0, 0]) {
    const top = chk >> 25n;
    chk = ((chk & 0x1ffffffn) << 5n) ^ BigInt(value);
    if (top & 1n) chk ^= 0x3b6a57b2n;
    if (top & 2n) chk ^= 0x26508e6dn;
    if (top & 4n) chk ^= 0x1ea119fan;
    if (top & 8n) chk ^= 0x3d4233ddn;
    if (top & 16n) chk ^= 0x2a1462b3n;
  }
  chk ^= 0x2bc830a3n;
  return [25n, 20n, 15n, 10n, 5n, 0n].map(shift => sum.symbols.charAt(Number((chk >> shift) & 31n))).join("");
}
