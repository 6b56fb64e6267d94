import { expect, test } from "bun:test";
import fc from "fast-check";
import { keyState } from "./api-key.ts";

const NOW = 1_800_000_000_000;
const fresh = { enabled: true, deletedAtMs: null, expiresAtMs: null };

test("a key is active until something ends it", () => {
  expect(keyState(fresh, NOW)).toBe("active");
  expect(keyState({ ...fresh, enabled: false }, NOW)).toBe("disabled");
});

test("an expiry counts from its own millisecond on", () => {
  expect(keyState({ ...fresh, expiresAtMs: NOW + 1 }, NOW)).toBe("active");
  expect(keyState({ ...fresh, expiresAtMs: NOW }, NOW)).toBe("expired");
  expect(keyState({ ...fresh, expiresAtMs: NOW - 1 }, NOW)).toBe("expired");
});

test("an expiry that is moved or cleared gives back the state before", () => {
  for (const enabled of [true, false]) {
    const before = keyState({ ...fresh, enabled }, NOW);
    expect(keyState({ ...fresh, enabled, expiresAtMs: NOW - 1 }, NOW)).toBe("expired");
    expect(keyState({ ...fresh, enabled, expiresAtMs: NOW + 1 }, NOW)).toBe(before);
  }
});

test("deletion is final, whatever else is set", () => {
  const timeMs = fc.option(fc.integer({ min: 0, max: 2 * NOW }));
  fc.assert(
    fc.property(
      fc.boolean(),
      timeMs,
      fc.nat(),
      fc.nat(2 * NOW),
      (enabled, expiresAtMs, deletedAtMs, nowMs) => {
        expect(keyState({ enabled, expiresAtMs, deletedAtMs }, nowMs)).toBe("deleted");
      },
    ),
  );
});

test("only an enabled key before its expiry is active", () => {
  const timeMs = fc.option(fc.integer({ min: 0, max: 100 }));
  fc.assert(
    fc.property(fc.boolean(), timeMs, timeMs, fc.nat(100), (enabled, expiresAtMs, deletedAtMs, nowMs) => {
      const live = enabled && deletedAtMs === null && (expiresAtMs === null || nowMs < expiresAtMs);
      expect(keyState({ enabled, expiresAtMs, deletedAtMs }, nowMs) === "active").toBe(live);
    }),
  );
});
