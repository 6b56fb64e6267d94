import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DATABASES, type OperatorRig, startOperator } from "./console-operator-rig.ts";
import { Browser, OPERATOR, PASSWORD } from "./console-rig.ts";
import { CLIENT_ID, CLIENT_SECRET, type Claims, Provider } from "./oidc-provider.ts";
import { Authenticator } from "./passkey-authenticator.ts";

/** Ways to sign in that are switched on and off in the console, while it runs. */

for (const database of DATABASES) {
  describe(`ways to sign in on ${database}`, () => {
    let rig: OperatorRig;
    let first: Provider;
    let second: Provider;
    beforeAll(async () => {
      [first, second] = [await Provider.start(), await Provider.start()];
      rig = await startOperator(database);
    });
    afterAll(async () => {
      await rig.dispose();
      await first.stop();
      await second.stop();
    });

    const set = (settings: Record<string, string | null>) =>
      rig.operator.call("PATCH /operator/settings", { body: { settings } });
    const house = () => rig.browser().call("GET /house");
    const service = ({ issuer }: Provider) => ({
      ...{ oidc_issuer: issuer, oidc_client_id: CLIENT_ID, oidc_client_secret: CLIENT_SECRET },
      oidc_name: "Our House",
    });
    const landed = (answer: Response) => answer.headers.get("location") ?? "";

    /** From the button until the browser is back. */
    const come = async (provider: Provider, claims: Claims, browser = rig.browser()) => {
      provider.claims = claims;
      const begun = await browser.send("GET /sign-in/oidc");
      const there = await fetch(landed(begun), { redirect: "manual" });
      return { browser, at: landed(await browser.open(landed(there))) };
    };
    const person = (email: string) => ({ sub: email, email, email_verified: true });

    test("a sign-in service that is set in the console lets people in at once, and another one takes its place", async () => {
      expect((await house()).oidc).toBeNull();
      expect(landed(await rig.browser().send("GET /sign-in/oidc"))).toEndWith("#problem=off");
      await set(service(first));
      expect((await house()).oidc).toBe("Our House");
      await rig.operator.call("POST /operator/invitations", {
        body: { email: "ann@example.org", role: "holder" },
      });
      const { browser, at } = await come(first, person("ann@example.org"));
      expect(at).toBe(`${rig.root}/console/`);
      expect((await browser.call("GET /account")).email).toBe("ann@example.org");
      // What was known of the first issuer is not asked of the second.
      await set({ oidc_issuer: second.issuer });
      expect(landed(await rig.browser().send("GET /sign-in/oidc"))).toStartWith(`${second.issuer}/authorize`);
      await set({ oidc_issuer: first.issuer, oidc_client_secret: "another" });
      expect((await come(first, person("ann@example.org"))).at).toEndWith("#problem=unavailable");
      await set({ oidc_client_secret: CLIENT_SECRET });
      expect((await come(first, person("ann@example.org"))).at).toBe(`${rig.root}/console/`);
    });

    test("the service can be tested: what is wrong is told in a sentence that says what to change", async () => {
      const trial = () => rig.operator.call("POST /operator/settings/sign-in-test");
      expect(await trial()).toEqual({ issuer: first.issuer, problem: null });
      first.twist.isDown = true;
      expect((await trial()).problem).toContain("does not answer as an OpenID Connect issuer does");
      first.twist.isDown = false;
      await set({ oidc_issuer: `${first.issuer}/other` });
      expect((await trial()).problem).toContain("enter its issuer address exactly");
      await set({ oidc_issuer: "http://127.0.0.1:1" });
      expect((await trial()).problem).toContain("http://127.0.0.1:1 cannot be reached");
      await set({ oidc_issuer: null });
      const { error } = await rig.operator.refused("POST /operator/settings/sign-in-test");
      expect(error).toMatchObject({
        code: "conflict",
        message: expect.stringContaining("issuer and client id"),
      });
      await set(service(first));
    });

    test("without passwords holders are refused with a sentence, operators are not, and nobody learns who is who", async () => {
      await rig.invited("bob@example.org");
      await set({ password_sign_in: "off" });
      expect(await house()).toMatchObject({ password_sign_in: false, passkeys: true });
      const right = { body: { email: "bob@example.org", password: PASSWORD } };
      const { status, error } = await rig.browser().refused("POST /sign-in", right);
      expect(status).toBe(403);
      expect(error).toMatchObject({
        code: "not_allowed",
        message:
          "Passwords are not used here: sign in with Our House or with a passkey. If you cannot, ask the operator for a link.",
      });
      for (const email of ["bob@example.org", OPERATOR, "nobody@example.org"]) {
        const wrong = await rig
          .browser()
          .refused("POST /sign-in", { body: { email, password: "wrong one here" } });
        expect(wrong.error).toMatchObject({ code: "wrong_sign_in" });
      }
      await rig.browser().signIn(OPERATOR);
    });

    test("without passwords nobody registers or sets one, and an invitation is still a way in", async () => {
      await set({ registration: "open" });
      const body = { email: "carl@example.org", password: PASSWORD };
      expect((await rig.browser().refused("POST /register", { body })).error.message).toContain("Our House");
      const { browser } = await come(first, person("carl@example.org"));
      expect((await browser.call("GET /account")).has_password).toBe(false);
      const change = await browser.refused("POST /account/password", { body: { password: PASSWORD } });
      expect(change.error).toMatchObject({ code: "not_allowed" });
      const dora = await rig.invited("dora@example.org");
      expect((await dora.call("GET /account")).email).toBe("dora@example.org");
      await rig.operator.call("POST /account/password", { body: { password: PASSWORD } });
      await set({ registration: null, password_sign_in: null });
      await rig.browser().signIn("bob@example.org");
    });

    test("without passkeys none signs in and none is added, and those that are there work again later", async () => {
      const origin = rig.root.replace("127.0.0.1", "localhost");
      await rig.invited("eve@example.org");
      const eve = new Browser(origin);
      await eve.signIn("eve@example.org");
      const device = new Authenticator(origin);
      const begun = await eve.call("POST /account/passkeys/options");
      const response = device.create(begun.options);
      await eve.call("POST /account/passkeys", { body: { ticket: begun.ticket, name: "phone", response } });
      const asked = await new Browser(origin).call("POST /sign-in/passkey/options");
      await set({ passkeys: "off" });
      expect((await house()).passkeys).toBe(false);
      const proof = { body: { ticket: asked.ticket, response: device.get(asked.options) } };
      for (const [name, given] of [
        ["POST /sign-in/passkey/options", {}],
        ["POST /sign-in/passkey", proof],
      ] as const) {
        expect((await new Browser(origin).refused(name, given as never)).error.code).toBe("not_allowed");
      }
      expect((await eve.refused("POST /account/passkeys/options")).error.message).toContain(
        "Passkeys are not used",
      );
      await set({ passkeys: null });
      const back = new Browser(origin);
      await back.call("POST /sign-in/passkey", proof);
      expect((await back.call("GET /account")).email).toBe("eve@example.org");
    });
  });
}
