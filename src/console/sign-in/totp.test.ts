import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { newTotpSecret, openTotp, readTotpCode, sealTotp, totpStep, totpUri } from "./totp.ts";

/** The secret of RFC 6238, appendix B, in base 32, and codes of it cut to six digits. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const RFC_CODES: readonly (readonly [seconds: number, code: string])[] = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
];

const stepOf = (code: string, seconds: number, lastStep: number | null = null) =>
  totpStep(code, { secret: SECRET, nowMs: seconds * 1000, lastStep });

describe("a code", () => {
  test("is that of RFC 6238", async () => {
    for (const [seconds, code] of RFC_CODES) {
      expect(await stepOf(code, seconds)).toBe(Math.floor(seconds / 30));
    }
  });

  test("is taken one step early or late, and no further", async () => {
    const [seconds, code] = [1_234_567_890, "005924"];
    const step = Math.floor(seconds / 30);
    const begin = step * 30;
    for (const at of [begin - 30, begin - 1, begin, begin + 29, begin + 59]) {
      expect([at - begin, await stepOf(code, at)]).toEqual([at - begin, step]);
    }
    for (const at of [begin - 31, begin + 60, begin + 3600]) {
      expect([at - begin, await stepOf(code, at)]).toEqual([at - begin, null]);
    }
  });

  test("of a step that was used, or of one before it, is not taken", async () => {
    const [seconds, code] = [1_234_567_890, "005924"];
    const step = Math.floor(seconds / 30);
    expect(await stepOf(code, seconds, step - 1)).toBe(step);
    expect(await stepOf(code, seconds, step)).toBe(null);
    expect(await stepOf(code, seconds, step + 1)).toBe(null);
  });

  test("that is wrong is none", async () => {
    expect(await stepOf("005925", 1_234_567_890)).toBe(null);
  });

  test("is read however it is grouped, and nothing else is", () => {
    for (const text of ["123456", "123 456", " 123-456\n"]) expect(readTotpCode(text)).toBe("123456");
    for (const text of ["12345", "1234567", "12345a", "１２３４５６", ""])
      expect(readTotpCode(text)).toBe(null);
  });
});

describe("a secret", () => {
  test("is 160 bits of chance in base 32", () => {
    expect(newTotpSecret(count => new Uint8Array(count))).toBe("A".repeat(32));
    expect(newTotpSecret(count => new Uint8Array(count).fill(255))).toBe("7".repeat(32));
    expect(newTotpSecret(() => new Uint8Array(Buffer.from("12345678901234567890")))).toBe(SECRET);
  });

  test("is in the address that an app reads", async () => {
    const told = { house: "Wicketgate (a.test:80)", email: "ann@example.org" };
    const uri = new URL(await totpUri(SECRET, told));
    expect(uri.protocol).toBe("otpauth:");
    expect(uri.host).toBe("totp");
    expect(decodeURIComponent(uri.pathname)).toBe("/Wicketgate (a.test:80):ann@example.org");
    expect(uri.searchParams.get("secret")).toBe(SECRET);
    expect(uri.searchParams.get("issuer")).toBe("Wicketgate (a.test:80)");
  });

  test("opens for its own account and under its own secret alone", () => {
    const key = new Uint8Array(randomBytes(32));
    const sealed = sealTotp(SECRET, { key, accountId: "acc_1" });
    expect(Buffer.from(sealed).includes(SECRET)).toBe(false);
    expect(openTotp(sealed, { key, accountId: "acc_1" })).toBe(SECRET);
    expect(openTotp(sealed, { key, accountId: "acc_2" })).toBe(null);
    expect(openTotp(sealed, { key: new Uint8Array(32), accountId: "acc_1" })).toBe(null);
  });
});
