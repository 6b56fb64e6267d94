import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { generate } from "otplib";
import {
  type Browser,
  type ConsoleRig,
  changeDatabase,
  letProofAge,
  PASSWORD,
  startConsole,
} from "./console-rig.ts";
import { CLIENT_ID, CLIENT_SECRET, type Claims, newKeys, Provider } from "./oidc-provider.ts";

/** Sign-in by the house's own service, on the real server against a real provider. */

let provider: Provider;
let rig: ConsoleRig;
let people = 0;

beforeAll(async () => {
  provider = await Provider.start();
  rig = await startConsole(settings(provider));
});
afterAll(async () => {
  await rig.dispose();
  await provider.stop();
});
afterEach(() => {
  provider.twist = {};
  provider.userinfo = null;
  changeDatabase(rig.dir, "delete from throttles");
});

function settings({ issuer }: Provider): Record<string, string> {
  return {
    WICKETGATE_OIDC_ISSUER: issuer,
    WICKETGATE_OIDC_CLIENT_ID: CLIENT_ID,
    WICKETGATE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    WICKETGATE_OIDC_NAME: "Our House",
  };
}

/** Somebody new at the provider. */
function somebody(more: Claims = {}): Claims & { email: string } {
  people += 1;
  const email = `person${people}@example.org`;
  return { sub: `subject ${people}`, email, email_verified: true, name: `Person ${people}`, ...more };
}

/** From the button until the browser is back, and where it is sent to then. */
async function come(browser: Browser, claims: Claims, back?: string): Promise<string> {
  const callback = await asFarAsBack(browser, claims, back);
  return landed(await browser.open(callback));
}

async function asFarAsBack(browser: Browser, claims: Claims, back?: string): Promise<string> {
  provider.claims = claims;
  const begun = await browser.send(
    "GET /sign-in/oidc",
    back === undefined ? {} : { query: { return: back } },
  );
  const there = await fetch(landed(begun), { redirect: "manual" });
  return landed(there);
}

function landed(answer: Response): string {
  expect([302, 303]).toContain(answer.status);
  return answer.headers.get("location") ?? "";
}

const problemIn = (location: string) => new URL(location).hash.replace("#problem=", "");

async function openAccount(claims: Claims & { email: string }): Promise<void> {
  await rig.operator.call("POST /operator/invitations", { body: { email: claims.email, role: "holder" } });
}

describe("whoever was invited", () => {
  test("comes in by the service: the account is made, and found again from then on", async () => {
    const claims = somebody();
    await rig.operator.call("POST /operator/invitations", {
      body: { email: claims.email, role: "holder", balance_usd: "2.5" },
    });
    const browser = rig.browser();
    expect(await come(browser, claims)).toBe(`${rig.root}/console/`);
    expect(await browser.call("GET /account")).toMatchObject({
      email: claims.email,
      name: claims["name"],
      balance_usd: "2.50",
      has_password: false,
    });
    expect((await browser.call("GET /session")).proofs).toEqual(["oidc"]);
    const open = (await rig.operator.call("GET /operator/invitations")).invitations;
    expect(open.map(({ email }) => email)).not.toContain(claims.email);
    const again = rig.browser();
    await come(again, { ...claims, email: "renamed@example.org", email_verified: false });
    expect((await again.call("GET /account")).email).toBe(claims.email);
  });

  test("is sent on to where they wanted to go, inside of the console", async () => {
    const claims = somebody();
    await openAccount(claims);
    expect(await come(rig.browser(), claims, "/usage?model=m")).toBe(`${rig.root}/console/usage?model=m`);
    for (const bad of ["//evil.example", "https://evil.example", "/\\evil.example", "/a b", "evil"]) {
      expect(await come(rig.browser(), claims, bad)).toBe(`${rig.root}/console/`);
    }
  });

  test("is asked by code, state, nonce and PKCE, for an e-mail", async () => {
    const browser = rig.browser();
    const begun = await browser.send("GET /sign-in/oidc");
    const asked = new URL(landed(begun)).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      client_id: CLIENT_ID,
      scope: "openid email profile",
      code_challenge_method: "S256",
      redirect_uri: `${rig.root}/console/api/sign-in/oidc/callback`,
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
    const cookie = begun.headers.getSetCookie().join();
    expect(cookie).toMatch(
      /^__Host-wicketgate-oidc=[\w-]{43}; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect(cookie).not.toContain(asked.get("state") ?? "none");
  });

  test("is told of by the userinfo endpoint, where the token says no e-mail", async () => {
    const { email, ...rest } = somebody();
    await openAccount({ email });
    provider.userinfo = { sub: rest["sub"], email: email.toUpperCase(), email_verified: "true" };
    const browser = rig.browser();
    await come(browser, rest);
    expect((await browser.call("GET /account")).email).toBe(email);
  });
});

describe("nobody comes in", () => {
  const refused = async (claims: Claims) => {
    const browser = rig.browser();
    const problem = problemIn(await come(browser, claims));
    expect([...browser.cookies.keys()]).toEqual([]);
    return problem;
  };

  test("without an invitation, where registration is closed", async () => {
    expect(await refused(somebody())).toBe("no_account");
  });

  test("by an e-mail that is not verified", async () => {
    for (const unverified of [
      { email_verified: false },
      { email_verified: undefined },
      { email_verified: 1 },
    ]) {
      const claims = somebody(unverified);
      await openAccount(claims);
      expect(await refused(claims)).toBe("unverified_email");
    }
  });

  test("into an account with a password, by its e-mail alone", async () => {
    const claims = somebody();
    await rig.invited(claims.email);
    expect(await refused(claims)).toBe("sign_in_first");
  });

  test("into an account that is disabled", async () => {
    const claims = somebody();
    await openAccount(claims);
    await come(rig.browser(), claims);
    changeDatabase(rig.dir, "update accounts set enabled = 0 where email = ?", claims.email);
    expect(await refused(claims)).toBe("disabled");
  });

  test("by a token that does not fit", async () => {
    const claims = somebody();
    await openAccount(claims);
    const { privateKey } = await newKeys();
    const old = Math.floor(Date.now() / 1000) - 3600;
    const TWISTS: readonly (typeof provider.twist)[] = [
      { key: privateKey },
      { claims: { nonce: "another" } },
      { claims: { aud: "another-client" } },
      { claims: { iss: "https://evil.example" } },
      { claims: { iat: old, exp: old + 60 } },
      { claims: { sub: undefined } },
    ];
    for (const twist of TWISTS) {
      provider.twist = twist;
      expect([twist, await refused(claims)]).toEqual([twist, "unavailable"]);
    }
    provider.twist = {};
    await come(rig.browser(), claims);
  });

  test("who did not begin it in this browser, or comes twice, or too late", async () => {
    const claims = somebody();
    await openAccount(claims);
    const browser = rig.browser();
    const callback = await asFarAsBack(browser, claims);
    const other = rig.browser();
    expect(problemIn(landed(await other.open(callback)))).toBe("expired");
    const elsewhere = rig.browser();
    await elsewhere.send("GET /sign-in/oidc");
    expect(problemIn(landed(await elsewhere.open(callback)))).toBe("expired");
    const cookie = browser.cookieText();
    const twice = await Promise.all(
      [1, 2, 3].map(() => fetch(callback, { redirect: "manual", headers: { cookie } })),
    );
    const ends = twice.map(answer => landed(answer).replace(rig.root, "")).sort();
    expect(ends).toEqual([
      "/console/",
      "/console/sign-in#problem=expired",
      "/console/sign-in#problem=expired",
    ]);
    const late = rig.browser();
    const then = await asFarAsBack(late, claims);
    changeDatabase(rig.dir, "update tickets set expires_at_ms = 0 where kind = 'oidc'");
    expect(problemIn(landed(await late.open(then)))).toBe("expired");
    expect(problemIn(landed(await late.open(`${rig.root}/console/api/sign-in/oidc/callback`)))).toBe(
      "expired",
    );
  });

  test("who gave up at the service", async () => {
    const browser = rig.browser();
    const callback = new URL(await asFarAsBack(browser, somebody()));
    callback.searchParams.delete("code");
    callback.searchParams.set("error", "access_denied");
    expect(problemIn(landed(await browser.open(callback.href)))).toBe("cancelled");
  });

  test("with a code of somebody else's sign-in", async () => {
    const [ann, eve] = [somebody(), somebody()];
    await openAccount(ann);
    await openAccount(eve);
    const eves = rig.browser();
    const stolen = new URL(await asFarAsBack(rig.browser(), ann)).searchParams.get("code") ?? "";
    const callback = new URL(await asFarAsBack(eves, eve));
    callback.searchParams.set("code", stolen);
    expect(problemIn(landed(await eves.open(callback.href)))).toBe("unavailable");
  });
});

describe("whoever is signed in already", () => {
  test("connects the service to their account, and comes in by it from then on", async () => {
    const claims = somebody();
    const browser = await rig.invited(claims.email);
    expect(await come(browser, claims, "/account")).toBe(`${rig.root}/console/account`);
    expect(provider.asked.get("prompt")).toBe("login");
    expect((await browser.call("GET /session")).proofs).toEqual(["password", "oidc"]);
    const fresh = rig.browser();
    await come(fresh, claims);
    expect((await fresh.call("GET /account")).email).toBe(claims.email);
  });

  test("disconnects it again, unless it is the only way in", async () => {
    const claims = somebody();
    const browser = await rig.invited(claims.email);
    await come(browser, claims);
    expect((await browser.call("GET /account")).oidc).toEqual({ is_connected: true });
    await browser.call("DELETE /account/oidc");
    expect((await browser.call("GET /account")).oidc).toEqual({ is_connected: false });
    expect(problemIn(await come(rig.browser(), claims))).toBe("sign_in_first");
    const other = somebody();
    await openAccount(other);
    const only = rig.browser();
    await come(only, other);
    expect(await only.refused("DELETE /account/oidc")).toMatchObject({
      status: 409,
      error: { code: "conflict" },
    });
    await come(rig.browser(), other);
  });

  test("connects nothing after a quarter of an hour, nor by a link on another site", async () => {
    const claims = somebody();
    const browser = await rig.invited(claims.email);
    letProofAge(rig.dir, claims.email);
    expect(problemIn(await come(browser, claims))).toBe("sign_in_first");
    letProofAge(rig.dir, claims.email, -1_000_000);
    provider.claims = claims;
    const begun = await browser.send("GET /sign-in/oidc", { headers: { "sec-fetch-site": "cross-site" } });
    const back = landed(await fetch(landed(begun), { redirect: "manual" }));
    expect(problemIn(landed(await browser.open(back)))).toBe("sign_in_first");
    expect((await browser.call("GET /session")).proofs).toEqual(["password"]);
  });

  test("connects neither another e-mail nor what another account has", async () => {
    const claims = somebody();
    await openAccount(claims);
    await come(rig.browser(), claims);
    const bob = await rig.invited("bob@example.org");
    expect(problemIn(await come(bob, claims))).toBe("other_account");
    expect(problemIn(await come(bob, somebody()))).toBe("other_email");
    expect((await bob.call("GET /session")).proofs).toEqual(["password"]);
  });

  test("proves again who is there, at the time at which the service saw them", async () => {
    const claims = somebody();
    await openAccount(claims);
    const browser = rig.browser();
    const hours = Math.floor(Date.now() / 1000) - 7200;
    await come(browser, { ...claims, auth_time: hours });
    const refused = await browser.refused("POST /account/totp");
    expect(refused.error.code).toBe("recent_sign_in_needed");
    const none = await browser.refused("POST /session/confirm", { body: { password: PASSWORD } });
    expect(none).toMatchObject({ status: 409, error: { code: "conflict" } });
    await come(browser, claims);
    await browser.call("POST /account/totp");
    // The session that it had is over: one place is one session.
    expect((await browser.call("GET /sessions")).sessions).toHaveLength(1);
  });
});

test("two-factor is asked for after the service too", async () => {
  const claims = somebody();
  await openAccount(claims);
  const browser = rig.browser();
  await come(browser, claims);
  const { secret, ticket } = await browser.call("POST /account/totp");
  const body = { ticket, code: await generate({ secret }) };
  await browser.call("POST /account/totp/confirm", { body });
  const fresh = rig.browser();
  const { pathname, hash } = new URL(await come(fresh, claims, "/usage"));
  expect(pathname).toBe("/console/sign-in");
  const told = new URLSearchParams(hash.slice(1));
  expect(told.get("return")).toBe("/usage");
  expect((await fresh.refused("GET /account")).status).toBe(401);
  const code = await generate({ secret, epoch: Math.floor(Date.now() / 1000) + 30 });
  await fresh.call("POST /sign-in/second-factor", {
    body: { ticket: told.get("second_factor") ?? "", code },
  });
  expect((await fresh.call("GET /account")).email).toBe(claims.email);
  // Without a password, the code alone confirms.
  changeDatabase(rig.dir, "update profiles set totp_step = null");
  await fresh.call("POST /session/confirm", { body: { code: await generate({ secret }) } });
});

test("the button has the service's name, and a service that is away is said to be", async () => {
  expect((await rig.browser().call("GET /house")).oidc).toBe("Our House");
  const away = await Provider.start();
  away.twist.isDown = true;
  const other = await startConsole(settings(away));
  try {
    const begun = await other.browser().send("GET /sign-in/oidc");
    expect(problemIn(landed(begun))).toBe("unavailable");
    expect(other.gateway.log()).toContain("console.oidc_failed");
    // Nothing is remembered of a failure.
    away.twist.isDown = false;
    expect(landed(await other.browser().send("GET /sign-in/oidc"))).toStartWith(`${away.issuer}/authorize`);
    expect(other.gateway.log()).not.toContain(CLIENT_SECRET);
  } finally {
    await other.dispose();
    await away.stop();
  }
});

test("where anybody may make an account, they do so by the service too; where there is none, it says so", async () => {
  const open = await startConsole({ ...settings(provider), WICKETGATE_REGISTRATION: "open" });
  const plain = await startConsole();
  try {
    const claims = somebody();
    const browser = open.browser();
    expect(await come(browser, claims)).toBe(`${open.root}/console/`);
    expect(await browser.call("GET /account")).toMatchObject({ email: claims.email, role: "holder" });
    expect((await plain.browser().call("GET /house")).oidc).toBe(null);
    expect(problemIn(landed(await plain.browser().send("GET /sign-in/oidc")))).toBe("off");
  } finally {
    await open.dispose();
    await plain.dispose();
  }
});
