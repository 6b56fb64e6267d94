import { describe, expect, test } from "bun:test";
import { diagnoseKeyString } from "../../../src/domain/key-string.ts";
import { ApiError } from "../../api/api-error.ts";
import { systemOf } from "../../browser/system.ts";
import { sayIn } from "../../words/say.ts";
import { draftOf, type Group, type Key } from "./draft.ts";
import { keepDraft, keptDraft } from "./draft-kept.ts";
import { editEffects } from "./edit-effects.ts";
import { envFile, envFileName } from "./env-file.ts";
import { isForm } from "./filled-fields.tsx";
import { formWords } from "./form-words.ts";
import { paidText } from "./group-field.tsx";
import { programsOf } from "./import-links.tsx";
import { limitTexts } from "./key-cells.tsx";
import { matching } from "./matching.ts";
import { filledWith, PLACEHOLDER } from "./placeholder.ts";
import { isInDoubt, serverProblems } from "./server-problems.ts";
import { shownState } from "./state-cell.tsx";
import { words } from "./words.ts";

const NONE: Key["limits"] = {
  ...{ requests_per_minute: null, tokens_per_minute: null, concurrency: null },
  ...{ spend_per_day_usd: null, spend_per_week_usd: null, spend_per_month_usd: null },
};

function key(part: Partial<Key> = {}): Key {
  return {
    ...{ id: "key_1", name: "laptop", preview: "wgk_7Q…x41K", state: "active" },
    group: { id: "grp_1", name: "standard", enabled: true, multiplier: "1", billing: "balance" },
    ...{ spent_usd: "3.118", held_usd: "0", quota_usd: null, limits: NONE, expires_at: null },
    ...{ created_at: "2026-11-01T00:00:00.000Z", last_used: null, running: 0, can_import: false },
    ...{ old_string_until: null },
    ...part,
  } as Key;
}

function group(part: Partial<Group>): Group {
  const models = ["a", "b"].map(name => ({ name, price: {} as Group["models"][number]["price"] }));
  return {
    id: "grp_1",
    name: "standard",
    description: "",
    enabled: true,
    multiplier: "1",
    billing: "balance",
    pockets: [],
    models,
    ...part,
  };
}

describe("the list of keys", () => {
  const keys = [
    key(),
    key({ id: "key_2", name: "Büro · Codex", state: "disabled" }),
    key({ id: "key_3", state: "deleted" }),
  ];
  const ids = (search: Parameters<typeof matching>[1]) => matching(keys, search).map(({ id }) => id);

  test("hides deleted keys unless they are asked for", () => {
    expect(ids({})).toEqual(["key_1", "key_2"]);
    expect(ids({ state: "deleted" })).toEqual(["key_3"]);
    expect(ids({ q: "laptop" })).toEqual(["key_1"]);
  });

  test("is searched without regard to capitals and accents, by preview too", () => {
    expect(ids({ q: "buro CODEX" })).toEqual(["key_2"]);
    expect(ids({ q: "x41k" })).toEqual(["key_1", "key_2"]);
    expect(ids({ q: "(.*" })).toEqual([]);
  });
});

describe("a key's state", () => {
  test("is not called active where it would be refused", () => {
    expect(shownState(key())).toBe("active");
    expect(shownState(key({ quota_usd: "3.1180" }))).toBe("usedUp");
    expect(shownState(key({ quota_usd: "3.118000001" }))).toBe("active");
    expect(shownState(key({ group: { ...key().group, enabled: false } }))).toBe("groupOff");
    expect(shownState(key({ state: "expired", quota_usd: "0" }))).toBe("expired");
  });

  test("has its limits in words, how fast apart from how much", () => {
    const limits = { ...NONE, requests_per_minute: 60, concurrency: 4, spend_per_day_usd: "2.5" };
    expect(limitTexts({ limits }, sayIn(words, "en"))).toEqual({
      rates: ["60/min", "4 at once"],
      spends: ["$2.50 a day"],
    });
    expect(limitTexts({ limits: NONE }, sayIn(words, "zh"))).toEqual({ rates: [], spends: [] });
  });
});

describe("what an edit means for running clients", () => {
  const say = sayIn(formWords, "en");
  const groups = [group({}), group({ id: "grp_2", name: "economy", models: group({}).models.slice(0, 1) })];
  const nowMs = Date.parse("2026-11-15T10:00:00.000Z");
  const effects = (part: Partial<ReturnType<typeof draftOf>>, of = key()) =>
    editEffects(of, { draft: { ...draftOf(of), ...part }, groups, say, nowMs }).join("\n");

  test("is nothing where nothing is changed", () => {
    expect(effects({})).toBe("");
  });

  test("names the models that the new group does not have", () => {
    expect(effects({ group: "grp_2" })).toContain("Clients set to b will be refused");
    const back = key({ group: { ...key().group, id: "grp_2", name: "economy" } });
    expect(effects({ group: "grp_1" }, back)).toContain("has every model");
  });

  test("warns of a quota below what is spent, and of too few at once", () => {
    expect(effects({ quota: "3" })).toContain("$3.1180 is spent already");
    expect(effects({ quota: "4" })).not.toContain("spent already");
    expect(effects({ concurrency: "1" })).toContain("Claude Code");
  });

  test("says that an expired key lives again", () => {
    const old = key({ state: "expired", expires_at: "2026-11-01T00:00:00.000Z" });
    expect(effects({ expiry: "never" }, old)).toContain("works again");
  });
});

describe("who pays", () => {
  const say = sayIn(formWords, "en");
  test("is said with what is left, in the order of paying", () => {
    const balance = { name: "balance", kind: "balance" as const, left_usd: "12.407" };
    const plan = { name: "monthly-50", kind: "subscription" as const, left_usd: "8.1" };
    expect(paidText({ pockets: [balance] }, say)).toBe("Paid from balance, $12.41 left.");
    expect(paidText({ pockets: [plan] }, say)).toBe("Paid from monthly-50, $8.10 left.");
    expect(paidText({ pockets: [plan, balance] }, say)).toContain("then from balance ($12.41 left)");
    expect(paidText({ pockets: [] }, say)).toContain("Nothing pays");
  });
});

describe("the texts for clients", () => {
  test("hold the string exactly, or a placeholder that the gateway knows for one", () => {
    expect(filledWith("a {{key}} b {{key}}", "wgk_$&$1")).toBe("a wgk_$&$1 b wgk_$&$1");
    expect(filledWith("{{key}}", null)).toBe(PLACEHOLDER);
    const found = diagnoseKeyString(PLACEHOLDER);
    expect(found.kind === "malformed" ? found.problem : found.kind).toContain("placeholder");
  });

  test("are fields to fill in only where every line is one", () => {
    const piece = { title: "", shell: null, file: null, language: "text" };
    expect(isForm({ ...piece, text: "API Key: {{key}}\nBase URL: https://a/v1" })).toBe(true);
    expect(isForm({ ...piece, text: "Open the settings" })).toBe(false);
    expect(isForm({ ...piece, language: "bash", text: "a: b" })).toBe(false);
  });

  test("group the links of one program", () => {
    const link = (name: string) => ({ app: name, name, url: `x://${name}`, note: null });
    const programs = programsOf([
      link("CC Switch · Codex"),
      link("CC Switch · Claude Code"),
      link("Chatbox"),
    ]);
    expect(programs.map(({ name, links }) => [name, links.map(one => one.name)])).toEqual([
      ["CC Switch", ["Codex", "Claude Code"]],
      ["Chatbox", ["Chatbox"]],
    ]);
  });
});

describe("the env file", () => {
  const given = { string: "wgk_x", openaiUrl: "https://a/v1", messagesUrl: "https://a" };

  test("has both styles, and a name cannot break out of its comment", () => {
    const text = envFile({ ...given, comment: "key “a\nOPENAI_API_KEY=evil”" });
    expect(text.split("\n")).toEqual([
      "# key “a OPENAI_API_KEY=evil”",
      "OPENAI_BASE_URL=https://a/v1",
      "OPENAI_API_KEY=wgk_x",
      "ANTHROPIC_BASE_URL=https://a",
      "ANTHROPIC_AUTH_TOKEN=wgk_x",
      "",
    ]);
  });

  test("has a file name that every system takes", () => {
    expect(envFileName("laptop · Claude Code")).toBe("wicketgate-laptop-claude-code.env");
    expect(envFileName("../../etc/passwd")).toBe("wicketgate-etc-passwd.env");
    expect(envFileName("密钥 🔑")).toBe("wicketgate.env");
  });
});

describe("what went wrong", () => {
  test("is in doubt where no answer came, and only there", () => {
    const error = (code: ConstructorParameters<typeof ApiError>[0]["code"]) =>
      new ApiError({ code, message: "" });
    expect(isInDoubt(null)).toBe(false);
    for (const code of ["lost", "offline", "unavailable"] as const) expect(isInDoubt(error(code))).toBe(true);
    for (const code of ["conflict", "invalid", "not_signed_in", "throttled"] as const) {
      expect(isInDoubt(error(code))).toBe(false);
    }
    expect(isInDoubt(new DOMException("timed out", "TimeoutError"))).toBe(true);
  });

  test("stands at its field, in the language of the page", () => {
    const fields = [
      { path: "name", message: "You have a key with this name already." },
      { path: "odd", message: "x" },
    ];
    const error = new ApiError({ code: "conflict", message: "", fields });
    expect(serverProblems(error, sayIn(formWords, "en"))).toEqual({
      name: "You have a key with this name already.",
    });
    expect(serverProblems(error, sayIn(formWords, "zh")).name).toMatch(/\p{Script=Han}/u);
  });
});

describe("a half-filled form", () => {
  test("is kept for the same account alone, without the string of one's own", () => {
    const draft = { ...draftOf(key()), isCustom: true, custom: "a secret string" };
    keepDraft("ann@example.org", draft);
    expect(keptDraft("bob@example.org")).toBeNull();
    expect(keptDraft("ann@example.org")).toEqual({ ...draft, isCustom: false, custom: "" });
    keepDraft("ann@example.org", null);
    expect(keptDraft("ann@example.org")).toBeNull();
  });
});

test("the system is guessed from what the browser says", () => {
  expect(systemOf("Mozilla/5.0 (Windows NT 10.0; Win64; x64)")).toBe("windows");
  expect(systemOf("Mozilla/5.0 (Macintosh; Intel Mac OS X 14)")).toBe("unix");
  expect(systemOf("Mozilla/5.0 (Linux; Android 15; Pixel) Mobile")).toBe("phone");
});
