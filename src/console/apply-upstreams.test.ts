import { describe, expect, test } from "bun:test";
import { readApplyFile } from "./apply-file.ts";

function read(fields: string) {
  const text = `upstreams:\n  - { name: up, kind: openai, models: [m], ${fields} }\n`;
  return readApplyFile(new TextEncoder().encode(text), { ONE: "key-one", TWO: "key-two" });
}

function upstream(fields: string) {
  const result = read(fields);
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  return result.file.document.upstreams?.[0];
}

const problems = (fields: string) => {
  const result = read(fields);
  return "problems" in result ? result.problems.map(({ message }) => message) : [];
};

describe("an upstream's keys", () => {
  test("are one, or a list, from variables or written out", () => {
    expect(upstream(`api_key: "\${ONE}"`)).toMatchObject({ api_key: "key-one" });
    expect(upstream(`api_keys: ["\${ONE}", "\${TWO}", "written-out"]`)).toMatchObject({
      api_keys: ["key-one", "key-two", "written-out"],
    });
  });

  for (const [fields, expected] of [
    ["api_keys: []", "must have 1 to 100 keys"],
    ["api_keys: secret-a", "must be a list"],
    ["api_keys: [secret-a, secret-b, secret-a]", "is in this list already"],
    ['api_keys: [secret-a, "secret b"]', "without white space"],
    ["api_key: secret-a, api_keys: [secret-b]", "write all of them in “api_keys”"],
  ] as const) {
    test(`${fields}: is told what to change, and not the key`, () => {
      const found = problems(fields);
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(expected);
      expect(found[0]).not.toContain("secret");
    });
  }
});

describe("how much an upstream is asked", () => {
  test("not at all while it is paused; and what it costs is a part of the price", () => {
    expect(upstream("paused: true, cost: 0.85")).toMatchObject({ paused: true, cost: 8_500 });
    expect(problems("paused: perhaps")[0]).toContain("must be true or false");
    expect(problems("cost: -1")[0]).toContain("must be a factor");
  });

  test("at once, and by itself", () => {
    expect(upstream("max_concurrency: 8, probe: 15")).toMatchObject({ max_concurrency: 8, probe: 15 });
    expect(upstream("probe: off")).toMatchObject({ probe: "off" });
    expect(upstream('probe: "off"')).toMatchObject({ probe: "off" });
  });

  for (const [fields, expected] of [
    ["max_concurrency: 0", "must be a whole number from 1 to 1000000"],
    ["max_concurrency: many", "must be a whole number"],
    ["probe: 0", "must be off, or a whole number of minutes from 1 to 1440"],
    ["probe: 1441", "must be off"],
    ["probe: 1.5", "must be off"],
    ["probe: true", "must be off"],
  ] as const) {
    test(`${fields}: is refused`, () => {
      const found = problems(fields);
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(expected);
    });
  }
});
