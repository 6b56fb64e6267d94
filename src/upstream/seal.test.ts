import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { seal, unseal } from "./seal.ts";

const key = new Uint8Array(32).fill(7);
const boundTo = "https://api.example.org";
const PLAIN = "sk-a-credential-of-somebody";

describe("what is sealed", () => {
  test("opens with the same key and binding", () => {
    const keys = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const texts = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(texts, keys, texts, (plain, drawn, binding) => {
        const sealing = { key: drawn, boundTo: binding };
        expect(unseal(seal(plain, sealing), sealing)).toBe(plain);
      }),
    );
  });

  test("shows nothing of itself, and is never the same twice", () => {
    const [first, second] = [seal(PLAIN, { key, boundTo }), seal(PLAIN, { key, boundTo })];
    expect(Buffer.from(first).toString("latin1")).not.toContain("credential");
    expect(Buffer.from(first).equals(second)).toBe(false);
    expect(first.length).toBe(1 + 12 + 16 + PLAIN.length);
  });
});

describe("it does not open", () => {
  const sealed = seal(PLAIN, { key, boundTo });

  test("with another key, or with none", () => {
    const other = key.slice();
    other[31] = 8;
    for (const wrong of [other, new Uint8Array(0), new Uint8Array(16), new Uint8Array(33)]) {
      expect(unseal(sealed, { key: wrong, boundTo })).toBeNull();
    }
  });

  test("for another origin", () => {
    for (const wrong of ["", "http://api.example.org", `${boundTo}:444`, `${boundTo}.evil.example`]) {
      expect(unseal(sealed, { key, boundTo: wrong })).toBeNull();
    }
  });

  test("with any one bit changed", () => {
    for (let at = 0; at < sealed.length * 8; at++) {
      const altered = sealed.slice();
      altered[at >> 3] = (altered[at >> 3] ?? 0) ^ (1 << (at & 7));
      expect(unseal(altered, { key, boundTo })).toBeNull();
    }
  });

  test("cut at any place, or with more behind it", () => {
    for (let end = 0; end < sealed.length; end++) {
      expect(unseal(sealed.subarray(0, end), { key, boundTo })).toBeNull();
    }
    expect(unseal(new Uint8Array([...sealed, 0]), { key, boundTo })).toBeNull();
  });

  test("where it was never sealed, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (bytes, versioned) => {
        const any = versioned ? new Uint8Array([1, ...bytes]) : bytes;
        expect(unseal(any, { key, boundTo })).toBeNull();
      }),
    );
  });
});

test("an empty text can be sealed", () => {
  expect(unseal(seal("", { key, boundTo }), { key, boundTo })).toBe("");
});
