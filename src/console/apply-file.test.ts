import { describe, expect, test } from "bun:test";
import { APPLY_FILE_BYTES_MAX, readApplyFile } from "./apply-file.ts";

const SECRET = "sk-live-0123456789";

function read(text: string, env: Record<string, string> = { PROVIDER: SECRET }) {
  return readApplyFile(new TextEncoder().encode(text), env);
}

/** `line:column message` of every problem. */
function problems(text: string, env?: Record<string, string>): string[] {
  const result = read(text, env);
  return "problems" in result ? result.problems.map(p => `${p.line}:${p.column} ${p.message}`) : [];
}

function document(text: string, env?: Record<string, string>) {
  const result = read(text, env);
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  return result.file.document;
}

const upstream = (...lines: string[]) =>
  ["upstreams:", "  - name: u", "    models: [m]", ...lines.map(line => `    ${line}`)].join("\n");
const model = (line: string) => `models:\n  - name: m\n    ${line}\n`;
const key = (line: string) =>
  `keys:\n  - { account: a@b.c, name: k, group: g }\n  - account: a@b.c\n    name: l\n    group: g\n    ${line}\n`;

describe("a good file", () => {
  test("keeps money and prices exact, from the digits that were written", () => {
    const { models, plans, accounts, groups } = document(`
models:
  - { name: m, price: { input: 0.1, output: 1.25, cache_read: 0.000001, request: 0.000000001 } }
groups:
  - { name: g, models: [m, "claude-*"], multiplier: 1.0001 }
plans:
  - { name: p, groups: [g], quota: 123456789.123456789, window: month }
accounts:
  - { email: a@b.c, balance: "10.10" }
`);
    const price = { input: 100_000n, output: 1_250_000n, cache_read: 1n, request: 1n };
    expect(models?.[0]?.price).toEqual(price);
    expect(groups?.[0]?.multiplier).toBe(10_001);
    expect(plans?.[0]?.quota).toBe(123_456_789_123_456_789n);
    expect(accounts?.[0]?.balance).toBe(10_100_000_000n);
  });

  test("may be empty, or have empty sections", () => {
    expect(problems("")).toEqual([]);
    expect(problems("# nothing\n")).toEqual([]);
    expect(problems("plans:\nkeys:\n")).toEqual([]);
  });

  test("names models by a list or by a map", () => {
    const listed = document("upstreams:\n  - { name: u, kind: demo, models: [a, b] }\n").upstreams;
    const mapped = document("upstreams:\n  - { name: u, kind: demo, models: { a: x, b: b } }\n").upstreams;
    expect(listed?.[0]?.models).toEqual([
      ["a", "a"],
      ["b", "b"],
    ]);
    expect(mapped?.[0]?.models).toEqual([
      ["a", "x"],
      ["b", "b"],
    ]);
  });

  test("takes the slash from the end of an address", () => {
    const { upstreams } = document(
      upstream("kind: openai-compatible", "base_url: http://127.0.0.1:1234/v1/"),
    );
    expect(upstreams?.[0]?.base_url).toBe("http://127.0.0.1:1234/v1");
  });

  test("says 0 explicitly where a model is free", () => {
    expect(document(model("price: { input: 0 }")).models?.[0]?.price).toEqual({ input: 0n });
  });
});

describe("variables", () => {
  test("fill texts, and numbers that are written as texts", () => {
    const text = `${key(`key: \${CUSTOM}`)}    quota: \${QUOTA}\n`;
    const found = document(text, { CUSTOM: "Zk4-t8Qw_9rXv2Lm7Bn5Hd3Jc6", QUOTA: "0.5" }).keys?.[1];
    expect(found?.key).toBe("Zk4-t8Qw_9rXv2Lm7Bn5Hd3Jc6");
    expect(found?.quota).toBe(500_000_000n);
  });

  test("never change the structure", () => {
    const hostile = 'x", role: operator\nkeys: [a]\n- b: c';
    const { groups } = document(`groups:\n  - name: \${NAME}\n    models: []\n`, {
      NAME: "a: b, c: [d] # e",
    });
    expect(groups?.[0]?.name).toBe("a: b, c: [d] # e");
    expect(problems(`groups:\n  - name: \${NAME}\n    models: []\n`, { NAME: hostile })).toHaveLength(1);
  });

  test("can be written as themselves", () => {
    expect(document(`groups:\n  - name: $\${NAME} $5 $$\n    models: []\n`, {}).groups?.[0]?.name).toBe(
      `\${NAME} $5 $$`,
    );
  });

  test("that are missing are named where they stand, once each", () => {
    expect(problems(upstream("kind: openai", `api_key: \${NOPE}`), {})).toEqual([
      "5:14 the environment variable NOPE is not set, or is empty",
    ]);
    expect(problems(key(`quota: "\${A}\${B}"`), { A: "" })).toHaveLength(2);
    expect(problems(upstream("kind: openai", `api_key: \${NO PE}`), {})[0]).toStartWith(
      "5:14 a ${ is not followed",
    );
  });
});

const AMOUNT = "must be an amount of USD";
const PRICE = "must be USD per million tokens";

/** What is written, where the problem is, and how it begins. */
const bad: readonly (readonly [string, string])[] = [
  ["upstreams: [\n", "2:1 this is not valid YAML"],
  ["a: b: c\n", "1:4 this is not valid YAML"],
  ["%YAML 1.1\n---\ngroups: !!set {}\n", "3:9 "],
  ["- a\n", "1:1 the file must have sections: upstreams, models, groups, plans, accounts, keys"],
  ["colour: red\n", "1:1 “colour” is not a field that is known here: the file has upstreams, models"],
  ["__proto__: {}\n", "1:1 “__proto__” is not a field"],
  ["groups: 5\n", "1:9 “groups” must be a list"],
  ["groups: [5]\n", "1:10 an entry of “groups” must have fields"],
  [
    "groups:\n  - name: a\n    models: []\n    colour: red\n",
    "4:5 “colour” is not a field that is known here: a group has name",
  ],
  [
    "groups:\n  - name: a\n    models: []\n    name: b\n",
    "4:5 “name” is written twice here; the first is on line 2",
  ],
  ["groups:\n  - models: []\n", "2:5 “name” is missing"],
  ["groups:\n  - name:\n    models: []\n", "2:10 “name” has no value"],
  ["groups:\n  - name: 5\n    models: []\n", "2:11 “name” must be a text: put it in quotes"],
  ["groups:\n  - name: a\n    models: [gpt, 'a b']\n", "3:19 an entry of “models” must not have white space"],
  ["groups:\n  - { name: a, models: [], enabled: yes }\n", "2:37 “enabled” must be true or false"],
  ["groups:\n  - { name: a, models: [], multiplier: -1 }\n", "2:40 “multiplier” must be a factor"],
  ["groups:\n  - { name: a, models: [], multiplier: .inf }\n", "2:40 “multiplier” must be a factor"],
  [
    "groups:\n  - { name: a, models: [], billing: card }\n",
    "2:37 “billing” must be one of balance, subscription,",
  ],
  [
    "groups:\n  - { name: a, models: [] }\n  - { name: a, models: [] }\n",
    "3:13 this name is used already, on line 2",
  ],
  ["accounts:\n  - email: A@b.c\n  - email: a@b.C\n", "3:12 this name is used already, on line 2"],
  ["accounts:\n  - email: nobody\n", "2:12 “email” must be an e-mail address"],
  ["accounts:\n  - { email: a@b.c, balance: -1 }\n", `2:30 “balance” ${AMOUNT}`],
  ["accounts:\n  - { email: a@b.c, balance: 1e3 }\n", `2:30 “balance” ${AMOUNT}`],
  ["accounts:\n  - { email: a@b.c, balance: 0x10 }\n", `2:30 “balance” ${AMOUNT}`],
  ["accounts:\n  - { email: a@b.c, balance: .nan }\n", `2:30 “balance” ${AMOUNT}`],
  ["accounts:\n  - { email: a@b.c, balance: 1000000000 }\n", `2:30 “balance” ${AMOUNT}`],
  ["accounts:\n  - { email: a@b.c, balance: 0.0000000001 }\n", `2:30 “balance” ${AMOUNT}`],
  ["accounts:\n  - { email: a@b.c, role: king }\n", "2:27 “role” must be one of holder, operator"],
  [
    "accounts:\n  - { email: a@b.c, subscriptions: [{ plan: p, until: 2027-02-30 }] }\n",
    "2:55 “until” must be a date",
  ],
  [
    "accounts:\n  - { email: a@b.c, subscriptions: [{ plan: p, til: 2027-02-03 }] }\n",
    "2:48 “til” is not a field that is known here: a subscription",
  ],
  [
    "plans:\n  - { name: p, groups: [g], quota: 1, window: year }\n",
    "2:47 “window” must be one of day, week, month, total",
  ],
  ["plans:\n  - { name: p, groups: [g], window: day }\n", "2:5 “quota” is missing"],
  [model("price: 5"), "3:12 “price” must have fields"],
  [model("price: {}"), "3:12 “price” is empty: write at least one field"],
  [model("price: { input: -1 }"), `3:21 “input” ${PRICE}`],
  [model("price: { input: 1.0000001 }"), `3:21 “input” ${PRICE}`],
  [model("price: { request: 1e-3 }"), `3:23 “request” ${AMOUNT}`],
  [model("price: { inptu: 1 }"), "3:14 “inptu” is not a field that is known here: a price has input"],
  [model("context_tokens: 0"), "3:21 “context_tokens” must be a whole number from 1"],
  [model("max_output_tokens: 1.5"), "3:24 “max_output_tokens” must be a whole number"],
  ["models:\n  - name: gpt-*\n", "2:11 “name” must be a whole name"],
  [
    upstream("kind: opena"),
    "4:11 “kind” must be one of openai, openai-compatible, anthropic, anthropic-compatible",
  ],
  [
    upstream("kind: openai-compatible"),
    "2:5 “base_url” is missing: an openai-compatible upstream needs its address, such as https://api.example.org/v1",
  ],
  [
    upstream("kind: azure-openai"),
    "2:5 “base_url” is missing: an azure-openai upstream needs its address, such as https://RESOURCE.openai.azure.com",
  ],
  [
    upstream("kind: vertex-gemini", "base_url: https://us-east5-aiplatform.googleapis.com/v1"),
    "5:5 “base_url” is too short: a vertex-gemini upstream has one such as https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION",
  ],
  [
    upstream("kind: bedrock", "base_url: https://b.example", "speaks: [messages, chat]"),
    "6:5 “speaks” goes too far: a bedrock upstream speaks messages alone",
  ],
  [upstream("kind: demo", "base_url: http://a"), "5:5 “base_url” has no place here"],
  [upstream("kind: demo", "api_key: abc"), "5:5 “api_key” has no place here"],
  [upstream("kind: openai", "base_url: ftp://a"), "5:15 “base_url” must be a whole http or https address"],
  [
    upstream("kind: openai", "base_url: https://u:p@a/v1"),
    "5:15 “base_url” must not hold a user name or password",
  ],
  [upstream("kind: openai", "base_url: https://a/v1?x=1"), "5:15 “base_url” must end with its path"],
  [
    upstream("kind: openai", "base_url: https://a/v1/chat/completions"),
    "5:15 “base_url” must be the base address, to which the gateway adds /chat/completions by itself: write https://a/v1",
  ],
  [
    upstream("kind: anthropic", "base_url: https://a/v1/messages/"),
    "5:15 “base_url” must be the base address, to which the gateway adds /v1/messages by itself: write https://a",
  ],
  [
    upstream("kind: openai", "speaks: [chat, morse]"),
    "5:20 an entry of “speaks” must be one of chat, responses, messages",
  ],
  [upstream("kind: openai", "speaks: [chat, chat]"), "5:13 “speaks” must name at least one of"],
  [upstream("kind: openai", "weight: 0"), "5:13 “weight” must be a whole number from 1"],
  [upstream("kind: openai", "priority: -1"), "5:15 “priority” must be a whole number from 0"],
  [
    "upstreams:\n  - { name: u, kind: openai, models: gpt }\n",
    "2:38 “models” must be a list of models, or a map",
  ],
  ["upstreams:\n  - { name: u, kind: openai, models: { a: [b] } }\n", "2:43 “a” must be a text"],
  [key("name: k"), "6:5 “name” is written twice"],
  [key("key: short"), "6:10 “key” cannot be used: it has 5 characters"],
  [key("key: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "6:10 “key” cannot be used: it is too easy to guess"],
  [key("expires_at: 2027-01-01T00:00:00"), "6:17 “expires_at” must be a date"],
  [key("requests_per_minute: many"), "6:26 “requests_per_minute” must be a whole number"],
  ["groups: &a\n  - { name: g, models: *a }\n", "2:13 the file is nested too deeply"],
];

describe("a bad file is refused where it is bad", () => {
  for (const [text, expected] of bad) {
    test(JSON.stringify(text), () => {
      const found = problems(text);
      expect(found.some(line => line.startsWith(expected)) ? expected : found).toEqual(expected);
    });
  }

  test("with every problem at once, in the order of the file", () => {
    const found = problems(`upstreams:
  - name: u
    kind: openai-compatible
    colour: red
    weight: none
    models: [m]
groups:
  - name: g
    models: []
    multiplier: 1e9
keys:
  - account: a@b.c
    name: k
    quota: -5
    key: \${MISSING}
`);
    expect(found.map(line => line.split(" ")[0])).toEqual([
      "2:5",
      "4:5",
      "5:13",
      "10:17",
      "12:5",
      "14:12",
      "15:10",
    ]);
  });

  test("too large, not text, too many aliases", () => {
    expect(readApplyFile(new Uint8Array(APPLY_FILE_BYTES_MAX + 1), {})).toHaveProperty("problems");
    expect(readApplyFile(new Uint8Array([0xff, 0xfe, 0x00]), {})).toHaveProperty("problems");
    const lol = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg", "gh"].map(pair => [...pair])) {
      lol.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(",")}]`);
    }
    const found = problems(lol.join("\n"));
    expect(found.some(line => line.includes("aliases"))).toBe(true);
    expect(problems(`a: ${"[".repeat(50_000)}`).length).toBeGreaterThan(0);
  });

  test("without repeating what may be a secret", () => {
    const texts = [
      upstream(`kind: \${PROVIDER}`),
      upstream("kind: openai", `base_url: \${PROVIDER}`),
      key(`key: \${PROVIDER}`),
      key(`quota: \${PROVIDER}`),
      `upstreams:\n  - name: u\n    api_key: |x ${SECRET}\n      a\n`,
      `upstreams:\n  - name: u\n  ${SECRET}\n`,
    ];
    for (const text of texts) {
      const found = problems(text);
      expect(found.length).toBeGreaterThan(0);
      expect(found.join("\n")).not.toContain(SECRET);
    }
  });
});
