import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { scanObject, spliceFields } from "./json-object.ts";

/** A repeatable source of choices, so that a failing case can be played again from its seed. */
function choices(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * below);
  };
}

type Choose = (below: number) => number;
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const SPACES = ["", "", " ", "\n", "\t", "\r\n  "];
const space = (choose: Choose) => SPACES[choose(SPACES.length)] ?? "";

function oddString(text: string, choose: Choose): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const letters = [...text].map(letter => {
    if (choose(4) === 0) return letter.split("").map(escaped).join("");
    return letter === "/" && choose(2) === 0 ? "\\/" : JSON.stringify(letter).slice(1, -1);
  });
  return `"${letters.join("")}"`;
}

/** Valid JSON as no library writes it. */
function oddJson(value: Json, choose: Choose): string {
  const listed = (items: string[]) =>
    items.map(item => space(choose) + item + space(choose)).join(",") || space(choose);
  if (typeof value === "string") return oddString(value, choose);
  if (Array.isArray(value)) return `[${listed(value.map(item => oddJson(item, choose)))}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, item]) => `${oddString(name, choose)}${space(choose)}:${space(choose)}${oddJson(item, choose)}`,
  );
  return `{${listed(fields)}}`;
}

const awkward = fc.constantFrom(
  "{",
  "}",
  '"',
  '\\"',
  "\\",
  "\\\\",
  '\\\\"',
  "[",
  ",",
  ":",
  '"model":"x"',
  "",
);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  awkward,
  fc.array(awkward).map(parts => parts.join("")),
);
const name = fc.oneof(fc.constantFrom("model", "stream", "__proto__", "a", ""), text);
const value = fc.letrec<{ any: Json }>(tie => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    text,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(text, tie("any"), { maxKeys: 3 }),
  ),
})).any;
const entries = fc.array(fc.tuple(name, value), { maxLength: 6 });
const edits = fc.dictionary(name, value, { maxKeys: 3 }).map(named => new Map(Object.entries(named)));

describe("a splice", () => {
  test("changes the values it names and not one byte beside them", () => {
    fc.assert(
      fc.property(entries, edits, fc.integer(), (fields, wanted, seed) => {
        const choose = choices(seed);
        const news = new Map([...wanted].map(([field, item]) => [field, JSON.stringify(item)]));
        const absent = [...news].filter(([field]) => fields.every(([present]) => present !== field));
        let sent = `${space(choose)}{`;
        let expected = sent + absent.map(([field, item]) => `${JSON.stringify(field)}:${item}`).join(",");
        if (absent.length > 0 && fields.length > 0) expected += ",";
        fields.forEach(([field, item], place) => {
          const before = `${place === 0 ? "" : ","}${space(choose)}${oddString(field, choose)}${space(choose)}:${space(choose)}`;
          const [old, after] = [oddJson(item, choose), space(choose)];
          sent += before + old + after;
          expected += before + (news.get(field) ?? old) + after;
        });
        const end = `${space(choose)}}${space(choose)}`;
        const bytes = Buffer.from(sent + end);
        const spliced = spliceFields(bytes, scanObject(bytes, 100), news);
        expect(Buffer.from(spliced).toString()).toBe(expected + end);
        const read = JSON.parse(expected + end) as Record<string, Json>;
        for (const [field, item] of news) expect(JSON.stringify(read[field])).toBe(item);
      }),
      { numRuns: 500 },
    );
  });

  test("adds to an empty object, and in front of others", () => {
    const add = new Map([["b", "2"]]);
    const splice = (json: string) =>
      Buffer.from(spliceFields(Buffer.from(json), scanObject(Buffer.from(json), 9), add)).toString();
    expect(splice("{}")).toBe('{"b":2}');
    expect(splice(" { } ")).toBe(' {"b":2 } ');
    expect(splice('{"a":1}')).toBe('{"b":2,"a":1}');
  });

  test("finds a field whose name is escaped, and every one that stands twice", () => {
    const json = '{"mod\\u0065l":"a","x":{"model":"inner"},"model" : "b" }';
    const bytes = Buffer.from(json);
    const spliced = spliceFields(bytes, scanObject(bytes, 9), new Map([["model", '"c"']]));
    expect(Buffer.from(spliced).toString()).toBe('{"mod\\u0065l":"c","x":{"model":"inner"},"model" : "c" }');
  });

  test("of nothing gives the same bytes", () => {
    const bytes = Buffer.from('\ufeff { "a" : [1,{"b":"}"}] , "c":"\\\\" }\n');
    expect(Buffer.from(spliceFields(bytes, scanObject(bytes, 9), new Map())).equals(bytes)).toBe(true);
  });
});

describe("the scan", () => {
  test("says where each field and its value stand", () => {
    const bytes = Buffer.from('{ "a" : "x" , "é":[1,2]}');
    const at = scanObject(bytes, 9).fields.map(field => ({
      name: field.name,
      from: bytes.toString("utf8", field.start, field.valueStart),
      value: bytes.toString("utf8", field.valueStart, field.valueEnd),
    }));
    expect(at).toEqual([
      { name: "a", from: '"a" : ', value: '"x"' },
      { name: "é", from: '"é":', value: "[1,2]" },
    ]);
  });

  test("reports too deep at one level more than is allowed, in objects and lists alike", () => {
    const nested = fc.array(fc.boolean(), { maxLength: 40 });
    fc.assert(
      fc.property(nested, fc.integer({ min: 1, max: 42 }), (levels, depthMax) => {
        const json = levels.reduce((inner, isList) => (isList ? `[${inner}]` : `{"a":${inner}}`), '"[{"');
        const bytes = Buffer.from(`{"x":${json},"y":[]}`);
        expect(scanObject(bytes, depthMax).tooDeep).toBe(Math.max(levels.length, 1) + 1 > depthMax);
      }),
    );
  });

  test("does not take brackets in strings for depth", () => {
    const bytes = Buffer.from(JSON.stringify({ a: "[".repeat(500), b: '\\"{{{{' }));
    expect(scanObject(bytes, 1).tooDeep).toBe(false);
  });

  test("neither throws nor hangs on any bytes, and nor does a splice", () => {
    const structural = fc.constantFrom(...Buffer.from('{}[]",:\\ a\n'));
    const anyByte = fc.oneof({ weight: 4, arbitrary: structural }, fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(anyByte, { maxLength: 60 }), codes => {
        const bytes = Buffer.from(codes);
        const scan = scanObject(bytes, 5);
        expect(spliceFields(bytes, scan, new Map([["a", "1"]])).length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["escaped quotes", `{"a":"${'\\"'.repeat(500_000)}"}`],
    ["backslashes", `{"a":"${"\\\\".repeat(500_000)}"}`],
    ["quotes", '"'.repeat(1_000_000)],
    ["open strings", `{"a":"${"\\".repeat(1_000_001)}"`],
    ["white space", `{"a":${" ".repeat(1_000_000)}1}`],
  ])("takes time in proportion to a million bytes of %s", (_, json) => {
    const startedAtMs = performance.now();
    scanObject(Buffer.from(json), 9);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });
});
