import { describe, expect, test } from "bun:test";
import { problem } from "../../src/console/contract/form.ts";
import { ApiError, type ErrorCode } from "./api-error.ts";
import { errorText } from "./error-text.ts";
import { isWorthRetrying } from "./query.ts";

const CODES: readonly ErrorCode[] = [...problem.shape.error.shape.code.options, "offline", "lost"];
const of = (code: ErrorCode, more = {}) => new ApiError({ code, message: "The server's sentence.", ...more });

describe("an error", () => {
  test("of every code is a sentence in both languages", () => {
    for (const code of CODES) {
      expect(errorText(of(code), "en")).toMatch(/\w.*\.$/);
      expect(errorText(of(code), "zh")).toMatch(/。$|\.$/);
    }
  });

  test("says the server's own sentence where that says more", () => {
    expect(errorText(of("conflict"), "zh")).toBe("The server's sentence.");
    expect(errorText(of("failed"), "en")).not.toContain("The server's sentence.");
  });

  test("tells how long to wait, and by which id the operator finds it", () => {
    expect(errorText(of("throttled", { retryAfterSeconds: 90 }), "en")).toContain("90 seconds");
    expect(errorText(of("failed", { requestId: "req_9" }), "en")).toContain("req_9");
  });

  test("that is none of ours is told without its text", () => {
    expect(errorText(new TypeError("x is undefined"), "en")).not.toContain("undefined");
  });

  test("is tried again only where it may pass by itself", () => {
    expect(CODES.filter(code => isWorthRetrying(0, of(code)))).toEqual(["unavailable", "lost"]);
    expect(isWorthRetrying(2, of("lost"))).toBe(false);
  });
});
