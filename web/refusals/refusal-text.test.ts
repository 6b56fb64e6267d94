import { describe, expect, test } from "bun:test";
import { checkCustomKey } from "../../src/domain/custom-key.ts";
import { catalogue, fill, reasons } from "../../src/domain/errors.ts";
import { diagnoseKeyString, generateKeyString } from "../../src/domain/key-string.ts";
import { keyProblemZh } from "./key-problem-words.ts";
import { readParams } from "./read-params.ts";
import { reasonTitle } from "./reason-title.ts";
import { refusalText } from "./refusal-text.ts";
import { refusalsZh } from "./refusals-zh.ts";

const slots = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? "");
const everyParam = (text: string) => Object.fromEntries(slots(text).map(name => [name, `«${name}»`]));

describe("a refusal in Chinese", () => {
  test.each(reasons)("%s says everything that the English says the place of, and no more", reason => {
    const { message, remedy } = catalogue[reason];
    const known = new Set([...slots(message), ...slots(remedy)]);
    const told = refusalsZh[reason];
    for (const slot of [...slots(told.message), ...slots(told.remedy)]) expect(known).toContain(slot);
    if (slots(told.message).length > 0) expect(told.bare).toBeString();
    expect(slots(told.bare ?? "")).toEqual([]);
    const given = {
      reason,
      message: fill(message, everyParam(message)),
      remedy: fill(remedy, everyParam(remedy)),
    };
    const zh = refusalText(given, "zh");
    for (const slot of slots(told.message)) expect(zh.message).toContain(`«${slot}»`);
    expect(zh.message + zh.remedy + zh.title).not.toMatch(/[{}]/);
    expect(zh.title).toMatch(/\p{Script=Han}/u);
  });

  test("keeps its sense where the particulars were not stored", () => {
    const { message, remedy } = catalogue.key_quota_exhausted;
    const zh = refusalText({ reason: "key_quota_exhausted", message, remedy }, "zh");
    expect(zh.message).toBe("密钥的额度不足以支付此请求。");
    expect(refusalText({ reason: "draining", message: "x", remedy: "y" }, "zh").remedy).not.toMatch(/[{}]/);
  });

  test("writes times, owners and units the Chinese way", () => {
    const rate = { whose: "The key “笔记本”", limit: "60", what: "requests", seconds: "3" };
    const { message, remedy } = catalogue.rate_limited;
    const zh = refusalText(
      { reason: "rate_limited", message: fill(message, rate), remedy: fill(remedy, rate) },
      "zh",
    );
    expect(zh.message).toBe("密钥“笔记本”每分钟 60 个请求的上限已用完。");
    expect(zh.remedy).toBe("请等待 3 秒，或在控制台提高上限。");
    const expired = fill(catalogue.key_expired.message, { key: "a", expired: "2026-11-03T10:00:00.000Z" });
    const told = refusalText({ reason: "key_expired", message: expired, remedy: "" }, "zh").message;
    expect(told).toContain("2026年11月3日");
    expect(told).not.toContain("T10:00");
  });

  test("leaves a name as it is, whatever stands in it", () => {
    const key = "<b>“x”</b> {key} $& 🔑";
    const message = fill(catalogue.key_disabled.message, { key: "<b>“x”</b> $& 🔑" });
    expect(refusalText({ reason: "key_disabled", message, remedy: "" }, "zh").message).toBe(
      "密钥“<b>“x”</b> $& 🔑”已停用。",
    );
    const odd = fill(catalogue.key_disabled.message, { key });
    expect(refusalText({ reason: "key_disabled", message: odd, remedy: "" }, "zh").message).toBe(
      "密钥已停用。",
    );
  });

  test("of a newer server is told as the server says it", () => {
    const refused = { reason: "moon_full", message: "The moon is full.", remedy: "Wait." };
    expect(refusalText(refused, "zh")).toEqual({
      title: "moon full",
      message: "The moon is full.",
      remedy: "Wait.",
    });
    expect(reasonTitle("constructor", "en")).toBe("constructor");
  });
});

describe("reading a sentence by its template", () => {
  test("gives the particulars, or nothing at all", () => {
    expect(readParams("a {x} b {y}.", "a 1 b 2.")).toEqual({ x: "1", y: "2" });
    expect(readParams("a {x} b.", "something else")).toEqual({});
    expect(readParams("a {x} b.", "a {x} b.")).toEqual({});
  });
});

describe("what is wrong with a key", () => {
  const whole = generateKeyString(count => crypto.getRandomValues(new Uint8Array(count)));
  const swapped = `${whole.slice(0, 20)}${whole[20] === "a" ? "b" : "a"}${whole.slice(21)}`;
  const strings = [
    ...["undefined", "wgk_7Q…x41K", "<your key>", "$WICKETGATE_KEY", "OPENAI_API_KEY", `"${whole}"`],
    ...[
      `x-api-key: ${whole}`,
      `Bearer ${whole}`,
      `export KEY=${whole}`,
      `\t${whole}`,
      `${whole}\n`,
      `${whole}\t`,
    ],
    ...[`${whole},`, `""`, `${whole},${whole}`, `${whole.slice(0, 9)}\n${whole.slice(9)}`],
    ...[`${whole.slice(0, 9)} ${whole.slice(9)}`, `${whole.slice(0, 9)}\u200b${whole.slice(9)}`],
    ...[
      `WGK_${whole.slice(4)}`,
      `wg_${whole.slice(4)}`,
      `${whole}ab`,
      `x${whole}`,
      `x${whole}y`,
      whole.slice(0, -1),
    ],
    ...[
      whole.slice(0, 30),
      swapped,
      `${whole.slice(0, 20)}!${whole.slice(21)}`,
      "short",
      `${"a1B-".repeat(7)}!`,
    ],
    ...[`wgk_${"a".repeat(80)}`, "x".repeat(5000), `eyJ${"a".repeat(20)}.${"b".repeat(20)}.c`],
  ];

  test.each(strings)("is said in Chinese: %#", text => {
    const found = diagnoseKeyString(text);
    if (found.kind !== "malformed") throw new Error(`expected a fault, found ${found.kind}`);
    expect(keyProblemZh(found.problem)).toMatch(/\p{Script=Han}/u);
  });

  const custom = [
    "short",
    `${"ab".repeat(20)}!`,
    "a".repeat(40),
    `sk-ant-${"x7Q".repeat(9)}`,
    `wgk_${"x7Qm".repeat(8)}`,
  ];
  test.each([...custom, "your-api-key-0000-1111-2222-3333"])("of one's own choice is said too: %#", text => {
    const found = checkCustomKey(text);
    if (found.ok) throw new Error("expected a fault");
    expect(keyProblemZh(found.problem)).toMatch(/\p{Script=Han}/u);
  });
});
