import { describe, expect, test } from "bun:test";
import { pickLanguage } from "./language.ts";

describe("the language", () => {
  const browser = ["de-DE", "zh-TW", "en"];

  test("is the account's before anything else", () => {
    expect(pickLanguage({ account: "en", kept: "zh", browser })).toBe("en");
  });

  test("is the one chosen in this browser where the account has none", () => {
    expect(pickLanguage({ account: null, kept: "zh", browser: ["en"] })).toBe("zh");
  });

  test("is the house's where nobody has chosen one", () => {
    expect(pickLanguage({ account: null, kept: null, house: "zh", browser: ["en"] })).toBe("zh");
    expect(pickLanguage({ account: null, kept: "en", house: "zh", browser: ["zh"] })).toBe("en");
    expect(pickLanguage({ account: null, kept: null, house: "auto", browser: ["zh"] })).toBe("zh");
  });

  test("is the first of the browser's that there is, else English", () => {
    expect(pickLanguage({ account: null, kept: null, browser })).toBe("zh");
    expect(pickLanguage({ account: null, kept: "klingon", browser: ["fr"] })).toBe("en");
    expect(pickLanguage({ account: null, kept: null, browser: [] })).toBe("en");
  });
});
