import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { newRecoveryCodes, readRecoveryCode, recoveryHash } from "./recovery-codes.ts";

test("ten codes are made, each another, easy to read", () => {
  const codes = newRecoveryCodes(randomBytes);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){2}$/);
    expect(readRecoveryCode(code)).toBe(code);
  }
});

test("a code is read in whatever way people write it", () => {
  for (const text of ["4f7k-9m2p-x0qd", "4F7K9M2PX0QD", " 4f7k 9m2p x0qd ", "4f7k–9m2p–xoqd"]) {
    expect(readRecoveryCode(text)).toBe("4f7k-9m2p-x0qd");
  }
  expect(readRecoveryCode("1111-11il-o000")).toBe("1111-1111-0000");
  for (const text of ["", "123456", "4f7k-9m2p-x0q", "4f7k-9m2p-x0qdd", "4f7k-9m2p-x0qu"]) {
    expect(readRecoveryCode(text)).toBe(null);
  }
});

test("its hash is of one account and one pepper", () => {
  const [pepper, other] = [new Uint8Array(32), new Uint8Array(32).fill(1)];
  const hash = recoveryHash("4f7k-9m2p-x0qd", { pepper, accountId: "acc_1" });
  expect(hash).toBe(recoveryHash("4f7k-9m2p-x0qd", { pepper, accountId: "acc_1" }));
  expect(hash).not.toBe(recoveryHash("4f7k-9m2p-x0qd", { pepper, accountId: "acc_2" }));
  expect(hash).not.toBe(recoveryHash("4f7k-9m2p-x0qd", { pepper: other, accountId: "acc_1" }));
});
