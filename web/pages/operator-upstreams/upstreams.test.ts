import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { assert, constantFrom, integer, property, uniqueArray } from "fast-check";
import { chosenAtFirst, connectBody, freeName, modelsOf, pricesOpen } from "./add-draft.ts";
import { changeOf, draftOf, isElsewhere, problemOf } from "./edit-change.ts";
import { linesOf, pairsOf, twiceIn } from "./model-lines.ts";
import { inOrder, lastPlace, movedTo, placeAt, placeOf, tiersOf, without } from "./order.ts";
import { noteZh } from "./preset-notes.ts";
import { sentenceZh } from "./sentences.ts";
import type { Found, Preset, Upstream } from "./upstream-reads.ts";
import { onlyHere, stateOf } from "./upstream-state.ts";
import { matching } from "./use-upstreams-search.ts";
import { whyText } from "./why-text.ts";

const pair = (model: string, upstream_model = model) => ({ model, upstream_model });

function upstream(name: string, given: Partial<Upstream> = {}): Upstream {
  return {
    ...{ id: `ups_${name}`, name, kind: "openai", base_url: "https://api.example.com/v1" },
    ...{ speaks: ["chat"], priority: 0, weight: 1, is_paused: false, cost_multiplier: "1" },
    ...{ max_concurrency: null, probe_minutes: null, models: [pair("m")], running: 0, resting: [] },
    credentials: [{ id: "crd_1", label: "…abcd", state: "ok", since: null, until: null, why: null }],
    health: {
      ...{ requests: 4, success_rate: 1, first_byte_ms: 10, first_byte_p95_ms: 20 },
      ...{ tokens_per_second: null, revenue_usd: "0", cost_usd: "0" },
    },
    last_error: null,
    ...given,
  };
}

describe("the order of upstreams", () => {
  const tiers = [["a"], ["b", "c"], ["d"]];

  test("has the same priority for those that share a place", () => {
    const rows = ["a", "b", "c", "d"].map((id, at) => ({ id, priority: [0, 3, 3, 9][at] ?? 0 }));
    expect(tiersOf(rows)).toEqual(tiers);
  });

  test("puts somebody alone before, within or after the others", () => {
    expect(movedTo(tiers, "d", 0)).toEqual([["d"], ["a"], ["b", "c"]]);
    expect(movedTo(tiers, "d", 1)).toEqual([
      ["a", "d"],
      ["b", "c"],
    ]);
    expect(movedTo(tiers, "a", 1)).toEqual([["b", "c", "a"], ["d"]]);
    expect(movedTo(tiers, "b", 2)).toEqual([["a"], ["b"], ["c"], ["d"]]);
    expect(movedTo(tiers, "b", 6)).toEqual([["a"], ["c"], ["d"], ["b"]]);
  });

  test("stays as it is at the place where somebody stands, and loses nobody", () => {
    const ids = ["a", "b", "c", "d", "e"];
    assert(
      property(uniqueArray(constantFrom(...ids), { minLength: 1 }), integer(), integer(), (some, cut, to) => {
        const split = Math.abs(cut) % some.length;
        const given = [some.slice(0, split), some.slice(split)].filter(tier => tier.length > 0);
        for (const id of some) {
          const same = movedTo(given, id, placeOf(given, id)).map(tier => tier.toSorted());
          expect(same).toEqual(given.map(tier => tier.toSorted()));
          const place = Math.abs(to) % (lastPlace(given, id) + 1);
          const moved = movedTo(given, id, place);
          expect(moved.flat().toSorted()).toEqual(some.toSorted());
          expect(placeOf(moved, id)).toBe(place);
        }
      }),
    );
  });

  test("is told from the height of a pointer: beside a tier at its ends, within it in between", () => {
    const boxes = [
      { top: 0, bottom: 50 },
      { top: 50, bottom: 150 },
    ];
    expect([-20, 5, 25, 45, 60, 100, 145, 900].map(y => placeAt(y, boxes))).toEqual([0, 0, 1, 2, 2, 3, 4, 4]);
    expect(placeAt(10, [])).toBe(0);
  });

  test("is shown at once as the server will give it", () => {
    const rows = ["b", "a", "c"].map(name => ({ id: name, name, priority: 7 }));
    expect(inOrder(rows, [["c"], ["b", "a"]]).map(({ name, priority }) => [name, priority])).toEqual([
      ["c", 0],
      ["a", 1],
      ["b", 1],
    ]);
    expect(without(tiers, "a")).toEqual([["b", "c"], ["d"]]);
  });
});

describe("an upstream", () => {
  const rejected = {
    id: "crd_2",
    label: "x",
    state: "rejected" as const,
    since: null,
    until: null,
    why: null,
  };

  test("is in the gravest state that it has", () => {
    const { health, credentials } = upstream("a");
    expect(stateOf(upstream("a"))).toBe("ok");
    expect(stateOf(upstream("a", { health: { ...health, requests: 0 } }))).toBe("unused");
    const resting = [{ model: "m", since: "2026-01-01T00:00:00Z", until: null, why: "status 500" }];
    expect(stateOf(upstream("a", { resting }))).toBe("resting");
    expect(stateOf(upstream("a", { resting, credentials: [...credentials, rejected] }))).toBe("rejected");
    expect(stateOf(upstream("a", { is_paused: true, resting }))).toBe("paused");
  });

  test("leaves models unserved that no other active one has", () => {
    const one = upstream("a", { models: [pair("m"), pair("n"), pair("o")] });
    const others = [
      upstream("b", { models: [pair("m")] }),
      upstream("c", { models: [pair("n")], is_paused: true }),
    ];
    expect(onlyHere(one, [one, ...others])).toEqual(["n", "o"]);
  });

  test("is found by its name, address and models, and by its state", () => {
    const all = [upstream("Open"), upstream("two", { models: [pair("gpt-5")], is_paused: true })];
    const found = (search: Parameters<typeof matching>[1]) => matching(all, search).map(({ name }) => name);
    expect(found({ q: "OPE" })).toEqual(["Open", "two"]);
    expect(found({ q: "gpt" })).toEqual(["two"]);
    expect(found({ state: "paused" })).toEqual(["two"]);
    expect(found({ q: "gpt", state: "ok" })).toEqual([]);
  });
});

describe("a change of an upstream", () => {
  const one = upstream("a", { max_concurrency: 4 });

  test("says only what differs", () => {
    expect(changeOf(one, draftOf(one))).toEqual({});
    const draft = { ...draftOf(one), name: " b ", concurrency: "", probe: "5", weight: "3", cost: ".8" };
    expect(changeOf(one, draft)).toEqual({
      ...{ name: "b", weight: 3, max_concurrency: null, probe_minutes: 5, cost_multiplier: "0.8" },
    });
    expect(changeOf(one, { ...draftOf(one), speaks: ["chat", "messages"] })).toEqual({
      speaks: ["chat", "messages"],
    });
  });

  test("is told where a number is out of its bounds or something is missing", () => {
    const draft = draftOf(one);
    expect(problemOf(draft, true)).toBeNull();
    expect(problemOf({ ...draft, weight: "0" }, true)).toBe("numbersWrong");
    expect(problemOf({ ...draft, weight: "" }, true)).toBe("numbersWrong");
    expect(problemOf({ ...draft, probe: "1441" }, true)).toBe("numbersWrong");
    expect(problemOf({ ...draft, cost: "0.12345" }, true)).toBe("costWrong");
    expect(problemOf({ ...draft, speaks: [] }, true)).toBe("speaksMissing");
    expect(problemOf({ ...draft, address: "" }, true)).toBe("addressMissing");
    expect(problemOf({ ...draft, address: "" }, false)).toBeNull();
  });

  test("needs the key again at another origin, not at another path", () => {
    expect(isElsewhere(one, "https://api.example.com/v2")).toBe(false);
    expect(isElsewhere(one, "http://api.example.com/v1")).toBe(true);
    expect(isElsewhere(one, "https://api.example.com:8443/v1")).toBe(true);
  });
});

describe("models by hand", () => {
  test("are read as they are written, and written as they are read", () => {
    const models = [pair("gpt-5"), pair("fast", "meta/llama-3=8b"), pair("a,b")];
    expect(pairsOf(linesOf(models))).toEqual(models);
    expect(pairsOf(" x = y \n\n z \n")).toEqual([pair("x", "y"), pair("z")]);
  });

  test("are told when one is there twice", () => {
    expect(twiceIn(pairsOf("a\nb\na = c"))).toBe("a");
    expect(twiceIn(pairsOf("a\nb = a"))).toBeNull();
  });
});

describe("a new upstream", () => {
  const price = {
    ...{ input: "1.25", output: "10", cache_read: "0.125", cache_write_5m: "2", cache_write_1h: "3" },
    ...{ request: "0", tiers: [] },
  };
  const found = (name: string, given: Partial<Found> = {}): Found => ({
    ...{ upstream_model: name, model: name, price, context_tokens: 1000, is_known: false },
    ...given,
  });
  const preset: Preset = {
    ...{ kind: "openai", name: "OpenAI", base_url: "https://api.openai.com/v1", needs_base_url: false },
    ...{ needs_key: true, speaks: ["chat"], keys_url: null, note: null },
  };

  test("gets a name that nobody has", () => {
    expect(freeName("OpenAI", [])).toBe("OpenAI");
    expect(freeName("OpenAI", ["OpenAI", "OpenAI 2"])).toBe("OpenAI 3");
  });

  test("has all models chosen where they are few, and none where somebody must choose", () => {
    expect([...chosenAtFirst([found("a"), found("b", { price: null })])]).toEqual([
      ["a", { input: "1.25", output: "10" }],
      ["b", { input: "", output: "" }],
    ]);
    expect(chosenAtFirst(Array.from({ length: 30 }, (_, at) => found(`m${at}`))).size).toBe(0);
  });

  test("takes a suggested price whole, a typed one with its caches, and none where it is left open", () => {
    const all = [found("a"), found("b"), found("c", { price: null }), found("d", { is_known: true })];
    const chosen = new Map([
      ["a", { input: "1.25", output: "10" }],
      ["b", { input: "2.", output: "8" }],
      ["c", { input: "", output: "" }],
      ["d", { input: "9", output: "9" }],
    ]);
    expect(modelsOf(all, chosen)).toEqual([
      { model: "a", upstream_model: "a", price, context_tokens: 1000 },
      {
        ...{ model: "b", upstream_model: "b", context_tokens: 1000 },
        price: { input: "2", output: "8", cache_read: "2", cache_write_5m: "2", cache_write_1h: "2" },
      },
      { model: "c", upstream_model: "c", context_tokens: 1000 },
      { model: "d", upstream_model: "d" },
    ]);
    expect(pricesOpen(all, chosen)).toEqual({ wrong: [], none: ["c"] });
    expect(pricesOpen(all, new Map([["a", { input: "1", output: "" }]]))).toEqual({ wrong: ["a"], none: [] });
  });

  test("is checked where its models were listed, and taken as it is where they were typed", () => {
    const access = { name: " mine ", address: "https://api.openai.com/v1", key: " sk-1 " };
    expect(connectBody(preset, access, { list: [pair("a")] })).toEqual({
      ...{ kind: "openai", name: "mine", api_key: "sk-1", models: [pair("a")] },
    });
    expect(connectBody(preset, { ...access, address: "http://x/v1" }, { lines: "a = b" })).toEqual({
      ...{ kind: "openai", name: "mine", api_key: "sk-1", base_url: "http://x/v1" },
      ...{ models: [pair("a", "b")], check: false },
    });
  });
});

/** As the server says them; the part before the bar stands in its source as it is. */
const SENTENCES = [
  "There is no such upstream|. It may have been removed.",
  "This upstream has no such key|. It may have been removed.",
  "This provider answers to a key alone|: enter one.",
  "Choose at least one model|.",
  "This upstream has no model yet|. Add one first.",
  "This upstream is built in, and takes no key|.",
  "This upstream has this very key already|.",
  "The address of this upstream was changed meanwhile|. Add the key again.",
  "The address changes, and the keys of this upstream are bound| to the old one: give its key again.",
  "Nothing lists what this upstream has|: enter the names of its models.",
];
const URL_ = "https://a.example/v1/models";
const FILLED = [
  [
    "does not accept the key",
    `${URL_} does not accept the key (401, and says: no): give one that is valid for x.`,
  ],
  ["asks for a key", `${URL_} asks for a key (401): enter one.`],
  [
    "answers with a web page and not as an API",
    `${URL_} answers with a web page and not as an API: correct it.`,
  ],
  ["answers, but not with a list of models", `${URL_} answers, but not with a list of models: correct it.`],
  [
    "answers, but not in the dialect",
    `${URL_} answers, but not in the dialect that it is said to speak: correct.`,
  ],
  ["lists more than can be taken", `${URL_} lists more than can be taken: enter the names.`],
  ["answers without end", `${URL_} answers without end.`],
  ["lists no models", `${URL_} lists no models: load one there.`],
  [
    "and redirects are not followed",
    `${URL_} redirects to x (301), and redirects are not followed: correct it.`,
  ],
  ["There is no list of models at", `There is no list of models at ${URL_} (404): correct the base address.`],
  ["does not know this", `${URL_} does not know this (404): correct the name of the model.`],
  ["wants to be paid first", `${URL_} wants to be paid first (402): top up the account there.`],
  ["is asked too much", `${URL_} is asked too much (429): try again later.`],
  ["fails (", `${URL_} fails (503): try again later. Nothing is saved.`],
  ["refuses this", `${URL_} refuses this (418).`],
  ["Nothing listens at", "Nothing listens at a.example: start the server there."],
  ["is self-signed or of an authority", "The certificate of a.example is self-signed or of an authority."],
  [
    "has expired: it must be renewed there",
    "The certificate of a.example has expired: it must be renewed there.",
  ],
  ["is for another name", "The certificate of a.example is for another name: use the name."],
  ["makes no secure connection", "a.example makes no secure connection (x): correct the base address."],
  ["cannot be reached in time", "a.example cannot be reached in time (x): correct the base address."],
  ["does not speak HTTP/1.1", "a.example does not speak HTTP/1.1 (x): correct the base address."],
  ["cannot be reached: ", "a.example cannot be reached: no route."],
  ["does not answer as it should", "a.example does not answer as it should (x): try again."],
  ["does not list", `${URL_} does not list a, b: correct the name, or save without the check.`],
  ["There is an upstream", "There is an upstream “x” already: choose another name."],
  ["is there twice", "The model “x” is there twice."],
  [
    "to which the gateway adds",
    "This must be the base address, to which the gateway adds /chat/completions by itself: write https://a/v1.",
  ],
] as const;

describe("the server's sentences", () => {
  const root = join(import.meta.dir, "..", "..", "..", "src");
  const source = [...new Glob("{domain,store,console,upstream}/**/*.ts").scanSync({ cwd: root })]
    .filter(path => !path.includes(".test."))
    .map(path => readFileSync(join(root, path), "utf8"))
    .join("\n");

  test("are said in Chinese too, each as the server has it", () => {
    const plain = SENTENCES.map(text => [text.split("|")[0] ?? "", text.replace("|", "")] as const);
    for (const [part, said] of [...plain, ...FILLED]) {
      expect(source).toContain(part);
      expect({ said, zh: sentenceZh(said) }).toEqual({ said, zh: expect.stringMatching(/[\u4e00-\u9fff]/) });
    }
    expect(sentenceZh("Something new.")).toBeNull();
  });

  test("on presets are all known", () => {
    const told = readFileSync(join(root, "console/api/operator/presets.ts"), "utf8");
    const notes = [...told.matchAll(/(?:note:\s+|SERVICE_ACCOUNT =\s+)"([^"]+)"/g)].map(
      found => found[1] ?? "",
    );
    expect(notes.length).toBeGreaterThan(5);
    for (const note of [...notes, `Its address looks like https://x.example/openai. ${notes[0]}`]) {
      expect({ note, zh: noteZh(note) }).toEqual({ note, zh: expect.stringMatching(/[\u4e00-\u9fff]/) });
    }
  });
});

test("why a request failed is told in both languages, and what is not known as it was noted", () => {
  expect(whyText("status 401", "en")).toBe("answered 401: the key is not accepted");
  expect(whyText("status 503", "zh")).toBe("返回状态码 503：上游自身出错");
  expect(whyText("connect: ECONNREFUSED <b>", "en")).toBe("cannot be reached: ECONNREFUSED <b>");
  expect(whyText("first-byte-timeout: 30 s", "zh")).toBe("未能及时开始响应");
  expect(whyText("upstream_failed", "en")).toBe("failed");
  expect(whyText("something: else", "zh")).toBe("something: else");
});
