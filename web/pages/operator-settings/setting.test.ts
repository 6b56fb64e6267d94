import { describe, expect, test } from "bun:test";
import { changed, named, partOf, type Setting, shownValue, unsaved, without } from "./setting.ts";

const setting = (more: Partial<Setting> = {}): Setting => ({
  ...{
    name: "name",
    value: "Wicketgate",
    default: "Wicketgate",
    from: "default",
    variable: "WICKETGATE_NAME",
  },
  ...{ kind: "text", choices: [], is_set: true },
  ...more,
});

describe("a draft", () => {
  test("has what differs from what is set, and nothing else", () => {
    const draft = changed({}, setting(), "Harbour");
    expect(draft).toEqual({ name: "Harbour" });
    expect(shownValue(setting(), draft)).toBe("Harbour");
    expect(changed(draft, setting(), "Wicketgate")).toEqual({});
  });

  test("gives a default back by null, and only where the console has set something", () => {
    const set = setting({ value: "Harbour", from: "console" });
    const draft = changed({}, set, null);
    expect(draft).toEqual({ name: null });
    expect(shownValue(set, draft)).toBe("Wicketgate");
    expect(changed({ name: "x" }, setting(), null)).toEqual({});
  });

  test("takes an emptied input for its default where that is empty, and for a mistake elsewhere", () => {
    const url = setting({ name: "public_url", value: "https://a.example", default: "", from: "console" });
    expect(changed({}, url, "")).toEqual({ public_url: null });
    expect(changed({}, setting(), "")).toEqual({ name: "" });
  });

  test("sends a secret even where it reads like what is shown, which is never the secret", () => {
    const secret = setting({
      name: "smtp_password",
      value: "",
      default: "",
      kind: "secret",
      from: "console",
    });
    expect(changed({}, secret, "hunter2")).toEqual({ smtp_password: "hunter2" });
    expect(changed({ smtp_password: "x" }, secret, null)).toEqual({ smtp_password: null });
    expect(changed({ smtp_password: "x" }, secret, undefined)).toEqual({});
  });

  test("is saved by sections", () => {
    const draft = { name: "Harbour", usage_days: "30" };
    expect(partOf(draft, ["name", "logo"])).toEqual({ name: "Harbour" });
    expect(without(draft, ["name"])).toEqual({ usage_days: "30" });
    expect(unsaved(draft, { name: "Harbour" })).toEqual({ usage_days: "30" });
    expect(unsaved({ name: "Harbour Two", logo: null }, { name: "Harbour", logo: null })).toEqual({
      name: "Harbour Two",
    });
    expect(named([setting()], ["logo", "name"]).map(({ name }) => name)).toEqual(["name"]);
  });
});
