import { describe, expect, test } from "bun:test";
import { readCode } from "../../../src/console/redeem.ts";
import { partyOf } from "../../../src/console/sign-in/passkey.ts";
import { passwordProblem } from "../../../src/console/sign-in/password-rules.ts";
import { shownName } from "../../../src/console/sign-in/shown-name.ts";
import { generateRedemptionCode } from "../../../src/domain/redemption-code.ts";
import { ApiError } from "../../api/api-error.ts";
import { sentenceOf, sentenceZh } from "./server-sentences.ts";

const CODE = generateRedemptionCode(count => new Uint8Array(count).fill(7));
const problemOf = (presented: string) => {
  const read = readCode(presented);
  return "problem" in read ? read.problem : null;
};
const thrown = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "";
};

describe("what the server says of an account is said in Chinese, too", () => {
  test.each([
    ["no code", ""],
    ["an API key", "wgk_7Qm2vT0cX9hJ4LrB8sWnE1yKpD6fGaZuMiQoR3tNb5V8Lx41K"],
    ["a shortened code", "wgc_N498…3GEB"],
    ["another beginning", CODE.replace("wgc_", "wgx_")],
    ["a U", `${CODE.slice(0, 8)}U${CODE.slice(9)}`],
    ["a sign", `${CODE.slice(0, 8)}!${CODE.slice(9)}`],
    ["too short", CODE.slice(0, -3)],
    ["one character", "wgc_7"],
    ["mistyped", `${CODE.slice(0, -1)}${CODE.endsWith("7") ? "8" : "7"}`],
  ])("a code: %s", (_, presented) => {
    const english = problemOf(presented);
    expect(english).not.toBeNull();
    expect(sentenceZh(english ?? "")).toMatch(/^[^a-zA-Z]*.*[\u4e00-\u9fff].*。$/);
  });

  test.each(["short", "x".repeat(1100), "ann@example.org", "password123456"])(
    "a password: %.20s",
    password => {
      const english = passwordProblem(password, { email: "ann@example.org" });
      expect(english).not.toBeNull();
      expect(sentenceZh(english ?? "")).toMatch(/密码.*。$/);
    },
  );

  test("a name", () => {
    const english = thrown(() => shownName("\u202Eevil", { what: "The name", path: "name" }));
    expect(sentenceZh(english)).toContain("1 到 100 个字符");
  });

  test("a passkey at an address without a name", () => {
    const here = thrown(() => partyOf("http://127.0.0.1:4000", "house"));
    expect(sentenceZh(here)).toContain("http://localhost:4000/console/");
    expect(sentenceZh(thrown(() => partyOf("https://192.0.2.7", "house")))).toContain(
      "WICKETGATE_PUBLIC_URL",
    );
  });

  test("particulars are kept", () => {
    expect(sentenceZh("This code expired at 2026-01-02T03:04:05.000Z.")).toContain("2026年1月2日");
    expect(sentenceZh(problemOf(CODE.slice(0, -3)) ?? "")).toContain("29");
  });
});

describe("a sentence", () => {
  const conflict = new ApiError({
    code: "conflict",
    message: "This code has been redeemed already: each credits once.",
  });

  test("is the server's own in English", () => {
    expect(sentenceOf(conflict, "en")).toBe(conflict.message);
  });

  test("is translated in Chinese, and never left out where it is not known", () => {
    expect(sentenceOf(conflict, "zh")).toContain("已被使用");
    expect(sentenceOf(new ApiError({ code: "conflict", message: "Something new." }), "zh")).toBe(
      "Something new.",
    );
  });
});
