import { describe, expect, test } from "bun:test";
import { isOwnPath, keysSearch, signInSearch, usageSearch } from "./search.ts";

describe("an address", () => {
  test("after signing in leads to a page of the console and nowhere else", () => {
    expect(isOwnPath("/usage?model=x")).toBe(true);
    for (const path of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "javascript:alert(1)",
      "",
      7,
      null,
    ]) {
      expect(isOwnPath(path)).toBe(false);
    }
    expect(isOwnPath("/sign-in?to=/sign-in")).toBe(false);
    expect(signInSearch({ to: "//evil.example", ended: "yes", more: 1 })).toEqual({});
    // Named all the same: the router keeps what the address has of fields that are not.
    expect(Object.keys(signInSearch({ to: "//evil.example" }))).toEqual(["to", "ended", "forgot"]);
    expect(signInSearch({ to: "/keys", ended: true })).toEqual({ to: "/keys", ended: true });
    expect(signInSearch({ forgot: true })).toEqual({ forgot: true });
  });

  test("keeps the filters that have their form and drops the rest", () => {
    expect(
      usageSearch({
        range: "7d",
        outcome: "refused",
        model: 4,
        from: "2026-13-40",
        to: "2026-11-03",
        junk: "<b>",
      }),
    ).toEqual({ range: "7d", outcome: "refused", model: "4", to: "2026-11-03" });
    expect(usageSearch({ range: "8d", key: "k".repeat(65), receipt: "" })).toEqual({});
    expect(keysSearch({ show: "create", state: "gone" })).toEqual({ show: "create" });
  });
});
