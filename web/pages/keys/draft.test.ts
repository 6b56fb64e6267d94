import { describe, expect, test } from "bun:test";
import { sayIn } from "../../words/say.ts";
import { type Draft, draftOf, emptyDraft, expiresAt, type Key, localText } from "./draft.ts";
import { changeOf, DRAFT_FIELDS, newKeyOf } from "./draft-body.ts";
import { problemsOf } from "./draft-problems.ts";
import { formWords } from "./form-words.ts";

const NOW = Date.parse("2026-11-15T10:00:00.000Z");
const say = sayIn(formWords, "en");
const problems = (draft: Partial<Draft>, language: "en" | "zh" = "en") =>
  problemsOf(
    { ...emptyDraft("grp_1"), name: "laptop", ...draft },
    { say: sayIn(formWords, language), nowMs: NOW },
  );

const key: Key = {
  id: "key_1",
  name: "laptop",
  preview: "wgk_7Q…x41K",
  state: "active",
  group: { id: "grp_1", name: "standard", enabled: true, multiplier: "1", billing: "balance" },
  spent_usd: "3.118",
  held_usd: "0",
  quota_usd: "5",
  limits: {
    requests_per_minute: 60,
    tokens_per_minute: null,
    concurrency: 4,
    spend_per_day_usd: null,
    spend_per_week_usd: null,
    spend_per_month_usd: "20",
  },
  expires_at: "2026-12-01T12:30:45.678Z",
  created_at: "2026-11-01T00:00:00.000Z",
  last_used: null,
  running: 0,
  can_import: false,
  old_string_until: null,
};

describe("a new key's form", () => {
  test("sends only what was filled in", () => {
    expect(newKeyOf({ ...emptyDraft("grp_1"), name: "  laptop · Codex " }, NOW)).toEqual({
      name: "laptop · Codex",
      group: "grp_1",
    });
  });

  test("sends amounts as text, exact, and counts as numbers", () => {
    const draft = {
      ...emptyDraft("grp_1"),
      name: "a",
      quota: ".000000001",
      day: "5.",
      requests: "60",
      concurrency: "2",
    };
    expect(newKeyOf(draft, NOW)).toEqual({
      name: "a",
      group: "grp_1",
      quota_usd: "0.000000001",
      spend_per_day_usd: "5",
      requests_per_minute: 60,
      concurrency: 2,
    });
  });

  test("sends no string of one's own where the switch is off again", () => {
    const draft = { ...emptyDraft("grp_1"), name: "a", custom: "left over from before" };
    expect(newKeyOf(draft, NOW)).not.toHaveProperty("custom_key");
    expect(newKeyOf({ ...draft, isCustom: true }, NOW).custom_key).toBe("left over from before");
  });

  test("counts days from now, and takes a date in the zone of whoever looks", () => {
    expect(expiresAt({ expiry: "30d", expiryDate: "" }, NOW)).toBe("2026-12-15T10:00:00.000Z");
    expect(expiresAt({ expiry: "never", expiryDate: "2030-01-01T00:00" }, NOW)).toBeNull();
    expect(expiresAt({ expiry: "date", expiryDate: "" }, NOW)).toBeUndefined();
    const at = "2026-12-24T18:00:00.000Z";
    expect(expiresAt({ expiry: "date", expiryDate: localText(at) }, NOW)).toBe(at);
  });
});

describe("an edited key's form", () => {
  test("that was not touched changes nothing", () => {
    expect(changeOf(draftOf(key), key, NOW)).toEqual({});
  });

  test("takes away what was emptied", () => {
    const draft: Draft = { ...draftOf(key), quota: "", concurrency: "", month: "", expiry: "never" };
    expect(changeOf(draft, key, NOW)).toEqual({
      quota_usd: null,
      concurrency: null,
      spend_per_month_usd: null,
      expires_at: null,
    });
  });

  test("does not take another way of writing an amount for a change", () => {
    expect(changeOf({ ...draftOf(key), quota: "5.000" }, key, NOW)).toEqual({});
    expect(changeOf({ ...draftOf(key), quota: "0" }, { ...key, quota_usd: null }, NOW)).toEqual({
      quota_usd: "0",
    });
  });

  test("sends only what differs", () => {
    const draft: Draft = { ...draftOf(key), name: "desk ", quota: "5", group: "grp_2", requests: "30" };
    expect(changeOf(draft, key, NOW)).toEqual({ name: "desk", group: "grp_2", requests_per_minute: 30 });
  });
});

describe("what the browser refuses by itself", () => {
  test("is nothing of a form that is right", () => {
    expect(problems({})).toEqual({});
    expect(problems({ quota: "0", name: "👩‍👩‍👧‍👦".repeat(100), requests: "1", day: "0.01" })).toEqual({});
  });

  test.each([
    [{ name: "   " }, "name"],
    [{ name: "é".repeat(101) }, "name"],
    [{ name: "a\u202Eb" }, "name"],
    [{ group: null }, "group"],
    [{ quota: "1234567890" }, "quota"],
    [{ day: "0.00" }, "day"],
    [{ requests: "0" }, "requests"],
    [{ concurrency: "100001" }, "concurrency"],
    [{ expiry: "date", expiryDate: "" }, "expiryDate"],
    [{ expiry: "date", expiryDate: "2026-11-14T00:00" }, "expiryDate"],
    [{ isCustom: true, custom: "" }, "custom"],
    [{ isCustom: true, custom: "password-password-password" }, "custom"],
    [{ isCustom: true, custom: "sk-ant-api03-aaaaaaaaaaaaaaaaaaa" }, "custom"],
  ] as [Partial<Draft>, keyof Draft][])("%p, at the field %s alone", (draft, field) => {
    expect(Object.keys(problems(draft))).toEqual([field]);
    expect(problems(draft, "zh")[field]).toMatch(/\p{Script=Han}/u);
  });

  test("says by how much a name is too long", () => {
    expect(problems({ name: "x".repeat(10_000) }).name).toContain("9,900");
    expect(say("longName", { count: 1 })).toContain("1 character too long");
  });
});

test("every field that the server may name has its place in the form", () => {
  const sent = newKeyOf(
    {
      ...emptyDraft("g"),
      ...{
        name: "n",
        quota: "1",
        requests: "1",
        tokens: "1",
        concurrency: "1",
        day: "1",
        week: "1",
        month: "1",
      },
      ...{ expiry: "7d", isCustom: true, custom: "c" },
    },
    NOW,
  );
  expect(Object.keys(sent).filter(path => DRAFT_FIELDS[path] === undefined)).toEqual([]);
});
