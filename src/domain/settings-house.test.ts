import { describe, expect, test } from "bun:test";
import { SETTING_KEYS, settingKey, settingName, settings } from "./settings.ts";
import { conflicts, houseSettings, mailServer, type SettingTexts } from "./settings-house.ts";

const house = (stored: SettingTexts, fixed: SettingTexts = {}) => houseSettings({ fixed, stored }).settings;
const wrong = (stored: SettingTexts) =>
  conflicts(house(stored)).map(({ at, problem }) => `${settingName(at)} ${problem(settingName)}`);

describe("every setting", () => {
  test("has a name that leads back to it, and a variable of its own", () => {
    expect(SETTING_KEYS.map(key => settingKey(settingName(key)))).toEqual([...SETTING_KEYS]);
    expect(settingName("oidcClientId")).toBe("oidc_client_id");
    for (const bad of ["publicUrl", "constructor", "__proto__", "", "port"])
      expect(settingKey(bad)).toBeNull();
    expect(new Set(SETTING_KEYS.map(key => settings[key].env)).size).toBe(SETTING_KEYS.length);
  });

  test("begins with a value that its own rule takes", () => {
    expect(houseSettings({ fixed: {}, stored: {} }).unreadable).toEqual([]);
  });

  test("is a secret by its kind, and has choices where it is a choice", () => {
    for (const key of SETTING_KEYS) {
      const { kind, secret, choices = [] } = settings[key];
      expect([key, secret === true]).toEqual([key, kind === "secret"]);
      expect([key, choices.length > 0]).toEqual([key, kind === "choice" || kind === "switch"]);
    }
  });
});

test("the environment wins over the console, and the console over what it began with", () => {
  expect(house({}).name).toBe("Wicketgate");
  expect(house({ name: "Ours" }).name).toBe("Ours");
  expect(house({ name: "Ours" }, { name: "Theirs" }).name).toBe("Theirs");
});

test("what cannot be read any more counts as not set, and is named", () => {
  const found = houseSettings({ fixed: {}, stored: { accent: "#ffffff", usageDays: "many", name: "Ours" } });
  expect(found.unreadable).toEqual(["usageDays", "accent"]);
  expect(found.settings).toMatchObject({ usageDays: 0, accent: null, name: "Ours" });
});

test("a mail server needs a host and a sender, and has the usual port of its security", () => {
  expect(mailServer(house({}))).toBeNull();
  expect(mailServer(house({ smtpHost: "smtp.example.org" }))).toBeNull();
  const mail = { smtpHost: "smtp.example.org", smtpFrom: "gate@example.org" };
  const [user, password, from] = [null, null, "gate@example.org"];
  const common = { host: "smtp.example.org", user, password, from };
  expect(mailServer(house(mail))).toEqual({ ...common, port: 587, security: "starttls" });
  expect(mailServer(house({ ...mail, smtpSecurity: "tls" }))?.port).toBe(465);
  expect(mailServer(house({ ...mail, smtpSecurity: "none" }))?.port).toBe(25);
  expect(mailServer(house({ ...mail, smtpSecurity: "tls", smtpPort: "2525" }))?.port).toBe(2525);
});

describe("what does not hold together is told at the setting to change:", () => {
  const mail = { smtpHost: "smtp.example.org", smtpFrom: "gate@example.org" };
  const CASES: readonly [SettingTexts, readonly string[]][] = [
    [{}, []],
    [{ oidcIssuer: "https://id.example.org" }, ["oidc_client_id must be set where oidc_issuer is"]],
    [{ oidcClientId: "gate" }, []],
    [{ smtpHost: "smtp.example.org" }, ["smtp_from must be set where smtp_host is"]],
    [{ ...mail, smtpUser: "gate" }, ["smtp_password must be set where smtp_user is"]],
    [{ ...mail, smtpPassword: "p" }, ["smtp_user must be set where smtp_password is"]],
    [
      { ...mail, smtpUser: "gate", smtpPassword: "p", smtpSecurity: "none" },
      ["smtp_security must be tls or starttls where smtp_user is set: the password would be readable"],
    ],
    [{ ...mail, smtpHost: "localhost", smtpUser: "gate", smtpPassword: "p", smtpSecurity: "none" }, []],
    [{ passwordSignIn: "off" }, []],
    [
      { passwordSignIn: "off", passkeys: "off" },
      [
        "password_sign_in must be on while passkeys is off and there is no oidc_issuer: holders could not sign in",
      ],
    ],
    [
      { passwordSignIn: "off", registration: "open" },
      [
        "registration must be off while password_sign_in is off and there is no oidc_issuer: nobody could make an account",
      ],
    ],
    [
      {
        ...{ passwordSignIn: "off", passkeys: "off", registration: "open" },
        ...{ oidcIssuer: "https://id.example.org", oidcClientId: "gate" },
      },
      [],
    ],
  ];
  for (const [stored, expected] of CASES) {
    test(JSON.stringify(stored), () => expect(wrong(stored)).toEqual([...expected]));
  }
});
