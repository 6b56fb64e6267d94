import { describe, expect, test } from "bun:test";
import { proxyFor } from "./proxy.ts";

const httpsProxy = "http://proxy.test:3128";
const via = (url: string, ...noProxy: string[]) => proxyFor(new URL(url), { httpsProxy, noProxy }) !== null;

describe("the proxy", () => {
  test("is taken for https, with its port and its credential", () => {
    const given = { httpsProxy: "http://me%40home:p%3Aw@[fd00::1]", noProxy: [] };
    expect(proxyFor(new URL("https://api.test/v1"), given)).toEqual({
      host: "fd00::1",
      port: 80,
      authorization: `Basic ${btoa("me@home:p:w")}`,
    });
    expect(proxyFor(new URL("https://api.test/v1"), { httpsProxy, noProxy: [] })).toEqual({
      host: "proxy.test",
      port: 3128,
      authorization: null,
    });
  });

  test("is not taken for http, nor where none is set", () => {
    expect(via("http://api.test/v1")).toBe(false);
    expect(proxyFor(new URL("https://api.test"), { httpsProxy: null, noProxy: [] })).toBe(null);
  });

  test("is not taken for this machine", () => {
    for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "2130706433"]) {
      expect(via(`https://${host}:8443`)).toBe(false);
    }
    expect(via("https://127.example.org")).toBe(true);
  });
});

describe("without the proxy", () => {
  for (const [entry, url] of [
    ["*", "https://api.test"],
    ["api.test", "https://api.test"],
    ["API.test.", "https://api.test"],
    ["api.test", "https://deep.api.test"],
    [".api.test", "https://deep.api.test"],
    [".api.test", "https://api.test"],
    ["*.api.test", "https://deep.api.test"],
    ["api.test:443", "https://api.test"],
    ["api.test:8443", "https://api.test:8443"],
    ["10.1.0.0/16", "https://10.1.2.3"],
    ["10.1.2.3", "https://10.1.2.3"],
    ["10.1.2.3:8443", "https://10.1.2.3:8443"],
    ["fd00::/8", "https://[fd00::7]"],
    ["fd00::7", "https://[fd00::7]"],
    ["[fd00::7]:8443", "https://[fd00::7]:8443"],
  ] as const) {
    test(`${url} is reached where ${entry} is listed`, () =>
      expect(via(url, "other.test", entry)).toBe(false));
  }

  for (const [entry, url] of [
    ["api.test", "https://evil-api.test"],
    ["api.test", "https://api.test.evil"],
    ["api.test:8443", "https://api.test"],
    ["10.1.0.0/16", "https://10.2.0.1"],
    ["10.1.0.0/99", "https://10.1.0.1"],
    ["fd00::/8", "https://api.test"],
    ["[fd00::7]:8443", "https://[fd00::7]"],
    [".", "https://api.test"],
    ["test.", "https://apitest"],
  ] as const) {
    test(`${url} is not reached because ${entry} is listed`, () => expect(via(url, entry)).toBe(true));
  }
});
