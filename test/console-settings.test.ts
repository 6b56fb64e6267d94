import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dataUrl, jpeg, png, webp } from "../src/domain/picture.case.ts";
import { SETTING_KEYS, settingName } from "../src/domain/settings.ts";
import { DATABASES, type OperatorRig, startOperator } from "./console-operator-rig.ts";
import { changeDatabase, PASSWORD } from "./console-rig.ts";
import { mustRun, wicketgate } from "./harness.ts";

/** What an operator sets while the house runs: where it comes from, what is refused, what it does. */

const NAMES = SETTING_KEYS.map(settingName);

for (const database of DATABASES) {
  describe(`settings on ${database}`, () => {
    let rig: OperatorRig;
    const FIXED = {
      WICKETGATE_REGISTRATION_BALANCE: "0.25",
      WICKETGATE_OIDC_CLIENT_SECRET: "of-the-environment",
    };
    beforeAll(async () => {
      rig = await startOperator(database, FIXED);
    });
    afterAll(() => rig.dispose());

    const all = async () => (await rig.operator.call("GET /operator/settings")).settings;
    const one = async (name: string) => (await all()).find(setting => setting.name === name);
    const house = () => rig.browser().call("GET /house");
    const set = (settings: Record<string, string | null>) =>
      rig.operator.call("PATCH /operator/settings", { body: { settings } });
    const refused = async (settings: Record<string, string | null>) => {
      const { status, error } = await rig.operator.refused("PATCH /operator/settings", {
        body: { settings },
      });
      const fields = (error.fields ?? []).map(({ path, message }) => [
        path.replace("settings.", ""),
        message,
      ]);
      return { status, code: error.code, message: error.message, ...Object.fromEntries(fields) };
    };
    const entries = async () => {
      const { entries: found } = await rig.operator.call("GET /operator/audit", {
        query: { noun: "setting" },
      });
      return found.map(({ name, action, by, through, fields }) => {
        const told = fields.map(({ field, before, after }) => [field, before, after]);
        return { name, action, by, through, fields: told };
      });
    };

    test("each is listed with its value and where it comes from, a secret without its value", async () => {
      const listed = await all();
      expect(listed.map(({ name }) => name)).toEqual(NAMES);
      expect(listed.find(({ name }) => name === "registration")).toEqual({
        ...{ name: "registration", value: "off", default: "off", from: "default", is_set: true },
        ...{ variable: "WICKETGATE_REGISTRATION", kind: "choice", choices: ["off", "open"] },
      });
      expect(listed.find(({ name }) => name === "registration_balance")).toMatchObject({
        ...{ value: "0.25", default: "0", from: "environment" },
      });
      expect(listed.find(({ name }) => name === "oidc_client_secret")).toMatchObject({
        ...{ value: "", from: "environment", kind: "secret", is_set: true },
      });
      expect(listed.find(({ name }) => name === "smtp_password")).toMatchObject({ value: "", is_set: false });
      expect(JSON.stringify(listed)).not.toContain("of-the-environment");
    });

    test("what is set in the console holds until it is given back", async () => {
      await set({ name: "  Cafe\u0301 Gate ", language: "zh" });
      expect(await one("name")).toMatchObject({ value: "Café Gate", from: "console", default: "Wicketgate" });
      expect(await house()).toMatchObject({ name: "Café Gate", language: "zh" });
      await set({ name: null, language: "" });
      expect(await one("name")).toMatchObject({ value: "Wicketgate", from: "default" });
      expect(await house()).toMatchObject({ name: "Wicketgate", language: "auto" });
    });

    test("what the environment fixes is refused with its variable, and nothing else is changed", async () => {
      const before = await all();
      const told = await refused({ registration_balance: "5", name: "Another" });
      expect(told).toMatchObject({
        ...{ status: 400, code: "invalid" },
        registration_balance:
          "Is fixed by the environment: change WICKETGATE_REGISTRATION_BALANCE there, or remove it, and start again.",
      });
      expect(await all()).toEqual(before);
    });

    test("each wrong value is named at its own field, and none of the right ones is taken", async () => {
      const [before, audited] = [await all(), await entries()];
      const told = await refused({
        ...{ public_url: "gate.example.org/v1", registration: "maybe", passkeys: "yes", usage_days: "-3" },
        ...{ smtp_host: "smtp://here", smtp_port: "70000", smtp_from: "a@b.org\r\nBcc: c@d.org" },
        ...{ smtp_security: "ssl", oidc_issuer: "http://id.example.org", language: "fr", colour: "red" },
        ...{ name: "n".repeat(41), logo: "data:image/svg+xml;base64,PHN2Zz4=", accent: "#7fc1d1" },
        ...{ sealed_copies: "off", oidc_name: "right", smtp_user: "a\nb", ["__proto__x"]: "1" },
      });
      expect(told).toEqual({
        ...{ status: 400, code: "invalid" },
        message: "“public_url” must be a whole http or https address such as https://gate.example.org.",
        public_url: "Must be a whole http or https address such as https://gate.example.org.",
        registration: "Must be one of off, open.",
        passkeys: "Must be one of on, off.",
        usage_days: "Must be a whole number from 0 to 36500.",
        smtp_host: "Must be a host name such as smtp.example.org, without a port.",
        smtp_port: "Must be a whole number from 1 to 65535.",
        smtp_from: "Must be an e-mail address such as gate@example.org.",
        smtp_security: "Must be one of tls, starttls, none.",
        oidc_issuer: "Must be the https address of an OpenID Connect issuer, such as https://id.example.org.",
        language: "Must be one of auto, en, zh.",
        colour: "Is not a setting that there is.",
        name: "Must have at most 40 characters.",
        logo: "Must be a PNG, JPEG or WebP picture, as a data URL in base64.",
        accent:
          "Must be darker: white text on it has a contrast of 2.0 to 1, and it on the page has 1.7 to 1, where 4.5 to 1 can be read.",
        smtp_user: "Must have no line breaks and no control characters.",
        __proto__x: "Is not a setting that there is.",
      });
      expect(await all()).toEqual(before);
      expect(await entries()).toEqual(audited);
    });

    test("what does not hold together is refused at the field that has to be filled in", async () => {
      expect(await refused({ oidc_issuer: "https://id.example.org" })).toMatchObject({
        oidc_client_id: "Must be set where oidc_issuer is.",
      });
      expect(await refused({ smtp_host: "smtp.example.org", smtp_user: "gate" })).toMatchObject({
        smtp_from: "Must be set where smtp_host is.",
        smtp_password: "Must be set where smtp_user is.",
      });
      expect(await refused({ password_sign_in: "off", passkeys: "off" })).toMatchObject({
        password_sign_in:
          "Must be on while passkeys is off and there is no oidc_issuer: holders could not sign in.",
      });
      expect(await refused({ password_sign_in: "off", registration: "open" })).toMatchObject({
        registration:
          "Must be off while password_sign_in is off and there is no oidc_issuer: nobody could make an account.",
      });
      const mail = { smtp_host: "smtp.example.org", smtp_from: "gate@example.org" };
      await set({ ...mail, smtp_user: "gate", smtp_password: "hunter2-of-the-mail" });
      expect(await refused({ smtp_password: null })).toMatchObject({
        smtp_password: "Must be set where smtp_user is.",
      });
      expect(await refused({ smtp_security: "none" })).toMatchObject({
        smtp_security: "Must be tls or starttls where smtp_user is set: the password would be readable.",
      });
      expect((await house()).mail).toBe(true);
      await set({ smtp_host: null, smtp_from: null, smtp_user: null, smtp_password: null });
      expect((await house()).mail).toBe(false);
    });

    test("every change is in the audit, before and after, and what changes nothing is not", async () => {
      const start = (await entries()).length;
      await set({ registration: "open", usage_days: "90" });
      await set({ registration: "open" });
      await set({ registration: null });
      await set({ registration: null, usage_days: "0" });
      await set({ usage_days: null });
      const found = (await entries()).toReversed().slice(start);
      const by = { by: "operator@example.org", through: "console" as const };
      expect(found).toEqual([
        { name: "registration", action: "update", ...by, fields: [["value", "off", "open"]] },
        { name: "usage_days", action: "update", ...by, fields: [["value", "0", "90"]] },
        { name: "registration", action: "reset", ...by, fields: [["value", "open", "off"]] },
        { name: "usage_days", action: "update", ...by, fields: [["value", "90", "0"]] },
        { name: "usage_days", action: "reset", ...by, fields: [["from", "console", "default"]] },
      ]);
      const { chain } = await rig.operator.call("GET /operator/audit");
      expect(chain).toBe("whole");
    });

    test("the command line makes the same change by the same rule, and the same entry of it", async () => {
      const start = (await entries()).length;
      await set({ accent: "#5B2C83" });
      await set({ accent: null });
      expect(await mustRun(rig.dir, ["settings", "set", "accent", "#5B2C83"])).toBe("accent is set.\n");
      const listed = JSON.parse(await mustRun(rig.dir, ["settings", "list", "--json"])) as { name: string }[];
      expect(listed.find(({ name }) => name === "accent")).toMatchObject({
        value: "#5b2c83",
        from: "console",
      });
      await mustRun(rig.dir, ["settings", "reset", "accent"]);
      const found = (await entries()).toReversed().slice(start);
      const bare = found.map(({ name, action, fields }) => ({ name, action, fields }));
      expect(bare.slice(2)).toEqual(bare.slice(0, 2));
      expect(bare[0]).toEqual({
        name: "accent",
        action: "update",
        fields: [["value", "", "#5b2c83"]],
      });
      expect(found.map(({ through }) => through)).toEqual([
        "console",
        "console",
        "command line",
        "command line",
      ]);
      const wrong = await wicketgate(rig.dir, ["settings", "set", "accent", "#ffffff"]);
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("accent must be darker") });
      const env = { WICKETGATE_NAME: "Fixed" };
      const fixed = await wicketgate(rig.dir, ["settings", "set", "name", "Other"], { env });
      expect(fixed).toMatchObject({ code: 1, stderr: expect.stringContaining("WICKETGATE_NAME") });
      const unknown = await wicketgate(rig.dir, ["settings", "set", "accnt", "#000000"]);
      expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean accent?") });
      const spoken = await wicketgate(rig.dir, ["settings", "set", "smtp_password", "hunter2"]);
      expect(spoken.stderr).not.toContain("hunter2");
      expect(spoken).toMatchObject({ code: 2, stderr: expect.stringContaining("standard input") });
    });

    test("registration that is opened lets people in with the starting balance, and closed lets nobody in", async () => {
      const body = (email: string) => ({ body: { email, password: PASSWORD } });
      expect((await rig.browser().refused("POST /register", body("a@example.org"))).error.code).toBe(
        "not_allowed",
      );
      await set({ registration: "open" });
      expect((await house()).registration).toBe(true);
      const ann = rig.browser();
      await ann.call("POST /register", body("ann@example.org"));
      expect((await ann.call("GET /account")).balance_usd).toBe("0.25");
      await set({ registration: null });
      expect((await rig.browser().refused("POST /register", body("b@example.org"))).error.code).toBe(
        "not_allowed",
      );
    });

    test("the name is on the page, in authenticator apps and in passkeys", async () => {
      await set({ name: "Pinewood" });
      const { uri } = await rig.operator.call("POST /account/totp");
      expect(new URL(uri).searchParams.get("issuer")).toStartWith("Pinewood (");
      await set({ public_url: "http://localhost:8787" });
      const { options } = await rig.operator.call("POST /account/passkeys/options");
      expect(options["rp"]).toEqual({ name: "Pinewood", id: "localhost" });
      await set({ name: null, public_url: null });
    });

    test("the public address is what clients are told, links begin with, and calls may come from", async () => {
      await set({ public_url: "https://gate.example.org/llm//" });
      expect(await one("public_url")).toMatchObject({ value: "https://gate.example.org/llm" });
      const answer = await fetch(`${rig.root}/console/api/house`);
      expect(await answer.json()).toMatchObject({
        openai_base_url: "https://gate.example.org/llm/v1",
        messages_address: "https://gate.example.org/llm",
      });
      expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000");
      const invitation = { body: { email: "linked@example.org", role: "holder" as const } };
      const { link } = await rig.operator.call("POST /operator/invitations", invitation);
      expect(link).toStartWith("https://gate.example.org/llm/console/invitation#");
      const told = await mustRun(rig.dir, ["account", "reset", "operator@example.org", "--json"]);
      expect(JSON.parse(told).link).toStartWith("https://gate.example.org/llm/console/reset#");
      const from = (origin: string) => rig.operator.send("PATCH /account", { body: {}, headers: { origin } });
      expect((await from("https://gate.example.org")).status).toBe(200);
      expect((await from("https://other.example.org")).status).toBe(403);
      await set({ public_url: null });
      expect((await from("https://gate.example.org")).status).toBe(403);
      expect((await fetch(`${rig.root}/console/api/house`)).headers.has("strict-transport-security")).toBe(
        false,
      );
    });

    test("the accent comes with a tone for dark pages", async () => {
      await set({ accent: "#5B2C83" });
      expect((await house()).accent).toEqual({
        light: "#5b2c83",
        dark: expect.stringMatching(/^#[0-9a-f]{6}$/),
      });
      await set({ accent: null });
      expect((await house()).accent).toBeNull();
    });

    test("the logo is served as what it is, for ever under its own address, and told of in the audit", async () => {
      const bytes = jpeg(300, 200);
      expect((await rig.browser().refused("GET /house/logo")).status).toBe(404);
      await set({ logo: dataUrl(bytes, "image/webp") });
      const { logo } = await house();
      expect(logo).toMatch(/^\/console\/api\/house\/logo\?v=[0-9a-f]{16}$/);
      const answer = await fetch(rig.root + logo);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(bytes));
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "image/jpeg",
        "x-content-type-options": "nosniff",
        "cache-control": "public, max-age=31536000, immutable",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      });
      const other = await fetch(`${rig.root}/console/api/house/logo?v=0000`);
      expect(other.headers.get("cache-control")).toBe("no-store");
      const [entry] = await entries();
      expect(JSON.stringify(entry?.fields)).toMatch(
        /^\[\["value","","image\/jpeg, 300 × 200, [0-9a-f]{16}"\]\]$/,
      );
      await set({ logo: dataUrl(png(8, 8, 65_536)) });
      await set({ logo: dataUrl(webp("VP8L", 16, 16)) });
      await set({ logo: null });
      expect((await house()).logo).toBeNull();
    });

    test("a picture that is none, or would be too large, is not taken", async () => {
      const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>");
      const of = async (bytes: Uint8Array) => (await refused({ logo: dataUrl(bytes) }))["logo"];
      expect(await of(svg)).toContain("these bytes are not one");
      expect(await of(png(60_000, 60_000))).toContain("at most 1024 pixels a side");
      expect(await of(png(8, 8, 65_537))).toContain("at most 64 KB");
      const huge = await rig.operator.send("PATCH /operator/settings", {
        body: { settings: { logo: "A".repeat(200_000) } },
      });
      expect(huge.status).toBe(413);
    });

    test("no operator is locked out by a way to sign in that is switched off", async () => {
      if (database === "SQLite") {
        changeDatabase(
          rig.dir,
          "update profiles set password_hash = null where account_id in (select id from accounts where role = 'operator')",
        );
      } else {
        await rig.change(
          "update profiles set password_hash = null where account_id in (select id from accounts where role = 'operator')",
        );
      }
      await rig.change(
        `insert into oidc_identities (issuer, subject, account_id, created_at_ms)
          select 'https://id.example.org', 'op', id, 0 from accounts where role = 'operator'`,
      );
      await set({ oidc_issuer: "https://id.example.org", oidc_client_id: "gate" });
      expect(await refused({ oidc_issuer: null })).toMatchObject({
        oidc_issuer: "Would leave no operator who can sign in: let one of them set a password first.",
      });
      await rig.operator.call("POST /account/password", { body: { password: PASSWORD } });
      await set({ oidc_issuer: null, oidc_client_id: null });
    });
  });
}
