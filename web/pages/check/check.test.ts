import { describe, expect, test } from "bun:test";
import { baseUrlProblem, rightBaseUrl } from "../../../src/console/api/check-base-url.ts";
import { generateKeyString } from "../../../src/domain/key-string.ts";
import { sayIn } from "../../words/say.ts";
import { baseUrlFault, faultText } from "./base-url.ts";
import { baseUrlWords } from "./base-url-words.ts";
import { keyShape } from "./key-shape.ts";
import { words } from "./words.ts";

const ROOT = "https://gate.example.org";
const PATHS = [
  ...["", "/", "/v1", "/v1/", "/V1", "/v1/v1", "/v1/chat/completions", "/chat/completions", "/v1/messages"],
  ...[
    "/v1/messages/count_tokens",
    "/v1/responses",
    "/v1/embeddings",
    "/v1/models",
    "/api",
    "/v2",
    "/v1?x=1",
    "/v1#a",
  ],
];
const ADDRESSES = [
  ...PATHS.map(path => ROOT + path),
  ...PATHS.map(path => `http://gate.example.org${path}`),
  ...PATHS.map(path => `https://api.openai.com${path}`),
  ...["gate.example.org/v1", `"${ROOT}/v1"`, `${ROOT}/v1 x`, "https://", "ftp://gate.example.org/v1", "x"],
  ...["https://me:pw@gate.example.org/v1", "https://gate.example.org:8443/v1", ` ${ROOT}/v1 `, `${ROOT}./v1`],
];

describe("the base URL, looked at in the browser", () => {
  test.each(ADDRESSES)("is judged as the server judges it: %s", address => {
    for (const style of ["openai", "messages"] as const) {
      const here = baseUrlFault(address, rightBaseUrl(ROOT, style)) === null;
      const there = baseUrlProblem(address, { root: ROOT, style }) === null;
      expect(`${style} ${here}`).toBe(`${style} ${there}`);
    }
  });

  test("is not this machine's other name that is wrong", () => {
    expect(baseUrlFault("http://localhost:8080/v1", "http://127.0.0.1:8080/v1")).toBeNull();
    expect(baseUrlFault("http://localhost:8081/v1", "http://127.0.0.1:8080/v1")).toEqual({
      kind: "otherPort",
    });
  });

  test("says what was found, in both languages", () => {
    const fault = baseUrlFault(`${ROOT}/v1/chat/completions`, `${ROOT}/v1`);
    if (fault === null) throw new Error("expected a fault");
    expect(faultText(fault, sayIn(baseUrlWords, "en"))).toContain("/v1/chat/completions");
    expect(faultText(fault, sayIn(baseUrlWords, "zh"))).toMatch(/\p{Script=Han}/u);
  });
});

describe("a key, while it is typed", () => {
  const say = sayIn(words, "en");
  const whole = generateKeyString(count => crypto.getRandomValues(new Uint8Array(count)));
  const shape = (typed: string, isDone = false) => keyShape(typed, { say, isDone });

  test("is only counted as long as it may still become one", () => {
    expect(shape("")).toEqual({ tone: "none", text: "0 of 53 characters" });
    expect(shape("wg").tone).toBe("growing");
    expect(shape(whole.slice(0, 30))).toEqual({ tone: "growing", text: "30 of 53 characters" });
    expect(shape(whole.slice(0, 30), true).tone).toBe("bad");
  });

  test("is right when it is whole, and never before", () => {
    expect(shape(whole)).toEqual({ tone: "ok", text: "53 of 53 characters, the checksum is right" });
    for (let length = 1; length < whole.length; length++)
      expect(shape(whole.slice(0, length)).tone).not.toBe("ok");
  });

  test.each([
    `"${whole}"`,
    `${whole}\n`,
    `Bearer ${whole}`,
    `${whole}x`,
    `${whole.slice(0, 20)} ${whole.slice(20)}`,
  ])("is wrong at once with something around or in it: %#", typed => {
    expect(shape(typed).tone).toBe("bad");
    expect(shape(typed).text).not.toContain(whole.slice(4, 20));
  });

  test("of a provider is told by its name", () => {
    expect(shape("sk-ant-api03-abcdefghijklmnopqrstuvwxyz").text).toContain("Anthropic");
    const zh = keyShape("AIzaSyA-1234567890abcdefghijklmnopqrstu", { say: sayIn(words, "zh"), isDone: true });
    expect(zh.text).toMatch(/Google/);
  });
});
